// One particle against one shape: the record, if it is near enough.
//
// Twin: crates/collide/src/particle_shape.rs (`Target::meet`, `is_pair`). Theory:
// docs/theory/vbd.md eq. (12).

#include "collide/sdf.wgsl"
#include "common/so3.wgsl"

// A shape at the begin of a step, in the world.
struct PlacedShape {
    q: vec4<f32>,
    p: vec3<f32>,
    dims: vec3<f32>,
    kind: u32,
    bounding: f32,
    // gap + margin + radius + motion of both [m].
    reach: f32,
}

struct Meeting {
    near: bool,
    // Closest point in the frame of the shape.
    point: vec3<f32>,
    // Outward normal in the world.
    normal: vec3<f32>,
}

// Mobilities: 0 static, 1 prescribed, 2 dynamic, 3 proxy.
fn is_pair(particle: u32, shape: u32) -> bool {
    let moves = particle >= 2u || shape >= 2u;
    let foreign = particle == 3u && (shape == 0u || shape == 3u);
    return moves && !foreign;
}

fn meet(shape: PlacedShape, x: vec3<f32>) -> Meeting {
    let away = x - shape.p;
    if (length(away) - shape.bounding >= shape.reach) {
        return Meeting(false, vec3<f32>(0.0), vec3<f32>(0.0));
    }
    let local = quat_rotate(quat_inverse(shape.q), away);
    let at = eval_sdf(shape.kind, shape.dims, local);
    // written so that a particle that is not a number meets nothing
    return Meeting(at.distance < shape.reach, at.point, quat_rotate(shape.q, at.normal));
}
