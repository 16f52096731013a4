//! The tree finds what a list finds, at any number of threads.

use super::*;
use coact_testkit::Random;

fn boxes(n: usize, seed: u64) -> Vec<Aabb> {
    let mut r = Random::new(seed);
    let point = |r: &mut Random| [0; 3].map(|_| r.range(-1.0, 1.0) as f32);
    (0..n)
        .map(|_| {
            let a = point(&mut r);
            Aabb::of(&[a, a.map(|x| x + r.range(0.0, 0.1) as f32)])
        })
        .collect()
}

fn tree_of(b: &[Aabb]) -> Bvh {
    Bvh::new(b.len(), |i| b[i as usize], |i| i % 2)
}

fn found(tree: &Bvh, b: &[Aabb], q: &Aabb, from: usize) -> Vec<u32> {
    let mut hits = Vec::new();
    tree.visit(
        from,
        |n| n.bounds.overlaps(q),
        |k, _| hits.extend(tree.leaf(k).iter().copied().filter(|&i| b[i as usize].overlaps(q))),
    );
    hits
}

#[test]
fn a_query_finds_what_a_list_finds() {
    for n in [0, 1, 3, 4, 5, 8, 9, 17, 100, 1001] {
        let b = boxes(n, n as u64);
        let tree = tree_of(&b);
        let mut seen = 0;
        for q in boxes(50, 77) {
            let q = q.inflated(0.1);
            let mut hits = found(&tree, &b, &q, 0);
            hits.sort_unstable();
            let brute: Vec<u32> = (0..n as u32).filter(|&i| b[i as usize].overlaps(&q)).collect();
            assert_eq!(hits, brute, "{n} boxes");
            seen += hits.len();
        }
        assert!(n < 100 || seen > 0);
    }
}

#[test]
fn a_query_from_a_leaf_on_leaves_out_what_is_before() {
    let b = boxes(333, 5);
    let tree = tree_of(&b);
    let q = Aabb { min: [-2.0; 3], max: [2.0; 3] };
    for from in [0, 1, 7, 40] {
        assert_eq!(found(&tree, &b, &q, from), tree.order()[from * LEAF..].to_vec());
    }
}

#[test]
fn a_refit_tree_is_that_of_the_moved_boxes_and_wear_is_seen() {
    let b = boxes(500, 1);
    let moved = boxes(500, 2);
    let mut tree = tree_of(&b);
    assert_eq!(tree.growth(), 1.0);
    tree.refit(|i| moved[i as usize]);
    assert!(tree.is_worn(), "boxes at random places: growth {}", tree.growth());
    for q in boxes(30, 3) {
        let mut hits = found(&tree, &moved, &q, 0);
        hits.sort_unstable();
        let brute: Vec<u32> = (0..500).filter(|&i| moved[i as usize].overlaps(&q)).collect();
        assert_eq!(hits, brute);
    }
    tree.rebuild(|i| moved[i as usize], |_| 0);
    assert!(!tree.is_worn());
}

#[test]
fn threads_change_no_bit() {
    let b = boxes(40_000, 9);
    let build = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut tree = tree_of(&b);
            tree.refit(|i| b[(i as usize + 1) % b.len()]);
            tree
        })
    };
    let (one, three) = (build(1), build(3));
    assert_eq!(one.order, three.order);
    assert_eq!(one.area.to_bits(), three.area.to_bits());
    assert!(one.nodes.iter().zip(&three.nodes).all(|(a, b)| a.bounds == b.bounds && a.group == b.group));
}

#[test]
fn groups_are_known_to_nodes() {
    let b = boxes(64, 4);
    let tree = Bvh::new(64, |i| b[i as usize], |_| 3);
    assert!(tree.nodes.iter().all(|n| n.group == 3));
    assert_eq!(tree_of(&b).nodes[0].group, MIXED);
}

#[test]
fn what_is_not_finite_is_found_by_nobody() {
    let b = Aabb::of(&[[0.0, 0.0, f32::NAN], [1.0; 3]]);
    assert_eq!(b, Aabb::EMPTY);
    assert_eq!(Aabb::of(&[[f32::INFINITY, 0.0, 0.0]]), Aabb::EMPTY);
    let all = Aabb { min: [-1e30; 3], max: [1e30; 3] };
    assert!(!b.overlaps(&all) && !b.inflated(1.0).overlaps(&all));
    let tree = Bvh::new(9, |i| if i == 4 { b } else { Aabb::of(&[[i as f32; 3]]) }, |_| 0);
    assert_eq!(tree.nodes[0].bounds, Aabb { min: [0.0; 3], max: [8.0; 3] });
}

#[test]
fn a_million_vertices_fit() {
    let bytes = |n: usize| (2 * n.div_ceil(LEAF)) * size_of::<Node>() + n * size_of::<u32>();
    assert!(bytes(2_000_000) + bytes(3_000_000) < 120 << 20);
}
