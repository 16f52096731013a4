//! The gradient of the small system against differences of the objective, rows included.

use std::sync::Arc;

use coact_collide::ParticleShapeContact;
use coact_math::{Mat3, Pose, Vec3};
use coact_model::mesh::{Diagonal, cloth_grid};
use coact_model::{
    AttachmentDef, BodyDef, BodyId, BodyMass, ClothDef, Geometry, Model, ModelBuilder, ModelView, ParticleId,
    ShapeDef, ShapeId,
};

use super::*;
use crate::config::{RotationUpdate, VbdConfig, VelocityRule};
use crate::particle::reduced::MODES;
use crate::particle::span::{Gram, SPAN};
use crate::particle::{CpuOptions, ParticleBackend, ParticleForces};
use crate::prepared::Layout;
use crate::proxy::Proxies;

const STEP: f64 = 0.005;
const WAYS: usize = 2;

/// A cloth that hangs from a body by two attachments, one hard, one not, and lies on its ball.
fn model() -> Model {
    let mut b = ModelBuilder::new();
    let mesh = cloth_grid([5, 5], [0.5, 0.5], Diagonal::Alternating);
    b.add_cloth("cloth", &mesh, &ClothDef::default());
    let mass = BodyMass::Given { mass: 0.3, com: Vec3::zeros(), inertia: Mat3::identity() * 1e-3 };
    let body = b.add_body(BodyDef { pose: Pose::translation(Vec3::z() * -0.1), mass, ..BodyDef::default() });
    b.add_shape(ShapeDef {
        body: Some(body),
        geometry: Geometry::Sphere { radius: 0.1 },
        ..ShapeDef::default()
    });
    let at = |p: usize| mesh.vertices[p] + Vec3::z() * 0.1;
    b.add_attachment(AttachmentDef::hard(ParticleId::new(0), body, at(0)));
    b.add_attachment(AttachmentDef {
        ke: 1e3,
        kd: 2.0,
        ..AttachmentDef::hard(ParticleId::new(5), body, at(5))
    });
    b.finalize().unwrap()
}

fn noise(s: usize, k: f64, size: f64) -> V3<f64> {
    let s = s as f64;
    V3::new((1.1 * s + k).sin(), (2.3 * s + 2.0 * k).sin(), (0.7 * s + 3.0 * k).cos()) * size
}

/// Amid a step, with multipliers and two ways.
fn amid() -> (CpuParticles<f64, f64>, Bodies) {
    let model = model();
    let view = ModelView::whole(&model);
    let mut bodies = Bodies::new(&view, RotationUpdate::Exponential, VelocityRule::Correction);
    let proxies = Proxies::new(&view);
    bodies.predict(&Vec3::zeros(), &[], STEP, false, |i, b| proxies.body_end(i, b, STEP));
    let options = CpuOptions::new(&VbdConfig::default());
    let mut p = CpuParticles::<f64, f64>::new(&view, Arc::new(Layout::new(&view)), options);
    p.predict(&ParticleForces { gravity: Vec3::new(30.0, 20.0, -9.81), particle_f: &[], h: STEP });
    let contact = |i: usize| ParticleShapeContact {
        particle: ParticleId::new(i),
        shape: ShapeId(0),
        body: Some(BodyId(0)),
        point: Vec3::new(0.02 * i as f64, 0.0, 0.1),
        normal: Vec3::new(0.01 * i as f64, 0.05, 1.0).normalize(),
        margin: 0.0,
    };
    let contacts: Vec<_> = (10..18).map(contact).collect();
    p.build_rows(&contacts, &model, &bodies);
    p.begin_attachments(&model, &bodies);
    for round in 0..2 {
        for s in 0..p.layout.block_count {
            p.columns.put(s, noise(s, f64::from(round), 1e-3), p.options.velocity);
        }
        p.update_duals();
    }
    let n = p.layout.block_count;
    for (k, way) in p.directions.ways[..WAYS].iter_mut().enumerate() {
        way.d = (0..n).map(|s| noise(s, 7.0 + k as f64, 1.0)).collect();
    }
    (p, bodies)
}

/// Sums of ways where nothing but inertia resists.
fn gram(p: &CpuParticles<f64, f64>) -> Gram {
    let mut g = Gram::default();
    for s in 0..p.layout.block_count {
        let k = p.columns.inertia_exact[s];
        for i in 0..WAYS {
            let way = p.directions.ways[i].d[s];
            g.b[i] -= k * way.dot(p.columns.exact[s]);
            (0..WAYS).for_each(|j| g.A[i][j] += k * way.dot(p.directions.ways[j].d[s]));
        }
    }
    g
}

/// What a step minimises, without elements, where the nodes are.
fn merit(p: &CpuParticles<f64, f64>, bodies: &Bodies, nodes: &[Node]) -> f64 {
    let body = &nodes[1];
    let mut sum = 0.0;
    for a in 0..DIM {
        let along: f64 = body.smooth.A[a].iter().zip(&body.z).map(|(a, z)| a * z).sum();
        sum += body.z[a] * (0.5 * along - body.smooth.b[a]);
    }
    for s in 0..p.layout.block_count {
        let d = p.columns.exact[s] + nodes[0].shift(&p.lever(s, &nodes[0], WAYS));
        sum += 0.5 * p.columns.inertia_exact[s] * d.norm_sq();
        let seen = |(b, arm): (u32, &Vec3)| d - p.body_shift(b, arm, nodes, bodies);
        for i in p.rows.of_slot(s) {
            sum += p.rows.energy(i, &p.law, seen(p.rows.anchor(i)));
        }
        for i in p.attachments.of_slot(s) {
            sum += p.attachments.energy(i, &seen(p.attachments.anchor(i)).to_host(0));
        }
    }
    sum
}

/// Acceptance: along every unknown of both nodes, at several places of the search.
#[test]
fn what_rows_give_is_the_gradient_of_the_objective_along_ways_modes_and_bodies() {
    let (mut p, mut bodies) = amid();
    let mut moved = Vec::new();
    let mut system = System::default();
    p.directions.grams = vec![gram(&p)];
    p.find_rows();
    p.find_centres();
    p.begin_search(
        &mut system,
        WAYS,
        &Movable { bodies: &mut bodies, is_free: &|_| true, moved: &mut moved },
    );
    assert!(system.nodes[0].modes && system.nodes[1].searches());
    let mut pressing = 0;
    for round in 0..4 {
        for k in 0..2 {
            for i in 0..DIM {
                let used = i >= SPAN || (k == 0 && i < WAYS);
                let size = if i < SPAN + MODES / 2 { 1e-3 } else { 3e-3 };
                system.nodes[k].z[i] =
                    if used { size * (1.7 * (i + 10 * k + 5 * round) as f64).sin() } else { 0.0 };
            }
        }
        p.feel_rows(&mut system, WAYS, &bodies);
        let found = system.slopes();
        let nodes = system.nodes.clone();
        pressing += p.summarise_rows().active;
        for (at, found) in found.iter().enumerate() {
            let (k, i) = (at / DIM, at % DIM);
            if i < SPAN && (k == 1 || i >= WAYS) {
                assert_eq!(*found, 0.0);
                continue;
            }
            let at = |by: f64| {
                let mut nodes = nodes.clone();
                nodes[k].z[i] += by;
                merit(&p, &bodies, &nodes)
            };
            let exact = -(at(1e-6) - at(-1e-6)) / 2e-6;
            let size = found.abs().max(1.0);
            assert!((found - exact).abs() < 1e-4 * size, "node {k}, unknown {i}: {found} for {exact}");
        }
    }
    assert!(pressing > 8, "nothing pressed");
}
