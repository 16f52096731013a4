//! One binary glTF file (`.glb`) with animation.
//!
//! A body is a node whose translation and rotation are sampled at the recorded times; its
//! shapes are child meshes. A deforming surface is a mesh with one morph target per key
//! frame, and the weights move from one to the next. Targets grow with frames × vertices,
//! therefore surfaces keep at most [`MAX_MORPH_FRAMES`] keys, spread evenly over the run.
//! glTF has y up: a root node turns our up axis there.

use std::fs;
use std::path::PathBuf;

use coact_math::{Pose, Quat, Vec3};
use serde_json::{Value, json};

use super::Export;
use super::obj::compact;
use crate::error::{Result, TraceError};
use crate::picture::palette;
use crate::stage::Sheet;

/// Most key frames of a deforming surface. Beyond, a file of a fine cloth has gigabytes.
pub const MAX_MORPH_FRAMES: usize = 120;

const FLOAT: u32 = 5126;
const UNSIGNED_INT: u32 = 5125;

/// Writes `run.glb`; returns its path.
///
/// # Errors
/// When the file system refuses.
pub fn export_gltf(export: &Export) -> Result<PathBuf> {
    fs::create_dir_all(&export.folder).map_err(TraceError::io(&export.folder))?;
    let path = export.folder.join("run.glb");
    let frames: Vec<_> = export.frames().collect();
    let mut file = Document::default();
    if !frames.is_empty() {
        file.add_solids(export, &frames);
        for sheet in export.stage.sheets.iter().filter(|s| !s.triangles.is_empty()) {
            file.add_sheet(export, &frames, sheet);
        }
    }
    let up = Quat::rotation_between(&Vec3::from(export.stage.up), &Vec3::y()).unwrap_or_default();
    fs::write(&path, file.pack(&up)).map_err(TraceError::io(&path))?;
    Ok(path)
}

#[derive(Default)]
struct Document {
    bin: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    materials: Vec<Value>,
    meshes: Vec<Value>,
    nodes: Vec<Value>,
    roots: Vec<usize>,
    samplers: Vec<Value>,
    channels: Vec<Value>,
}

impl Document {
    fn add_solids(&mut self, export: &Export, frames: &[usize]) {
        let mut of_body = vec![Vec::new(); export.stage.bodies.len()];
        for (k, solid) in export.stage.solids.iter().enumerate() {
            let vertices: Vec<Vec3> = solid.vertices.iter().map(|v| Vec3::from(*v)).collect();
            let material = self.material(solid.body.map_or(palette::STATIC, palette::of));
            let primitive = self.primitive(&vertices, &solid.triangles, material);
            self.meshes.push(json!({"name": solid.name, "primitives": [primitive]}));
            let node = self.node(json!({"name": solid.name, "mesh": k}));
            match solid.body {
                Some(b) => of_body[b].push(node),
                None => self.roots.push(node),
            }
        }
        let times = self.times(export, frames);
        let poses: Vec<Vec<Pose>> = frames.iter().map(|&f| export.trajectory.state(f).body_q).collect();
        for (b, children) in of_body.iter().enumerate().filter(|(_, c)| !c.is_empty()) {
            let node = self.node(json!({"name": export.stage.bodies[b], "children": children}));
            self.roots.push(node);
            self.animate_body(poses.iter().map(|frame| frame[b]), node, times);
        }
    }

    fn animate_body(&mut self, poses: impl Iterator<Item = Pose>, node: usize, times: usize) {
        let (mut positions, mut turns) = (Vec::new(), Vec::new());
        let mut last = Quat::identity().coords;
        for x in poses {
            // Neighbouring keys on one side of the sphere, so that players take the short way.
            let q = if last.dot(&x.q.coords) < 0.0 { -x.q.coords } else { x.q.coords };
            positions.extend(x.p.iter().map(|&v| v as f32));
            turns.extend(q.iter().map(|&v| v as f32));
            last = q;
        }
        let position = self.floats(&positions, "VEC3", false);
        let turn = self.floats(&turns, "VEC4", false);
        self.channel(times, position, node, "translation");
        self.channel(times, turn, node, "rotation");
    }

    fn add_sheet(&mut self, export: &Export, frames: &[usize], sheet: &Sheet) {
        let keys = spread(frames, MAX_MORPH_FRAMES);
        let (rest, triangles) = compact(sheet, &export.trajectory.state(keys[0]));
        let ordinal = export.stage.bodies.len() + self.meshes.len();
        let material = self.material(palette::of(ordinal));
        let mut primitive = self.primitive(&rest, &triangles, material);
        let mut targets = Vec::new();
        for &key in &keys[1..] {
            let (moved, _) = compact(sheet, &export.trajectory.state(key));
            let offsets: Vec<Vec3> = moved.iter().zip(&rest).map(|(a, b)| a - b).collect();
            let position = self.vectors(&offsets);
            targets.push(json!({ "POSITION": position }));
        }
        let count = targets.len();
        if count > 0 {
            primitive["targets"] = targets.into();
        }
        self.meshes.push(json!({"name": sheet.name, "primitives": [primitive]}));
        let mesh = self.meshes.len() - 1;
        let node = self.node(json!({"name": sheet.name, "mesh": mesh}));
        self.roots.push(node);
        if count > 0 {
            let times = self.times(export, &keys);
            let weights: Vec<f32> = (0..keys.len())
                .flat_map(|k| (0..count).map(move |t| if t + 1 == k { 1.0 } else { 0.0 }))
                .collect();
            let weights = self.floats(&weights, "SCALAR", false);
            self.channel(times, weights, node, "weights");
        }
    }

    fn node(&mut self, node: Value) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    fn channel(&mut self, input: usize, output: usize, node: usize, path: &str) {
        self.samplers.push(json!({"input": input, "output": output, "interpolation": "LINEAR"}));
        let sampler = self.samplers.len() - 1;
        self.channels.push(json!({"sampler": sampler, "target": {"node": node, "path": path}}));
    }

    fn material(&mut self, color: [f32; 3]) -> usize {
        let [r, g, b] = color;
        self.materials.push(json!({
            "doubleSided": true,
            "pbrMetallicRoughness": {"baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.7},
        }));
        self.materials.len() - 1
    }

    fn primitive(&mut self, vertices: &[Vec3], triangles: &[[u32; 3]], material: usize) -> Value {
        let position = self.vectors(vertices);
        let bytes: Vec<u8> = triangles.iter().flatten().flat_map(|i| i.to_le_bytes()).collect();
        let indices = self.accessor(&bytes, UNSIGNED_INT, triangles.len() * 3, "SCALAR");
        json!({"attributes": {"POSITION": position}, "indices": indices, "material": material})
    }

    fn times(&mut self, export: &Export, frames: &[usize]) -> usize {
        let times: Vec<f32> = frames.iter().map(|&f| export.trajectory.time(f) as f32).collect();
        self.floats(&times, "SCALAR", true)
    }

    fn vectors(&mut self, v: &[Vec3]) -> usize {
        let numbers: Vec<f32> = v.iter().flat_map(|p| p.iter().map(|&x| x as f32)).collect();
        self.floats(&numbers, "VEC3", true)
    }

    /// An accessor of floats; `bounds` adds the minimum and maximum that the format asks
    /// for at positions and times.
    fn floats(&mut self, numbers: &[f32], kind: &str, bounds: bool) -> usize {
        let width = match kind {
            "VEC3" => 3,
            "VEC4" => 4,
            _ => 1,
        };
        let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
        let id = self.accessor(&bytes, FLOAT, numbers.len() / width, kind);
        if bounds {
            let column = |c: usize| numbers.iter().skip(c).step_by(width).copied();
            let fold = |f: fn(f32, f32) -> f32| -> Vec<f32> {
                (0..width).map(|c| column(c).reduce(f).unwrap_or(0.0)).collect()
            };
            self.accessors[id]["min"] = json!(fold(f32::min));
            self.accessors[id]["max"] = json!(fold(f32::max));
        }
        id
    }

    fn accessor(&mut self, bytes: &[u8], component: u32, count: usize, kind: &str) -> usize {
        self.views.push(json!({"buffer": 0, "byteOffset": self.bin.len(), "byteLength": bytes.len()}));
        self.bin.extend(bytes);
        let view = self.views.len() - 1;
        self.accessors
            .push(json!({"bufferView": view, "componentType": component, "count": count, "type": kind}));
        self.accessors.len() - 1
    }

    /// The file: header, JSON chunk, binary chunk.
    fn pack(mut self, up: &Quat) -> Vec<u8> {
        let c = up.coords;
        let children = std::mem::take(&mut self.roots);
        let mut root = json!({"name": "world", "rotation": [c.x, c.y, c.z, c.w]});
        if !children.is_empty() {
            root["children"] = children.into();
        }
        let root = self.node(root);
        let mut document = json!({
            "asset": {"version": "2.0", "generator": "coact"},
            "scene": 0, "scenes": [{"nodes": [root]}],
            "nodes": self.nodes,
        });
        // The format does not allow empty arrays.
        let mut put = |key: &str, items: Vec<Value>| {
            if !items.is_empty() {
                document[key] = items.into();
            }
        };
        put("meshes", self.meshes);
        put("materials", self.materials);
        put("accessors", self.accessors);
        put("bufferViews", self.views);
        if !self.bin.is_empty() {
            put("buffers", vec![json!({"byteLength": self.bin.len()})]);
        }
        if !self.channels.is_empty() {
            put("animations", vec![json!({"samplers": self.samplers, "channels": self.channels})]);
        }
        container(document.to_string().into_bytes(), self.bin)
    }
}

fn container(mut text: Vec<u8>, mut bin: Vec<u8>) -> Vec<u8> {
    text.resize(text.len().next_multiple_of(4), b' ');
    bin.resize(bin.len().next_multiple_of(4), 0);
    let total = 12 + 8 + text.len() + 8 + bin.len();
    let mut out = b"glTF".to_vec();
    out.extend(2_u32.to_le_bytes());
    out.extend((total as u32).to_le_bytes());
    for (kind, chunk) in [(b"JSON", text), (b"BIN\0", bin)] {
        out.extend((chunk.len() as u32).to_le_bytes());
        out.extend(kind);
        out.extend(chunk);
    }
    out
}

/// At most `count` of `frames`, first and last included.
fn spread(frames: &[usize], count: usize) -> Vec<usize> {
    let last = frames.len() - 1;
    let count = count.min(frames.len());
    (0..count).map(|k| frames[k * last / (count - 1).max(1)]).collect()
}

#[cfg(test)]
mod tests {
    use gltf_json::validation::Validate;

    use super::super::tests::{stage, trajectory};
    use super::*;

    fn parse(bytes: &[u8]) -> (gltf_json::Root, usize) {
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        assert_eq!((&bytes[..4], word(8)), (&b"glTF"[..], bytes.len()));
        let json = &bytes[20..20 + word(12)];
        (gltf_json::Root::from_slice(json).unwrap(), word(20 + word(12)))
    }

    #[test]
    fn file_is_valid_and_animated() {
        let dir = tempfile::tempdir().unwrap();
        let (stage, trajectory) = (stage(), trajectory(4));
        let folder = dir.path().to_owned();
        let path =
            export_gltf(&Export { stage: &stage, trajectory: &trajectory, folder, stride: 1 }).unwrap();
        let (root, bin) = parse(&fs::read(path).unwrap());
        let mut faults = Vec::new();
        root.validate(&root, gltf_json::Path::new, &mut |p, e| faults.push(format!("{}: {e}", p())));
        assert!(faults.is_empty(), "{faults:?}");
        assert!(root.buffers[0].byte_length.0 as usize <= bin);
        assert_eq!(root.meshes.len(), 4);
        assert_eq!(root.animations[0].channels.len(), 2 + 2);
        let targets = root.meshes.iter().filter_map(|m| m.primitives[0].targets.as_ref()).map(Vec::len);
        assert_eq!(targets.collect::<Vec<_>>(), [3, 3], "cloth and soft body");
    }

    #[test]
    fn keys_are_capped_with_both_ends() {
        let frames: Vec<usize> = (0..1000).collect();
        let keys = spread(&frames, MAX_MORPH_FRAMES);
        assert_eq!((keys.len(), keys[0], keys[MAX_MORPH_FRAMES - 1]), (MAX_MORPH_FRAMES, 0, 999));
        assert_eq!(spread(&[7], 5), [7]);
    }
}
