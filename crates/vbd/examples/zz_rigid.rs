use coact_math::*;
use coact_model::*;
use coact_solver::*;
use coact_vbd::*;
fn ground(b: &mut ModelBuilder, tilt: f64) {
    b.add_shape(ShapeDef { geometry: Geometry::Plane, pose: Pose::new(Vec3::zeros(), Quat::from_axis_angle(&Vec3::y_axis(), tilt)), ..Default::default() });
}
fn cube(b: &mut ModelBuilder, p: Vec3, q: Quat, half: Vec3, mass: f64) -> BodyId {
    let i = Mat3::from_diagonal(&Vec3::new(half.y.powi(2)+half.z.powi(2), half.x.powi(2)+half.z.powi(2), half.x.powi(2)+half.y.powi(2))) * (mass / 3.0);
    let id = b.add_body(BodyDef { pose: Pose::new(p, q), mass: BodyMass::Given { mass, com: Vec3::zeros(), inertia: i }, ..Default::default() });
    b.add_shape(ShapeDef { body: Some(id), geometry: Geometry::Box { half_extents: half }, density: 0.0, ..Default::default() });
    id
}
struct Sim { s: SolverVbd, m: Model, st: State, r: StepReport }
impl Sim {
    fn new(b: ModelBuilder, c: VbdConfig) -> Self {
        let m = b.finalize().unwrap();
        let s = SolverVbd::new(&ModelView::whole(&m), c).unwrap();
        Self { s, st: m.state(), m, r: StepReport::default() }
    }
    fn step(&mut self, h: f64) {
        let c = self.m.control();
        let f = Forces::zeros(0, self.m.body_count());
        let input = StepInput { control: &c, forces: &f, contacts: None };
        self.s.step(&input, h, &mut self.r).unwrap();
        self.s.store(StateFields::all(), &mut self.st);
    }
}
fn config() -> VbdConfig { VbdConfig { threads: Some(1), ..Default::default() } }
fn main() {
    let which: Vec<String> = std::env::args().skip(1).collect();
    let on = |n: &str| which.is_empty() || which.iter().any(|w| w == n);
    more(&on);
    if on("stack") {
        for (n, h) in [(10, 1.0/120.0), (10, 1.0/60.0), (10, 1.0/240.0)] {
            let mut b = ModelBuilder::new(); ground(&mut b, 0.0);
            for i in 0..n { cube(&mut b, Vec3::new(0.,0.,0.1+0.2*i as f64), Quat::identity(), Vec3::repeat(0.1), 1.0); }
            let mut s = Sim::new(b, config());
            let mut worst: f64 = 0.0;
            let t = std::time::Instant::now();
            let steps = (10.0/h) as usize;
            for _ in 0..steps { s.step(h); for i in 0..n { worst = worst.max((s.st.body_q[i].p - Vec3::new(0.,0.,0.1+0.2*i as f64)).norm()); } }
            println!("stack {n} h {h:.5}: worst {worst:.2e} v {:.1e} residual {:.1e} us/step {:.1}", s.st.body_qd[n-1].lin.norm(), s.r.residual_last.max, t.elapsed().as_secs_f64()*1e6/steps as f64);
        }
    }
    if on("heavy") {
        for h in [1.0/60.0, 1.0/120.0, 1.0/240.0] {
            let mut b = ModelBuilder::new(); ground(&mut b, 0.0);
            cube(&mut b, Vec3::new(0.,0.,0.1), Quat::identity(), Vec3::repeat(0.1), 1.0);
            cube(&mut b, Vec3::new(0.,0.,0.3), Quat::identity(), Vec3::repeat(0.1), 1000.0);
            let mut s = Sim::new(b, config());
            let mut worst: f64 = 0.0;
            for _ in 0..(10.0/h) as usize { s.step(h); for i in 0..2 { worst = worst.max((s.st.body_q[i].p - Vec3::new(0.,0.,0.1+0.2*i as f64)).norm()); } }
            println!("heavy h {h:.5}: worst {worst:.2e} v {:.1e}", s.st.body_qd[1].lin.norm());
        }
    }
    if on("slabs") {
        for h in [1.0/60.0, 1.0/120.0, 1.0/240.0] {
            let mut b = ModelBuilder::new(); ground(&mut b, 0.0);
            for i in 0..11 { cube(&mut b, Vec3::new(0.,0.,0.05+0.1*i as f64), Quat::identity(), Vec3::new(0.5,0.5,0.05), 100.0); }
            let mut s = Sim::new(b, config());
            let mut worst: f64 = 0.0;
            for _ in 0..(3.0/h) as usize { s.step(h); for i in 0..11 { worst = worst.max((s.st.body_q[i].p - Vec3::new(0.,0.,0.05+0.1*i as f64)).norm()); } }
            println!("slabs h {h:.5}: worst {worst:.2e}");
        }
    }
    if on("slope") {
        for deg in [10.0f64, 26.0, 27.0, 35.0] { for h in [1.0/60.0, 1.0/240.0, 1.0/1000.0] {
            let a = deg.to_radians();
            let q = Quat::from_axis_angle(&Vec3::y_axis(), a);
            let mut b = ModelBuilder::new(); ground(&mut b, a);
            cube(&mut b, q * Vec3::new(0.,0.,0.1), q, Vec3::repeat(0.1), 1.0);
            let mut s = Sim::new(b, config());
            let x0 = s.st.body_q[0].p;
            let mut x4 = x0; let (mut v1, mut v2) = (0.0, 0.0);
            for k in 0..(5.0/h) as usize { s.step(h); if k == (4.0/h) as usize { x4 = s.st.body_q[0].p; v1 = s.st.body_qd[0].lin.norm(); } }
            v2 += s.st.body_qd[0].lin.norm();
            let acc = (v2 - v1) / 1.0;
            let want = 9.81 * (a.sin() - 0.5 * a.cos());
            println!("slope {deg} h {h:.5}: moved {:.2e} in 5 s, creep {:.1e} m/s, acc ratio {:.5}", (s.st.body_q[0].p - x0).norm(), (s.st.body_q[0].p - x4).norm(), acc / want);
        }}
    }
    if on("roll") {
        for deg in [10.0f64, 20.0] {
            let a = deg.to_radians();
            let q = Quat::from_axis_angle(&Vec3::y_axis(), a);
            let mut b = ModelBuilder::new(); ground(&mut b, a);
            let (r, hh, rho) = (0.005, 0.145, 1200.0);
            let id = b.add_body(BodyDef { pose: Pose::new(q * Vec3::new(0., 0., r), q * Quat::from_axis_angle(&Vec3::x_axis(), std::f64::consts::FRAC_PI_2)), ..Default::default() });
            b.set_material(MaterialId(0), Material { mu: 0.8, ..Material::default() });
            b.add_shape(ShapeDef { body: Some(id), geometry: Geometry::Capsule { radius: r, half_height: hh }, density: rho, ..Default::default() });
            let mut s = Sim::new(b, config());
            let (m, i) = (s.m.body_mass[0], s.m.body_inertia[0][(2,2)]);
            let h = 1.25e-3; let x0 = s.st.body_q[0].p;
            for _ in 0..320 { s.step(h); }
            let v = s.st.body_qd[0].lin.norm(); let w = s.st.body_qd[0].ang.norm();
            let want = 9.81 * a.sin() / (1.0 + i / (m * r * r));
            let fall = x0.z - s.st.body_q[0].p.z;
            println!("roll {deg}: {:.5}  w r/v {:.6} energy ratio {:.4}", v / 0.4 / want, w*r/v, (0.5*m*v*v+0.5*i*w*w)/(m*9.81*fall));
        }
    }
    if on("chain") {
        for (n, mass, h) in [(50, 10000.0, 1.0/240.0), (50, 10000.0, 1.0/60.0), (50, 0.2, 1.0/240.0), (200, 1e5, 1.0/240.0)] {
            let mut b = ModelBuilder::new();
            let mut prev = None;
            for i in 0..n {
                let l = cube_no_shape(&mut b, Vec3::new(0.05 + 0.1*i as f64, 0., 0.), Vec3::new(0.05, 0.01, 0.01), 0.2);
                b.add_joint(JointDef { x_p: Pose::translation(Vec3::new(if prev.is_none() {0.0} else {0.05},0.,0.)), x_c: Pose::translation(Vec3::new(-0.05,0.,0.)), ..JointDef::new(JointKind::Ball, prev, l) });
                prev = Some(l);
            }
            let e = cube_no_shape(&mut b, Vec3::new(0.1*n as f64 + 0.2, 0., 0.), Vec3::repeat(0.2), mass);
            b.add_joint(JointDef { x_p: Pose::translation(Vec3::new(0.05,0.,0.)), x_c: Pose::translation(Vec3::new(-0.2,0.,0.)), ..JointDef::new(JointKind::Ball, prev, e) });
            let mut s = Sim::new(b, config());
            let energy = |s: &Sim| -> f64 { (0..=n).map(|i| { let m = s.m.body_mass[i]; let v = s.st.body_qd[i]; let q = s.st.body_q[i].q; let w = q.inverse()*v.ang; m*9.81*s.st.body_q[i].p.z + 0.5*m*v.lin.norm_squared() + 0.5*w.dot(&(s.m.body_inertia[i]*w)) }).sum() };
            let (mut worst, mut top) = (0.0f64, 0.0f64);
            let t = std::time::Instant::now();
            let steps = (3.0/h) as usize;
            let mut it = 0;
            for k in 0..steps {
                s.step(h);
                for j in 0..=n { let g = s.s.joint(JointId::new(j)).unwrap().gap; if g > worst { worst = g; it = k; } }
                top = top.max(energy(&s));
            }
            println!("chain {n} end {mass} h {h:.5}: worst gap {worst:.2e} (step {it}) energy max {top:.2e} of {:.2e} end z {:.3} us/step {:.0} res {:.1e}", mass*9.81, s.st.body_q[n].p.z, t.elapsed().as_secs_f64()*1e6/steps as f64, s.r.residual_last.max);
        }
    }
}
fn cube_no_shape(b: &mut ModelBuilder, p: Vec3, half: Vec3, mass: f64) -> BodyId {
    let i = Mat3::from_diagonal(&Vec3::new(half.y.powi(2)+half.z.powi(2), half.x.powi(2)+half.z.powi(2), half.x.powi(2)+half.y.powi(2))) * (mass / 3.0);
    b.add_body(BodyDef { pose: Pose::translation(p), mass: BodyMass::Given { mass, com: Vec3::zeros(), inertia: i }, ..Default::default() })
}
fn ball(b: &mut ModelBuilder, p: Vec3, v: Vec3, r: f64, m: f64) -> BodyId {
    let id = b.add_body(BodyDef { pose: Pose::translation(p), velocity: Spatial::new(v, Vec3::zeros()), mass: BodyMass::Given { mass: m, com: Vec3::zeros(), inertia: Mat3::identity() * (0.4*m*r*r) }, ..Default::default() });
    b.add_shape(ShapeDef { body: Some(id), geometry: Geometry::Sphere { radius: r }, density: 0.0, ..Default::default() });
    id
}
fn more(on: &dyn Fn(&str) -> bool) {
    if on("bounce") {
        for e in [0.0, 0.3, 0.5, 0.8, 1.0] { for h in [1.0/120.0, 1.0/480.0] { for kind in 0..2 {
            let mut b = ModelBuilder::new(); ground(&mut b, 0.0);
            b.set_material(MaterialId(0), Material { restitution: e, ..Material::default() });
            if kind == 0 { ball(&mut b, Vec3::new(0., 0., 1.1), Vec3::zeros(), 0.1, 1.0); } else { cube(&mut b, Vec3::new(0., 0., 1.1), Quat::identity(), Vec3::repeat(0.1), 1.0); }
            let mut s = Sim::new(b, config());
            let (mut before, mut after) = (0.0, 0.0); let mut top: f64 = 0.0;
            for _ in 0..(3.0/h) as usize { let v = s.st.body_qd[0].lin.z; s.step(h); let w = s.st.body_qd[0].lin.z; if after == 0.0 && v < -1.0 && w > v + 1.0 { before = v - 9.81*h; after = w; } if after > 0.0 { top = top.max(s.st.body_q[0].p.z); } }
            println!("bounce e {e} h {h:.5} kind {kind}: {:.4} of exact impact {:.4} top {:.3} (want {:.3}) end w {:.1e}", after / -before, after / (2.0*9.81f64*1.0).sqrt(), top - 0.1, e*e, s.st.body_qd[0].ang.norm());
        }}}
    }
    if on("cradle") {
        let mut b = ModelBuilder::new(); b.gravity = Vec3::zeros();
        b.set_material(MaterialId(0), Material { restitution: 1.0, mu: 0.0, ..Material::default() });
        for i in 0..5 { ball(&mut b, Vec3::new(0.2*i as f64 - if i == 0 { 0.3 } else { 0.0 }, 0., 0.), Vec3::new(if i == 0 { 2.0 } else { 0.0 }, 0., 0.), 0.1, 1.0); }
        let mut s = Sim::new(b, config());
        for _ in 0..60 { s.step(1.0/120.0); }
        println!("cradle: {:?}", (0..5).map(|i| s.st.body_qd[i].lin.x).collect::<Vec<_>>());
    }
    if on("overlap") {
        let mut b = ModelBuilder::new(); ground(&mut b, 0.0);
        for i in 0..3 { cube(&mut b, Vec3::new(0.03*i as f64, 0., 0.05 + 0.12*i as f64), Quat::identity(), Vec3::repeat(0.1), 1.0); }
        let mut s = Sim::new(b, config()); let mut top: f64 = 0.0; let mut v: f64 = 0.0;
        for _ in 0..360 { s.step(1.0/120.0); top = top.max(s.st.body_q[2].p.z); v = v.max(s.st.body_qd[2].lin.norm()); }
        println!("overlap: top z {top:.4} max v {v:.3} end {:?}", (0..3).map(|i| s.st.body_q[i].p).collect::<Vec<_>>());
    }
    if on("bullet") {
        for (v, thick) in [(100.0, 0.0005), (300.0, 0.0005), (30.0, 0.0005)] {
            let mut b = ModelBuilder::new(); b.gravity = Vec3::zeros();
            b.add_shape(ShapeDef { geometry: Geometry::Box { half_extents: Vec3::new(0.5, 0.5, thick) }, ..Default::default() });
            ball(&mut b, Vec3::new(0., 0.1, 0.5), Vec3::new(0., 0., -v), 0.005, 0.004);
            let mut s = Sim::new(b, config());
            for _ in 0..120 { s.step(1.0/120.0); }
            println!("bullet {v}: z {:.5} v {:.2}", s.st.body_q[0].p.z, s.st.body_qd[0].lin.z);
        }
    }
    if on("cards") {
        for h in [1.0/60.0, 1.0/120.0, 1.0/240.0] {
            let mut b = ModelBuilder::new(); ground(&mut b, 0.0);
            b.set_material(MaterialId(0), Material { mu: 0.6, ..Material::default() });
            let (l, w, t) = (0.090, 0.060, 0.001);
            let a = 20f64.to_radians();
            let half = Vec3::new(w/2.0, t/2.0, l/2.0);
            // a leaning pair: bottom edges on the floor, top edges touch
            let lean = |b: &mut ModelBuilder, x: f64, z0: f64| {
                for s in [-1.0, 1.0] {
                    let q = Quat::from_axis_angle(&Vec3::x_axis(), s * a);
                    // lowest corner at z0; inner top corner at y = x
                    let corners = |q: &Quat| { let mut v = vec![]; for i in [-1.0,1.0] { for k in [-1.0,1.0] { v.push(q * Vec3::new(0.0, i*half.y, k*half.z)); } } v };
                    let c = corners(&q);
                    let low = c.iter().map(|p| p.z).fold(f64::MAX, f64::min);
                    let inner = c.iter().map(|p| p.y * s).fold(f64::MAX, f64::min) ;
                    // the card with s=+1 rotates its top towards -y: stands on the +y side
                    cube(b, Vec3::new(0.0, x - inner * s, z0 - low), q, half, 0.002);
                }
            };
            let height = l * a.cos() + t * a.sin();
            let base = l * a.sin();
            lean(&mut b, -base, 0.0); lean(&mut b, base, 0.0);
            cube(&mut b, Vec3::new(0.0, 0.0, height + t/2.0), Quat::identity(), Vec3::new(w/2.0, l/2.0 * 1.2, t/2.0), 0.002);
            lean(&mut b, 0.0, height + t);
            let mut s = Sim::new(b, config());
            let z: Vec<f64> = (0..7).map(|i| s.st.body_q[i].p.z).collect();
            let mut drop: f64 = 0.0; let tm = std::time::Instant::now();
            for _ in 0..(5.0/h) as usize { s.step(h); }
            for i in 0..7 { drop = drop.max((s.st.body_q[i].p.z - z[i]).abs()); }
            println!("cards h {h:.5}: largest change of height {drop:.2e} v {:.1e} us/step {:.0}", (0..7).map(|i| s.st.body_qd[i].lin.norm()).fold(0.0, f64::max), tm.elapsed().as_secs_f64()*1e6/(5.0/h));
        }
    }
    if on("pile") {
        let mut b = ModelBuilder::new(); ground(&mut b, 0.0);
        let mut k = 0u64; let mut r = || { k = k.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407); ((k >> 33) as f64) / 2f64.powi(31) - 0.5 };
        for i in 0..200 { let q = Quat::from_euler_angles(3.0*r(), 3.0*r(), 3.0*r()); cube(&mut b, Vec3::new(0.25*((i%5) as f64)+0.02*r(), 0.25*((i/5%5) as f64)+0.02*r(), 0.3 + 0.3*(i/25) as f64), q, Vec3::new(0.1, 0.08, 0.06), 1.0); }
        let mut s = Sim::new(b, config()); let h = 1.0/120.0; let tm = std::time::Instant::now();
        for k in 0..480 { s.step(h); if k % 60 == 59 { let e: f64 = (0..200).map(|i| 0.5*s.st.body_qd[i].lin.norm_squared()).sum(); let low = (0..200).map(|i| s.st.body_q[i].p.z).fold(f64::MAX, f64::min); let hi = (0..200).map(|i| s.st.body_q[i].p.z).fold(f64::MIN, f64::max); let deep = s.s.body_contacts().map(|c| c.depth).fold(0.0, f64::max); println!("pile t {:.2}: kinetic {e:.2e} low {low:.3} high {hi:.3} deepest {deep:.2e} ms/step {:.2} contacts {}", (k+1) as f64*h, tm.elapsed().as_secs_f64()*1e3/(k+1) as f64, s.s.body_contacts().count()); } }
    }
}
