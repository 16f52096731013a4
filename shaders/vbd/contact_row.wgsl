// A contact record at the present pose of its body, as a row of the law.
//
// Twin: `moved` in crates/vbd/src/contact/rows.rs and `Bodies::surface_point` in
// crates/vbd/src/body/mod.rs. Theory: docs/theory/vbd.md eq. (9).

#include "common/so3.wgsl"
#include "vbd/contact_law.wgsl"
#include "vbd/records.wgsl"

struct MovedPoint {
    position: vec3<f32>,
    displacement: vec3<f32>,
}

// Displacement along the arc: dc + phi x r.
fn surface_point(b: BodySurface, point: vec3<f32>) -> MovedPoint {
    let r = quat_rotate(b.q, point);
    return MovedPoint(b.c + r, b.dc + cross(b.phi, r));
}

fn eval_row(c: ContactRecord, at: MovedPoint, y: vec3<f32>, dy: vec3<f32>) -> ContactRow {
    return ContactRow(c.n, c.reach, y - at.position, c.ke, dy - at.displacement, c.kd, c.mu);
}
