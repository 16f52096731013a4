//! Load cells: what joints and contacts carried, per frame, as CSV. `docs/run-folder.md` describes
//! every column.
//!
//! Contacts are summed by pair: two shapes, or a shape and a group of particles. A sum is a force and
//! its torque about the centre of pressure, the mean of the points weighted by normal forces.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use coact_math::{Spatial, Vec3};
use coact_model::{Model, ParticleId};
use coact_solver::{ContactLoad, Loads, ParticleContactLoad};

use crate::csv::{Csv, Number, Row, quoted};
use crate::error::Result;
use crate::sink::Sink;

/// Whose loads are written, with their names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoadCells {
    /// Names of the joints that are written; `None` = not written. Shape: \[joint_count\].
    joints: Vec<Option<String>>,
    shapes: Vec<Touching>,
    groups: Vec<Touching>,
    /// Particles of each group.
    particles: Vec<Range<u32>>,
}

/// Something that touches others.
#[derive(Clone, Debug, PartialEq)]
struct Touching {
    name: String,
    /// Whether all its contacts are written.
    chosen: bool,
}

impl LoadCells {
    /// Of some joints, shapes and groups of particles of a model, by index.
    pub fn new(model: &Model, joints: &[usize], shapes: &[usize], groups: &[usize]) -> Self {
        let names = &model.names;
        let touching = |(name, chosen): (String, bool)| Touching { name, chosen };
        let shape_names = (0..model.shape_count()).map(|s| named(&names.shapes, s, "shape"));
        let group_names = names.groups.iter().map(|g| g.name.clone());
        let joint = |(j, chosen): (usize, bool)| chosen.then(|| named(&names.joints, j, "joint"));
        Self {
            joints: marked(joints, model.joint_count()).into_iter().enumerate().map(joint).collect(),
            shapes: shape_names.zip(marked(shapes, model.shape_count())).map(touching).collect(),
            groups: group_names.zip(marked(groups, names.groups.len())).map(touching).collect(),
            particles: names.groups.iter().map(|g| g.particles.clone()).collect(),
        }
    }

    /// Whether any joint is written.
    pub fn has_joints(&self) -> bool {
        self.joints.iter().any(Option::is_some)
    }

    /// Whether any contact is written.
    pub fn has_contacts(&self) -> bool {
        self.shapes.iter().chain(&self.groups).any(|t| t.chosen)
    }

    fn touching(&self, partner: Partner) -> &Touching {
        match partner {
            Partner::Shape(s) => &self.shapes[s],
            Partner::Group(g) => &self.groups[g],
        }
    }

    fn group_of(&self, particle: ParticleId) -> Option<usize> {
        let before = self.particles.partition_point(|r| r.end <= particle.0);
        self.particles.get(before).is_some_and(|r| r.contains(&particle.0)).then_some(before)
    }
}

fn marked(chosen: &[usize], count: usize) -> Vec<bool> {
    let mut marks = vec![false; count];
    chosen.iter().for_each(|&i| marks[i] = true);
    marks
}

fn named(names: &[String], i: usize, kind: &str) -> String {
    names.get(i).filter(|n| !n.is_empty()).cloned().unwrap_or_else(|| format!("{kind} {i}"))
}

/// `joints.csv`: one row per frame and joint.
pub struct JointTable {
    csv: Csv,
    names: Vec<Option<String>>,
    at: (u64, f64),
}

impl JointTable {
    /// With its heading.
    ///
    /// # Errors
    /// When the file cannot be created.
    pub fn create(path: &Path, cells: &LoadCells) -> Result<Self> {
        let heading = "step,time,joint,fx,fy,fz,tx,ty,tz,x,y,z,gap,angle";
        Ok(Self { csv: Csv::create(path, heading)?, names: cells.joints.clone(), at: (0, 0.0) })
    }
}

impl Sink for JointTable {
    fn begin_frame(&mut self, step: u64, time: f64) -> Result<()> {
        self.at = (step, time);
        Ok(())
    }

    fn loads(&mut self, loads: &Loads) -> Result<()> {
        let (step, time) = self.at;
        for l in &loads.joints {
            let Some(name) = &self.names[l.joint.index()] else { continue };
            self.csv.line(format_args!(
                "{step},{},{},{},{},{},{}",
                Number(time),
                quoted(name),
                Row(l.wrench.lin.as_slice()),
                Row(l.wrench.ang.as_slice()),
                Row(l.point.as_slice()),
                Row(&[l.gap, l.angle]),
            ))?;
        }
        Ok(())
    }

    fn end_frame(&mut self) -> Result<()> {
        self.csv.flush()
    }
}

/// The second of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Partner {
    Shape(usize),
    Group(usize),
}

/// Contacts of a pair, summed; forces are those on the second.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    points: usize,
    normal: Vec3,
    friction: Vec3,
    /// Of all forces and torques, about the origin.
    moment: Vec3,
    /// Points, and points weighted by normal forces.
    middle: Vec3,
    pressed: Vec3,
    pressure: f64,
    depth: f64,
}

impl Sum {
    fn add(&mut self, point: &Vec3, pushes: [Vec3; 2], torque: &Vec3, depth: f64) {
        let [normal, friction] = pushes;
        self.points += 1;
        self.normal += normal;
        self.friction += friction;
        self.moment += torque + point.cross(&(normal + friction));
        self.middle += point;
        self.pressed += point * normal.norm();
        self.pressure += normal.norm();
        self.depth = self.depth.max(depth);
    }

    fn centre(&self) -> Vec3 {
        if self.pressure > 0.0 { self.pressed / self.pressure } else { self.middle / self.points as f64 }
    }

    /// The force, and its torque about the centre of pressure.
    fn wrench(&self) -> Spatial {
        let force = self.normal + self.friction;
        Spatial::new(force, self.moment - self.centre().cross(&force))
    }
}

/// `contacts.csv`: one row per frame and pair that touches.
pub struct ContactTable {
    csv: Csv,
    cells: LoadCells,
    pairs: BTreeMap<(usize, Partner), Sum>,
    at: (u64, f64),
}

impl ContactTable {
    /// With its heading.
    ///
    /// # Errors
    /// When the file cannot be created.
    pub fn create(path: &Path, cells: LoadCells) -> Result<Self> {
        let heading = "step,time,first,second,points,x,y,z,normal_x,normal_y,normal_z,\
                       friction_x,friction_y,friction_z,torque_x,torque_y,torque_z,depth";
        Ok(Self { csv: Csv::create(path, heading)?, cells, pairs: BTreeMap::new(), at: (0, 0.0) })
    }

    fn pair(&mut self, first: usize, second: Partner) -> Option<&mut Sum> {
        let chosen = self.cells.shapes[first].chosen || self.cells.touching(second).chosen;
        chosen.then(|| self.pairs.entry((first, second)).or_default())
    }

    /// The lower id first.
    fn add_shapes(&mut self, c: &ContactLoad) {
        let [a, b] = c.shapes.map(|s| s.index());
        let sign = if a <= b { 1.0 } else { -1.0 };
        let pushes = [c.normal * (c.normal_force * sign), c.friction * sign];
        if let Some(sum) = self.pair(a.min(b), Partner::Shape(a.max(b))) {
            sum.add(&c.point, pushes, &(c.torque * sign), c.depth);
        }
    }

    fn add_particle(&mut self, c: &ParticleContactLoad) {
        let Some(group) = self.cells.group_of(c.particle) else { return };
        if let Some(sum) = self.pair(c.shape.index(), Partner::Group(group)) {
            sum.add(&c.point, [c.normal * c.normal_force, c.friction], &Vec3::zeros(), c.depth);
        }
    }
}

impl Sink for ContactTable {
    fn begin_frame(&mut self, step: u64, time: f64) -> Result<()> {
        self.at = (step, time);
        Ok(())
    }

    fn loads(&mut self, loads: &Loads) -> Result<()> {
        self.pairs.clear();
        loads.contacts.iter().for_each(|c| self.add_shapes(c));
        loads.particles.iter().for_each(|c| self.add_particle(c));
        let (step, time) = self.at;
        for ((first, second), sum) in &self.pairs {
            self.csv.line(format_args!(
                "{step},{},{},{},{},{},{},{},{},{}",
                Number(time),
                quoted(&self.cells.shapes[*first].name),
                quoted(&self.cells.touching(*second).name),
                sum.points,
                Row(sum.centre().as_slice()),
                Row(sum.normal.as_slice()),
                Row(sum.friction.as_slice()),
                Row(sum.wrench().ang.as_slice()),
                Number(sum.depth),
            ))?;
        }
        Ok(())
    }

    fn end_frame(&mut self) -> Result<()> {
        self.csv.flush()
    }
}

#[cfg(test)]
mod tests {
    use coact_model::{Group, GroupKind, JointId, Names, ShapeId};
    use coact_solver::JointLoad;

    use super::*;

    fn cells() -> LoadCells {
        let group = Group {
            name: "sheet".into(),
            kind: GroupKind::Cloth,
            particles: 2..5,
            springs: 0..0,
            triangles: 0..0,
            hinges: 0..0,
            tets: 0..0,
            surface: Vec::new(),
        };
        let names = Names {
            joints: vec!["hinge".into(), "other".into()],
            shapes: vec!["floor".into(), "box".into(), String::new()],
            groups: vec![group],
            ..Names::default()
        };
        let model = Model {
            joint_kind: vec![coact_model::JointKind::Fixed; 2].into(),
            shape_body: vec![None; 3].into(),
            shape_geometry: vec![coact_model::Geometry::Plane; 3].into(),
            names: names.into(),
            ..Model::default()
        };
        LoadCells::new(&model, &[0], &[0], &[])
    }

    fn contact(shapes: [u32; 2], point: Vec3, force: f64) -> ContactLoad {
        ContactLoad {
            shapes: shapes.map(ShapeId),
            bodies: [None; 2],
            point,
            normal: Vec3::z(),
            normal_force: force,
            friction: Vec3::x() * 0.5,
            torque: Vec3::zeros(),
            depth: 1e-3,
        }
    }

    fn rows(path: &Path) -> Vec<Vec<String>> {
        let text = std::fs::read_to_string(path).unwrap();
        text.lines().map(|l| l.split(',').map(str::to_owned).collect()).collect()
    }

    #[test]
    fn joints_that_are_chosen_have_rows_that_match_their_heading() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("j.csv");
        let mut table = JointTable::create(&path, &cells()).unwrap();
        let load = |j: usize| JointLoad {
            wrench: Spatial::new(Vec3::new(1.0, 2.0, 3.0), Vec3::new(4.0, 5.0, 6.0)),
            gap: 1e-9,
            ..JointLoad::none(JointId::new(j))
        };
        table.begin_frame(7, 0.5).unwrap();
        table.loads(&Loads { joints: vec![load(0), load(1)], ..Loads::default() }).unwrap();
        table.end_frame().unwrap();
        let rows = rows(&path);
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[1], ["7", "0.5", "hinge", "1", "2", "3", "4", "5", "6", "0", "0", "0", "1e-9", "0"]);
        assert_eq!(rows[0].len(), rows[1].len());
    }

    /// Two points of a pair, one of them told the other way round, and a pair that nobody chose.
    #[test]
    fn contacts_are_summed_by_pair_about_the_centre_of_pressure() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("c.csv");
        let mut table = ContactTable::create(&path, cells()).unwrap();
        let mut turned = contact([1, 0], Vec3::new(4.0, 0.0, 0.0), 3.0);
        (turned.normal, turned.friction) = (-turned.normal, -turned.friction);
        let contacts = vec![contact([0, 1], Vec3::zeros(), 1.0), turned, contact([1, 2], Vec3::zeros(), 9.0)];
        let particle = ParticleContactLoad {
            particle: ParticleId(3),
            shape: ShapeId(0),
            body: None,
            point: Vec3::y(),
            normal: Vec3::z(),
            normal_force: 2.0,
            friction: Vec3::zeros(),
            depth: 0.0,
        };
        table.loads(&Loads { contacts, particles: vec![particle], ..Loads::default() }).unwrap();
        table.end_frame().unwrap();
        let rows = rows(&path);
        assert_eq!(rows.len(), 3, "{rows:?}");
        let sum = ["floor", "box", "2", "3", "0", "0", "0", "0", "4", "1", "0", "0", "0", "0", "0", "0.001"];
        assert_eq!(rows[1][2..], sum);
        assert_eq!(rows[2][2..8], ["floor", "sheet", "1", "0", "1", "0"]);
        assert_eq!((rows[0].len(), rows[2].len()), (rows[1].len(), rows[1].len()));
    }
}
