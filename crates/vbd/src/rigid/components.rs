//! Connected components of a graph of bodies.

/// Connected components of the free bodies, each by id, in order of their first body.
pub fn components(free: &[bool], edges: &[[u32; 2]]) -> Vec<Vec<u32>> {
    let mut top: Vec<u32> = (0..free.len() as u32).collect();
    fn find(top: &mut [u32], mut b: u32) -> u32 {
        while top[b as usize] != b {
            top[b as usize] = top[top[b as usize] as usize];
            b = top[b as usize];
        }
        b
    }
    let is_free = |b: u32| free.get(b as usize).copied().unwrap_or(false);
    for &[a, b] in edges.iter().filter(|e| is_free(e[0]) && is_free(e[1])) {
        let (a, b) = (find(&mut top, a), find(&mut top, b));
        top[a.max(b) as usize] = a.min(b);
    }
    let mut place = vec![usize::MAX; free.len()];
    let mut out: Vec<Vec<u32>> = Vec::new();
    for b in (0..free.len() as u32).filter(|&b| free[b as usize]) {
        let t = find(&mut top, b) as usize;
        if place[t] == usize::MAX {
            place[t] = out.len();
            out.push(Vec::new());
        }
        out[place[t]].push(b);
    }
    out
}
