// What an energy gives to a vertex: force and block of the Hessian.
//
// Twin: crates/vbd/src/energy/mod.rs.

#include "common/s3.wgsl"

struct Block {
    // Force [N].
    f: vec3<f32>,
    // Hessian block [N/m].
    H: S3,
}

fn block_zero() -> Block {
    return Block(vec3<f32>(0.0), s3_diagonal(0.0));
}

fn block_add(a: Block, b: Block) -> Block {
    return Block(a.f + b.f, s3_add(a.H, b.H));
}
