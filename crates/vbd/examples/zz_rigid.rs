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
