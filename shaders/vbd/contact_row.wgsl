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

// Displacement of the material point, dc + r - exp(-phi) r, without a difference of large numbers.
fn surface_point(b: BodySurface, point: vec3<f32>) -> MovedPoint {
    let r = quat_rotate(b.q, point);
    let size = length(b.phi);
    let half = 0.5 * size;
    // sin(s)/s and (1 - cos(s))/s^2
    let across = select(sin(size) / size, 1.0 - size * size / 6.0, size < 1e-2);
    let back = select(2.0 * sin(half) * sin(half) / (size * size), 0.5 - size * size / 24.0, size < 1e-2);
    let turn = cross(b.phi, r);
    return MovedPoint(b.c + r, b.dc + across * turn - back * cross(b.phi, turn));
}

fn eval_row(c: ContactRecord, at: MovedPoint, y: vec3<f32>, dy: vec3<f32>) -> ContactRow {
    return ContactRow(c.n, c.reach, y - at.position, c.ke, dy - at.displacement, c.kd, c.mu);
}
