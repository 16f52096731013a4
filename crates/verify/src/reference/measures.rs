//! What a chaotic record is compared by: mean height, extent, and the least distance of
//! surfaces that meet each other.
//!
//! An extent is taken relative to itself, one that is thinner than a few margins and the mean relative
//! to the largest, the least distance relative to itself.

use coact_collide::self_contact::{
    Filter, Query, SelfContactDetector, Surface, closest_edge_edge, closest_vertex_triangle,
};
use coact_math::{V3, Vec3};
use coact_model::Model;

use super::case::Variant;

/// Pairs are searched up to this many times margin + gap: beyond it nothing is about to meet.
const SEARCH: f64 = 2.0;

/// Extents below this times margin + gap are thicknesses of what is flat, or zero.
const THIN: f64 = 3.0;

/// What is compared of one set of positions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measures {
    /// Mean of each coordinate \[m\].
    mean: Vec3,
    /// Size along each axis \[m\].
    extent: Vec3,
    /// Least distance of a vertex–triangle or edge–edge pair \[m\].
    least: Option<f64>,
}

impl Measures {
    /// Largest relative deviation of the measures of `ours` from those of `theirs`.
    pub fn deviation(variant: &Variant, model: &Model, ours: &[Vec3], theirs: &[Vec3]) -> f64 {
        let [a, b] = [ours, theirs].map(|x| Self::of(variant, model, x));
        let thin = THIN * reach(variant).unwrap_or(0.0);
        let scale = b.extent.map(|e| if e > thin && e > 0.0 { e } else { b.extent.amax() });
        let extents = (a.extent - b.extent).component_div(&scale);
        let lengths = ((a.mean - b.mean).amax() / b.extent.amax()).max(extents.amax());
        let least = match (a.least, b.least) {
            (Some(a), Some(b)) => (a - b).abs() / b,
            (None, None) => 0.0,
            // one of them is beyond the search
            (Some(_), None) | (None, Some(_)) => 1.0,
        };
        if lengths.is_nan() || least.is_nan() { f64::INFINITY } else { lengths.max(least) }
    }

    fn of(variant: &Variant, model: &Model, x: &[Vec3]) -> Self {
        let fold = |f: fn(f64, f64) -> f64| x.iter().skip(1).fold(x[0], |a, b| a.zip_map(b, f));
        Self {
            mean: x.iter().sum::<Vec3>() / x.len() as f64,
            extent: fold(f64::max) - fold(f64::min),
            least: reach(variant).and_then(|r| least_distance(model, x, SEARCH * r)),
        }
    }
}

/// Margin + gap of self-contact, where it is on \[m\].
fn reach(variant: &Variant) -> Option<f64> {
    let solver =
        variant.object().get("solver").filter(|s| s.raw()["particle_enable_self_contact"] == true)?;
    let number = |key: &str| solver.number(key);
    let margin = number("particle_self_contact_margin")?;
    Some(margin + number("particle_self_contact_gap").unwrap_or(0.0))
}

fn least_distance(model: &Model, x: &[Vec3], radius: f64) -> Option<f64> {
    let triangles: Vec<[u32; 3]> = model.tri_indices.iter().map(|t| t.map(|p| p.0)).collect();
    let mut d = SelfContactDetector::new(Surface::new(&triangles, &[], x, Filter::default()), x);
    d.detect(x, Query { radius, clearance_radius: radius });
    let at = |i: u32| V3::<f64>::from_host(&x[i as usize]);
    let triangle =
        |&[v, t]: &[u32; 2]| closest_vertex_triangle(at(v), d.surface().triangles()[t as usize].map(at)).1;
    let ends = |e: u32| d.surface().edges()[e as usize].map(at);
    let edges = |&[e, f]: &[u32; 2]| closest_edge_edge(ends(e), ends(f)).2;
    let all = d.vertex_triangle().iter().map(triangle).chain(d.edge_edge().iter().map(edges));
    all.map(|w| w.norm()).min_by(f64::total_cmp)
}
