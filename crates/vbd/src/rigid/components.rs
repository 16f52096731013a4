//! Connected components of a graph of bodies.

/// Bodies in groups that grow together. Memory is kept.
#[derive(Clone, Debug, Default)]
pub struct Forest(Vec<u32>);

impl Forest {
    /// `n` bodies, each alone.
    pub fn begin(&mut self, n: usize) {
        self.0.clear();
        self.0.extend(0..n as u32);
    }

    /// The body that stands for the group of one: its first.
    pub fn find(&mut self, mut b: u32) -> usize {
        while self.0[b as usize] != b {
            self.0[b as usize] = self.0[self.0[b as usize] as usize];
            b = self.0[b as usize];
        }
        b as usize
    }

    /// Joins the groups of two bodies; returns what stands for both now, and what stood for one of them.
    pub fn unite(&mut self, [a, b]: [u32; 2]) -> [usize; 2] {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a.max(b)] = a.min(b) as u32;
        [a.min(b), a.max(b)]
    }
}

/// Connected components of the free bodies, each by id, in order of their first body.
pub(super) fn components(free: &[bool], edges: &[[u32; 2]]) -> Vec<Vec<u32>> {
    let mut forest = Forest::default();
    forest.begin(free.len());
    let is_free = |b: u32| free.get(b as usize).copied().unwrap_or(false);
    for &edge in edges.iter().filter(|e| is_free(e[0]) && is_free(e[1])) {
        forest.unite(edge);
    }
    let mut place = vec![usize::MAX; free.len()];
    let mut out: Vec<Vec<u32>> = Vec::new();
    for b in (0..free.len() as u32).filter(|&b| free[b as usize]) {
        let t = forest.find(b);
        if place[t] == usize::MAX {
            place[t] = out.len();
            out.push(Vec::new());
        }
        out[place[t]].push(b);
    }
    out
}
