//! What bounds promise: whatever the particles want, what they get does not intersect.

use super::*;
use crate::self_contact::following::Hold;
use crate::self_contact::limit::Way;
use crate::self_contact::pair::PairKind;
use crate::self_contact::pairs::Stencil;
use coact_model::Material;
use coact_testkit::Random;

const EPS: f64 = 1e-9;

fn soft() -> Material {
    Material { ke: 1.0, kd: 0.0, mu: 0.0, ..Material::default() }
}

/// A vertex `gap` above a triangle, in components of their own or in one.
fn vertex_over_triangle(gap: f64, labels: [u32; 4], clearance: f32) -> (Bounds, Pairs<f64>) {
    let mut bounds = Bounds::new(&labels, 0.85, 0.01, EPS);
    bounds.x_ref = vec![
        Vec3::new(0.0, 0.0, gap),
        Vec3::new(-0.1, -0.1, 0.0),
        Vec3::new(0.1, -0.1, 0.0),
        Vec3::new(0.0, 0.1, 0.0),
    ];
    bounds.set_clearances(Clearances { own: &[clearance; 4], cross: &[clearance; 4] });
    let mut pairs = Pairs::new(4);
    let pair = Stencil { kind: PairKind::VertexTriangle, v: [0, 1, 2, 3], presses: true };
    pairs.build([pair].into_iter(), |_| soft(), |_| 0, |_, _| Vec3::z());
    assert_eq!(bounds.place_planes(&pairs, |_| Vec3::zeros(), |_| true), 0);
    (bounds, pairs)
}

fn free(from: Vec3, to: Vec3) -> Way {
    Way { from, to, apart: 0.0 }
}

/// Where a slot ends that wants to be at `x` while the others are where frames carry them.
fn limited(b: &mut Bounds, slot: usize, x: Vec3) -> Vec3 {
    let here: Vec<Vec3> = (0..4).map(|s| b.base(s)).collect();
    b.limit(slot, &free(here[slot], x), |s| here[s]).map_or(x, |c| c.x)
}

/// Where all end that want to be at `wish`, one after the other, `passes` times over.
fn limited_all(b: &mut Bounds, wish: &[Vec3], passes: usize) -> Vec<Vec3> {
    let mut here: Vec<Vec3> = (0..4).map(|s| b.base(s)).collect();
    for slot in (0..passes).flat_map(|_| 0..4) {
        let from = here[slot];
        here[slot] = b.limit(slot, &free(from, wish[slot]), |s| here[s]).map_or(wish[slot], |c| c.x);
    }
    here
}

#[test]
fn two_sides_that_rush_at_each_other_stay_apart() {
    let mut rng = Random::new(31);
    for k in 0..500 {
        let labels = if k % 2 == 0 { [0, 0, 0, 0] } else { [0, 1, 1, 1] };
        let (mut b, _) = vertex_over_triangle(0.02, labels, 0.5);
        let wish: Vec<Vec3> = b.x_ref.iter().map(|x| x + rng.vector(0.3)).collect();
        b.fit_frames(|s| wish[s], |_| Hold::Free);
        let got = limited_all(&mut b, &wish, 1 + k % 3);
        assert!((0..4).all(|s| b.holds(s, &got[s])));
        let x = [got[0], got[1], got[2], got[3]];
        let gap = find_separator(PairKind::VertexTriangle, &x, 0.0, 0.0).map_or(-1.0, |s| s.gap());
        assert!(gap >= 0.15 * 0.02 - 1e-6, "case {k}: {gap}");
    }
}

/// A gap that shrank by a factor at every detection would be lost in rounding.
#[test]
fn a_gap_never_falls_below_a_thousandth_of_the_margin() {
    let mut gap = 0.02;
    for _ in 0..40 {
        let (mut b, _) = vertex_over_triangle(gap, [0, 0, 0, 0], 0.5);
        let mut wish = b.x_ref.clone();
        wish[0].z -= 0.1;
        wish[1..].iter_mut().for_each(|x| x.z += 0.1);
        let got = limited_all(&mut b, &wish, 1);
        gap = got[0].z - got[1].z;
    }
    assert!((1e-5 - 2.0 * EPS..2e-5).contains(&gap), "{gap}");
}

#[test]
fn sliding_along_a_plane_passes_and_pressing_does_not_stop_it() {
    let (mut b, _) = vertex_over_triangle(0.01, [0, 0, 0, 0], 0.5);
    let slide = b.x_ref[0] + Vec3::new(0.05, -0.02, 0.0);
    assert!(b.holds(0, &slide));
    let pressed = limited(&mut b, 0, slide - Vec3::z() * 0.03);
    assert!((pressed - slide).xy().norm() < 1e-12 && pressed.z > 0.15 * 0.01, "{pressed:?}");
}

#[test]
fn what_moves_rigidly_is_not_cut() {
    let (mut b, _) = vertex_over_triangle(0.01, [0, 0, 0, 0], 0.02);
    let motion = Frame::new(Vec3::new(0.3, 0.1, 0.0), Vec3::new(0.1, -5.0, -3.0), Vec3::new(0.0, 0.2, 0.0));
    let wish: Vec<Vec3> = b.x_ref.iter().map(|x| motion.place(x)).collect();
    assert!((0..4).all(|s| !b.holds(s, &wish[s])));
    b.fit_frames(|s| wish[s], |_| Hold::Free);
    for (s, x) in wish.iter().enumerate() {
        assert!((limited(&mut b, s, *x) - x).norm() < 1e-3, "{s}");
    }
}

/// A pinned vertex holds its component's frame, so that its neighbours keep their distance.
#[test]
fn a_vertex_that_does_not_move_stays_within_its_bounds() {
    let (mut b, _) = vertex_over_triangle(0.01, [0, 0, 0, 0], 0.02);
    let wish: Vec<Vec3> =
        b.x_ref.iter().enumerate().map(|(s, x)| if s == 1 { *x } else { x - Vec3::z() }).collect();
    b.fit_frames(|s| wish[s], |s| if s == 1 { Hold::Fixed } else { Hold::Free });
    assert!(b.holds(1, &wish[1]));
    let moved = limited(&mut b, 2, wish[2]) - b.x_ref[2];
    assert!(moved.norm() <= 2.0 * 0.425 * 0.02, "{moved:?}");
}

/// Something under a vertex stopped it: the rest of its component falls on, as far as bounds let it,
/// and does not take the vertex along.
#[test]
fn what_is_held_back_is_not_carried_along() {
    let (mut b, _) = vertex_over_triangle(0.01, [0, 0, 0, 0], 0.02);
    let wish: Vec<Vec3> =
        b.x_ref.iter().enumerate().map(|(s, x)| if s == 1 { *x } else { x - Vec3::z() }).collect();
    b.fit_frames(|s| wish[s], |_| Hold::Free);
    assert!((limited(&mut b, 1, wish[1]) - wish[1]).norm() > 0.1, "a frame carries what is free");
    b.fit_frames(|s| wish[s], |s| if s == 1 { Hold::Held } else { Hold::Free });
    assert!((limited(&mut b, 1, wish[1]) - wish[1]).norm() < 1e-12);
    assert!((limited(&mut b, 2, wish[2]) - b.x_ref[2]).norm() > 1e-3);
}

/// Two components side by side share the common frame; one that stands still holds it.
#[test]
fn components_that_fall_together_are_not_cut_and_one_falls_as_far_as_its_distance_to_one_that_stands() {
    let labels = [0, 1, 1, 1];
    let (mut b, _) = vertex_over_triangle(0.3, labels, 0.1);
    let fall: Vec<Vec3> = b.x_ref.iter().map(|x| x - Vec3::z() * 2.0).collect();
    b.fit_frames(|s| fall[s], |_| Hold::Free);
    assert!((0..4).all(|s| (limited(&mut b, s, fall[s]) - fall[s]).norm() < 1e-9));
    let (mut b, _) = vertex_over_triangle(0.3, labels, 0.1);
    let wish = |s: usize| if s == 0 { b_ref(0.3) - Vec3::z() * 2.0 } else { b_ref_triangle(s) };
    b.fit_frames(wish, |s| if s == 0 { Hold::Free } else { Hold::Fixed });
    let fallen = 0.3 - limited(&mut b, 0, wish(0)).z;
    assert!(fallen > 0.02 && fallen <= 2.0 * 0.425 * 0.1 + 1e-9, "{fallen}");
    assert!((1..4).all(|s| b.holds(s, &wish(s))));
}

fn b_ref(gap: f64) -> Vec3 {
    Vec3::new(0.0, 0.0, gap)
}

fn b_ref_triangle(s: usize) -> Vec3 {
    [Vec3::new(-0.1, -0.1, 0.0), Vec3::new(0.1, -0.1, 0.0), Vec3::new(0.0, 0.1, 0.0)][s - 1]
}

/// The sides may go anywhere together: the plane between them goes along.
#[test]
fn a_pair_that_moves_as_one_is_not_held_by_its_plane() {
    for labels in [[0, 0, 0, 0], [0, 1, 1, 1]] {
        let (mut b, _) = vertex_over_triangle(1e-3, labels, 0.5);
        let wish: Vec<Vec3> = b.x_ref.iter().map(|x| x - Vec3::z() * 0.05).collect();
        // no frame follows, so that all is left to the plane
        let once = limited_all(&mut b, &wish, 1);
        assert!(once[0].z > wish[0].z, "the vertex goes first and waits for the triangle");
        let got = limited_all(&mut vertex_over_triangle(1e-3, labels, 0.5).0, &wish, 40);
        assert!(got.iter().zip(&wish).all(|(x, w)| (x - w).norm() < 1e-9), "{got:?}");
    }
}

/// What is prescribed goes on only as near as `apart`, and its plane gives way no further.
#[test]
fn one_that_pushes_stays_apart_and_goes_where_there_is_room() {
    for gap in [0.02, 2e-3] {
        let (mut b, _) = vertex_over_triangle(gap, [0, 1, 1, 1], 0.5);
        let here: Vec<Vec3> = (0..4).map(|s| b.base(s)).collect();
        let depth = |b: &Bounds, x: &Vec3| {
            b.half_spaces_of(0).map(|h| b.place(0, x).depth(&h)).fold(f64::INFINITY, f64::min)
        };
        let (before, apart) = (depth(&b, &here[0]), 2e-3);
        let way = Way { from: here[0], to: here[0] - Vec3::z() * 0.05, apart };
        let cut = b.limit(0, &way, |s| here[s]).unwrap();
        assert!(b.holds(0, &cut.x) && (1..4).all(|s| b.holds(s, &here[s])));
        let after = depth(&b, &cut.x);
        assert!(after >= apart.min(before) - EPS, "{after} of {before}");
        assert!(gap < 0.01 || cut.x.z < 0.6 * gap, "it did not go: {}", cut.x.z);
        let up = Way { to: here[0] + Vec3::z() * 0.05, ..way };
        assert_eq!(b.limit(0, &up, |s| here[s]), None);
    }
}
