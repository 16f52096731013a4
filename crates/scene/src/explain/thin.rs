//! Meshes that are too fine for the thickness of their self-contact.

use coact_math::Vec3;
use coact_model::Model;

use crate::file::Entry;
use crate::resolve::Scene;

/// The shortest of edges or of heights, and how many are below the margin.
#[derive(Clone, Copy, Debug)]
struct Count {
    least: f64,
    below: usize,
}

impl Scene {
    /// One line per solver and group whose triangles have edges or heights below the margin: there
    /// neighbours press on each other as soon as they are bent.
    pub(super) fn thickness_warnings(&self, model: &Model) -> Vec<String> {
        let margin = |e: &Entry| match e {
            Entry::Vbd(v) => v.self_contact.as_ref().map(|s| s.margin),
            Entry::Articulated(_) | Entry::Rod(_) => None,
        };
        let mut all = Vec::new();
        for (name, margin) in self.file.solvers.iter().filter_map(|e| Some((e.name(), margin(e)?))) {
            for group in &model.names.groups {
                let x = |p: &u32| model.particle_q[*p as usize];
                let edges = count(edges_of(&group.surface).iter().map(|[a, b]| (x(b) - x(a)).norm()), margin);
                let heights = count(group.surface.iter().map(|t| height(t.each_ref().map(x))), margin);
                if edges.below + heights.below > 0 {
                    all.push(format!(
                        "{name}: self_contact.margin is {margin} m, and `{}` has {} edges shorter (the \
                         shortest: {:.3e} m) and {} triangles narrower (the narrowest: {:.3e} m): what lies \
                         that near in the mesh presses on itself when it bends; write a smaller margin, or a \
                         coarser mesh",
                        group.name, edges.below, edges.least, heights.below, heights.least
                    ));
                }
            }
        }
        all
    }
}

/// Each edge once.
fn edges_of(triangles: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let sides = |&[a, b, c]: &[u32; 3]| [[a, b], [b, c], [c, a]];
    let mut edges: Vec<[u32; 2]> =
        triangles.iter().flat_map(sides).map(|[a, b]| [a.min(b), a.max(b)]).collect();
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// Over the longest side.
fn height([a, b, c]: [Vec3; 3]) -> f64 {
    let longest = (b - a).norm().max((c - b).norm()).max((a - c).norm());
    (b - a).cross(&(c - a)).norm() / longest
}

fn count(lengths: impl Iterator<Item = f64>, margin: f64) -> Count {
    let start = Count { least: f64::INFINITY, below: 0 };
    lengths.fold(start, |c, length| Count {
        least: c.least.min(length),
        below: c.below + usize::from(length < margin),
    })
}
