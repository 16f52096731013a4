// Signed distance, closest surface point and outward normal of the simple shapes.
//
// Twin: crates/collide/src/sdf.rs. Theory: docs/theory/vbd.md section 3.

struct SurfacePoint {
    distance: f32,
    point: vec3<f32>,
    normal: vec3<f32>,
}

const SHAPE_PLANE: u32 = 0u;
const SHAPE_SPHERE: u32 = 1u;
const SHAPE_BOX: u32 = 2u;
const SHAPE_CAPSULE: u32 = 3u;
const SHAPE_CYLINDER: u32 = 4u;

fn sdf_clamp(x: f32, e: f32) -> f32 {
    return max(min(x, e), -e);
}

fn sdf_sign(x: f32) -> f32 {
    return select(1.0, -1.0, x < 0.0);
}

fn unit_or_z(x: vec3<f32>) -> vec3<f32> {
    let len = length(x);
    let away = len > 0.0;
    return select(vec3<f32>(0.0, 0.0, 1.0), x * (1.0 / select(1.0, len, away)), away);
}

fn eval_plane(x: vec3<f32>) -> SurfacePoint {
    return SurfacePoint(x.z, vec3<f32>(x.x, x.y, 0.0), vec3<f32>(0.0, 0.0, 1.0));
}

fn eval_sphere(x: vec3<f32>, radius: f32) -> SurfacePoint {
    let normal = unit_or_z(x);
    return SurfacePoint(length(x) - radius, normal * radius, normal);
}

fn eval_capsule(x: vec3<f32>, radius: f32, half_height: f32) -> SurfacePoint {
    let axis = vec3<f32>(0.0, 0.0, sdf_clamp(x.z, half_height));
    let ball = eval_sphere(x - axis, radius);
    return SurfacePoint(ball.distance, ball.point + axis, ball.normal);
}

fn eval_box(x: vec3<f32>, e: vec3<f32>) -> SurfacePoint {
    let q = abs(x) - e;
    // outside
    let clamped = vec3<f32>(sdf_clamp(x.x, e.x), sdf_clamp(x.y, e.y), sdf_clamp(x.z, e.z));
    let away = x - clamped;
    let d_out = length(away);
    let outside = d_out > 0.0;
    let n_out = away * (1.0 / select(1.0, d_out, outside));
    // inside: the face with the largest (least negative) q, ties in the order x, y, z
    let is_x = q.x >= q.y && q.x >= q.z;
    let n_x = vec3<f32>(sdf_sign(x.x), 0.0, 0.0);
    let n_y = vec3<f32>(0.0, sdf_sign(x.y), 0.0);
    let n_z = vec3<f32>(0.0, 0.0, sdf_sign(x.z));
    let n_in = select(select(n_z, n_y, q.y >= q.z), n_x, is_x);
    let d_in = max(max(q.x, q.y), q.z);
    let normal = select(n_in, n_out, outside);
    let distance = select(d_in, d_out, outside);
    return SurfacePoint(distance, select(x - n_in * d_in, clamped, outside), normal);
}

fn eval_cylinder(x: vec3<f32>, radius: f32, half_height: f32) -> SurfacePoint {
    let flat_ = vec3<f32>(x.x, x.y, 0.0);
    let rho = length(flat_);
    let off_axis = rho > 0.0;
    let inv_rho = 1.0 / select(1.0, rho, off_axis);
    let radial = select(vec3<f32>(1.0, 0.0, 0.0), flat_ * inv_rho, off_axis);
    let plane = eval_box(vec3<f32>(rho, 0.0, x.z), vec3<f32>(radius, 1.0, half_height));
    let point = radial * plane.point.x + vec3<f32>(0.0, 0.0, plane.point.z);
    let normal = radial * plane.normal.x + vec3<f32>(0.0, 0.0, plane.normal.z);
    let q = vec3<f32>(rho - radius, 0.0, abs(x.z) - half_height);
    let inside = q.x <= 0.0 && q.z <= 0.0;
    let by_side = q.x >= q.z;
    let n_in = select(vec3<f32>(0.0, 0.0, sdf_sign(x.z)), radial, by_side);
    let d_in = max(q.x, q.z);
    return SurfacePoint(
        select(plane.distance, d_in, inside),
        select(point, x - n_in * d_in, inside),
        select(normal, n_in, inside),
    );
}

// By kind; `dims` is (radius, half height, -), or the half extents of a box.
fn eval_sdf(kind: u32, dims: vec3<f32>, x: vec3<f32>) -> SurfacePoint {
    switch kind {
        case SHAPE_SPHERE: { return eval_sphere(x, dims.x); }
        case SHAPE_BOX: { return eval_box(x, dims); }
        case SHAPE_CAPSULE: { return eval_capsule(x, dims.x, dims.y); }
        case SHAPE_CYLINDER: { return eval_cylinder(x, dims.x, dims.y); }
        default: { return eval_plane(x); }
    }
}
