//! A small reader of reference cases: just what elastic and particle-contact cases need.

#![allow(dead_code)]

pub mod scenes;

use std::path::{Path, PathBuf};

use coact_math::{Mat2, Mat3, Pose, Spatial, Vec3};
use coact_model::{BodyId, Geometry, Material, MaterialId, Model, ParticleId, ShapeFlags};
use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/reference")
}

/// A case with its numbers at hand.
pub struct Case {
    pub json: Value,
    pub name: String,
    bin: Vec<u8>,
}

impl Case {
    pub fn read(name: &str) -> Self {
        let text = std::fs::read_to_string(root().join(format!("scenes/{name}.json"))).unwrap();
        let bin = std::fs::read(root().join(format!("scenes/{name}.bin"))).unwrap_or_default();
        Self { json: serde_json::from_str(&text).unwrap(), name: name.into(), bin }
    }

    pub fn dt(&self) -> f64 {
        self.json["dt"].as_f64().unwrap()
    }

    pub fn record_steps(&self) -> Vec<usize> {
        self.numbers(&self.json["record_steps"]).iter().map(|&s| s as usize).collect()
    }

    pub fn iterations(&self) -> usize {
        self.json["solver"]["iterations"].as_u64().unwrap() as usize
    }

    /// All numbers of a value, in order, wherever they are stored.
    pub fn numbers(&self, v: &Value) -> Vec<f64> {
        match v {
            Value::Array(a) => a.iter().flat_map(|x| self.numbers(x)).collect(),
            Value::Object(o) if o.contains_key("$bin") => {
                let count: usize =
                    o["shape"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap() as usize).product();
                let at = o["offset"].as_u64().unwrap() as usize;
                let word = |i: usize| self.bin[at + 4 * i..at + 4 * i + 4].try_into().unwrap();
                let float = o["dtype"] == "f4";
                let value = |i| {
                    if float {
                        f64::from(f32::from_le_bytes(word(i)))
                    } else {
                        f64::from(i32::from_le_bytes(word(i)))
                    }
                };
                (0..count).map(value).collect()
            }
            Value::Number(n) => vec![f64::from(n.as_f64().unwrap() as f32)],
            _ => Vec::new(),
        }
    }

    fn vectors(&self, v: &Value) -> Vec<Vec3> {
        self.numbers(v).chunks(3).map(|c| Vec3::new(c[0], c[1], c[2])).collect()
    }

    fn particles<const N: usize>(&self, v: &Value) -> Vec<[ParticleId; N]> {
        let id = |c: &[f64]| std::array::from_fn(|k| ParticleId(c[k] as u32));
        self.numbers(v).chunks(N).map(id).collect()
    }

    /// The model of the case.
    pub fn model(&self) -> Model {
        let mut m = Model { gravity: self.vectors(&self.json["gravity"])[0], ..Model::default() };
        let soft = self.numbers(&self.json["soft_contact"]["ke"]);
        let at = |k: &str| f64::from(self.json["soft_contact"][k].as_f64().unwrap() as f32);
        assert_eq!(soft.len(), 1);
        let soft = Material { ke: at("ke"), kd: at("kd"), mu: at("mu"), restitution: 0.0 };
        m.materials.make_mut().push(soft);
        self.read_particles(&mut m);
        self.read_elements(&mut m);
        self.read_bodies(&mut m);
        self.read_shapes(&mut m);
        m
    }

    fn read_particles(&self, m: &mut Model) {
        let p = &self.json["particles"];
        m.particle_q.set(self.vectors(&p["q"]));
        m.particle_qd.set(self.vectors(&p["qd"]));
        let n = m.particle_q.len();
        m.particle_mass.set(self.numbers(&p["mass"]));
        m.particle_inv_mass = m.particle_mass.iter().map(|&x| if x > 0.0 { 1.0 / x } else { 0.0 }).collect();
        m.particle_radius.set(self.numbers(&p["radius"]));
        m.particle_active = self.numbers(&p["active"]).iter().map(|&a| a != 0.0).collect();
        m.particle_material.set(vec![MaterialId(0); n]);
        let groups = self.json["particle_color_groups"].as_array().cloned().unwrap_or_default();
        let group = |g: &Value| self.numbers(g).iter().map(|&p| ParticleId(p as u32)).collect();
        m.particle_color_groups = groups.iter().map(group).collect();
    }

    fn read_elements(&self, m: &mut Model) {
        let s = &self.json["springs"];
        m.spring_indices.set(self.particles(&s["indices"]));
        m.spring_rest_length.set(self.numbers(&s["rest_length"]));
        m.spring_ke.set(self.numbers(&s["ke"]));
        m.spring_kd.set(self.numbers(&s["kd"]));
        let t = &self.json["triangles"];
        m.tri_indices.set(self.particles(&t["indices"]));
        m.tri_rest_inv = self.numbers(&t["rest_inv"]).chunks(4).map(Mat2::from_row_slice).collect();
        m.tri_rest_area.set(self.numbers(&t["rest_area"]));
        let material = self.numbers(&t["material_mu_lambda_kd"]);
        m.tri_mu = material.chunks(3).map(|c| c[0]).collect();
        m.tri_lambda = material.chunks(3).map(|c| c[1]).collect();
        m.tri_kd = material.chunks(3).map(|c| c[2]).collect();
        let t = &self.json["tets"];
        m.tet_indices.set(self.particles(&t["indices"]));
        m.tet_rest_inv = self.numbers(&t["rest_inv"]).chunks(9).map(Mat3::from_row_slice).collect();
        let material = self.numbers(&t["material_mu_lambda_kd"]);
        m.tet_mu = material.chunks(3).map(|c| c[0]).collect();
        m.tet_lambda = material.chunks(3).map(|c| c[1]).collect();
        m.tet_kd = material.chunks(3).map(|c| c[2]).collect();
        self.read_hinges(m);
    }

    fn read_hinges(&self, m: &mut Model) {
        let h = &self.json["bending_edges"];
        let (v, material) = (self.numbers(&h["indices_o0_o1_v0_v1"]), self.numbers(&h["material_ke_kd"]));
        let (angle, length) = (self.numbers(&h["rest_angle"]), self.numbers(&h["rest_length"]));
        for (i, v) in v.chunks(4).enumerate().filter(|(_, v)| v[0] >= 0.0 && v[1] >= 0.0) {
            m.hinge_indices.make_mut().push(std::array::from_fn(|k| ParticleId(v[k] as u32)));
            m.hinge_rest_angle.make_mut().push(angle[i]);
            m.hinge_rest_length.make_mut().push(length[i]);
            m.hinge_ke.make_mut().push(material[2 * i]);
            m.hinge_kd.make_mut().push(material[2 * i + 1]);
        }
    }

    fn read_bodies(&self, m: &mut Model) {
        let b = &self.json["bodies"];
        m.body_q = self.numbers(&b["q"]).chunks(7).map(|c| Pose::from_array(c.try_into().unwrap())).collect();
        let six =
            |c: &[f64]| Spatial::new(Vec3::from_column_slice(&c[..3]), Vec3::from_column_slice(&c[3..]));
        m.body_qd = self.numbers(&b["qd"]).chunks(6).map(six).collect();
        m.body_mass.set(self.numbers(&b["mass"]));
        m.body_inv_mass = m.body_mass.iter().map(|&x| if x > 0.0 { 1.0 / x } else { 0.0 }).collect();
        m.body_inertia = self.numbers(&b["inertia"]).chunks(9).map(Mat3::from_row_slice).collect();
        m.body_inv_inertia = m.body_inertia.iter().map(|i| i.try_inverse().unwrap_or_default()).collect();
        m.body_com.set(self.vectors(&b["com"]));
        m.body_kinematic = self.numbers(&b["kinematic"]).iter().map(|&k| k != 0.0).collect();
    }

    fn read_shapes(&self, m: &mut Model) {
        for s in self.json["shapes"].as_array().into_iter().flatten() {
            let at = |k: &str| f64::from(s[k].as_f64().unwrap() as f32);
            let (x, scale) = (self.numbers(&s["xform"]), self.numbers(&s["scale"]));
            let body = s["body"].as_i64().unwrap();
            m.shape_body.make_mut().push((body >= 0).then_some(BodyId(body as u32)));
            m.shape_x.make_mut().push(Pose::from_array(x.try_into().unwrap()));
            m.shape_geometry.make_mut().push(match s["type"].as_str().unwrap() {
                "plane" => Geometry::Plane,
                "sphere" => Geometry::Sphere { radius: scale[0] },
                "box" => Geometry::Box { half_extents: Vec3::from_column_slice(&scale) },
                "capsule" => Geometry::Capsule { radius: scale[0], half_height: scale[1] },
                other => panic!("unexpected shape {other}"),
            });
            let flags = ShapeFlags::from_bits_truncate(s["flags"].as_u64().unwrap() as u32);
            m.shape_flags.make_mut().push(flags);
            m.shape_margin.make_mut().push(at("margin"));
            m.shape_gap.make_mut().push(at("gap"));
            m.shape_material.make_mut().push(MaterialId::new(m.materials.len()));
            let (ke, kd, mu) = (at("ke"), at("kd"), at("mu"));
            m.materials.make_mut().push(Material { ke, kd, mu, restitution: 0.0 });
        }
    }

    /// An output array as floats.
    pub fn output(&self, array: &str, variant: &str) -> Vec<f64> {
        let path = root().join(format!("out/{}/{array}{variant}.npy", self.name));
        let bytes = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let header = u16::from_le_bytes(bytes[8..10].try_into().unwrap()) as usize;
        let floats = bytes[10 + header..].chunks(4);
        floats.map(|c| f64::from(f32::from_le_bytes(c.try_into().unwrap()))).collect()
    }
}
