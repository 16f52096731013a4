//! Colors are proper, few, even, and the same on every run.

use super::*;

fn is_proper(g: &Adjacency, color: &[u32]) {
    for i in 0..g.node_count() {
        for &j in g.neighbors(i) {
            assert_ne!(color[i], color[j as usize], "neighbors {i} and {j} share a color");
        }
    }
}

fn sizes(color: &[u32]) -> Vec<usize> {
    let mut size = vec![0; *color.iter().max().unwrap() as usize + 1];
    color.iter().for_each(|&c| size[c as usize] += 1);
    size
}

/// Edges of a grid with both diagonals: cliques of four.
fn king_grid(n: u32) -> Adjacency {
    let mut edges = Vec::new();
    for j in 0..n {
        for i in 0..n {
            let a = j * n + i;
            if i + 1 < n {
                edges.push([a, a + 1]);
            }
            if j + 1 < n {
                edges.push([a, a + n]);
            }
            if i + 1 < n && j + 1 < n {
                edges.extend([[a, a + n + 1], [a + 1, a + n]]);
            }
        }
    }
    Adjacency::from_edges((n * n) as usize, &edges)
}

fn random_graph(n: u32, m: usize, mut seed: u64) -> Adjacency {
    let mut next = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as u32 % n
    };
    let edges: Vec<_> = (0..m).map(|_| [next(), next()]).collect();
    Adjacency::from_edges(n as usize, &edges)
}

#[test]
fn neighbor_lists_are_sorted_symmetric_and_without_loops_or_repeats() {
    let g = Adjacency::from_edges(4, &[[2, 0], [0, 2], [1, 1], [0, 1], [2, 1], [0, 2]]);
    assert_eq!(g.neighbors(0), [1, 2]);
    assert_eq!(g.neighbors(1), [0, 2]);
    assert_eq!(g.neighbors(2), [0, 1]);
    assert!(g.neighbors(3).is_empty());
    assert_eq!((g.node_count(), g.entry_count()), (4, 6));
}

#[test]
fn a_rebuilt_graph_equals_a_fresh_one_of_another_size() {
    let mut g = random_graph(100, 400, 1);
    g.rebuild(3, &[[0, 1]]);
    let fresh = Adjacency::from_edges(3, &[[0, 1]]);
    assert_eq!(g.node_count(), 3);
    (0..3).for_each(|i| assert_eq!(g.neighbors(i), fresh.neighbors(i)));
}

#[test]
fn both_colorings_are_proper_on_grids_and_random_graphs() {
    for g in [king_grid(17), random_graph(300, 1500, 7), random_graph(50, 900, 3)] {
        is_proper(&g, &greedy_coloring(&g));
        is_proper(&g, &static_coloring(&g));
    }
}

#[test]
fn a_grid_of_cliques_gets_near_the_four_colors_that_it_needs() {
    let g = king_grid(40);
    assert!(sizes(&static_coloring(&g)).len() <= 5, "{:?}", sizes(&static_coloring(&g)));
    assert!(sizes(&greedy_coloring(&g)).len() <= 6, "{:?}", sizes(&greedy_coloring(&g)));
}

#[test]
fn isolated_nodes_get_color_zero_and_five_of_them_one_color() {
    let g = Adjacency::from_edges(5, &[]);
    assert_eq!(greedy_coloring(&g), vec![0; 5]);
    assert_eq!(static_coloring(&g), vec![0; 5]);
    assert_eq!(static_coloring(&Adjacency::from_edges(0, &[])), Vec::<u32>::new());
    let with_pair = Adjacency::from_edges(5, &[[1, 3]]);
    let color = static_coloring(&with_pair);
    assert_eq!([color[0], color[2], color[4]], [0; 3]);
    assert_ne!(color[1], color[3]);
}

#[test]
fn balancing_evens_sizes_without_a_new_color() {
    // A star of 30 around node 0, and 30 loose pairs, all colored low first.
    let mut edges: Vec<[u32; 2]> = (1..31).map(|i| [0, i]).collect();
    edges.extend((0..30).map(|i| [31 + 2 * i, 32 + 2 * i]));
    edges.push([1, 2]);
    let g = Adjacency::from_edges(91, &edges);
    let mut color = greedy_coloring(&g);
    let before = sizes(&color);
    balance(&g, &mut color);
    is_proper(&g, &color);
    let after = sizes(&color);
    assert_eq!(before.len(), after.len());
    let spread = |s: &[usize]| s.iter().max().unwrap() - s.iter().min().unwrap();
    assert!(spread(&after) <= 2 && spread(&before) > 20, "{before:?} -> {after:?}");
}

#[test]
fn colors_do_not_depend_on_the_order_of_edges_or_on_the_run() {
    let edges: Vec<[u32; 2]> = (0..400).map(|i| [i * 7 % 101, i * 13 % 89]).collect();
    let reversed: Vec<[u32; 2]> = edges.iter().rev().map(|&[a, b]| [b, a]).collect();
    let color = static_coloring(&Adjacency::from_edges(101, &edges));
    assert_eq!(color, static_coloring(&Adjacency::from_edges(101, &reversed)));
    let greedy = greedy_coloring(&Adjacency::from_edges(101, &edges));
    let (mut scratch, mut again) = (GreedyScratch::default(), vec![9; 3]);
    greedy_coloring_into(&random_graph(500, 3000, 5), &mut scratch, &mut again);
    greedy_coloring_into(&Adjacency::from_edges(101, &reversed), &mut scratch, &mut again);
    assert_eq!(greedy, again);
}

#[test]
fn a_static_coloring_never_has_more_colors_than_the_greedy_one() {
    for g in [king_grid(31), random_graph(400, 2500, 11), random_graph(90, 300, 2)] {
        assert!(sizes(&static_coloring(&g)).len() <= sizes(&greedy_coloring(&g)).len());
    }
}
