// LDLt of a symmetric 6x6 block: the solve of one rigid body.
//
// Twin: crates/math/src/ldlt6.rs, with the criterion of singularity, in f64.

struct Ldlt6Solution {
    x: array<f32, 6>,
    regular: bool,
}

const LDLT6_EPSILON: f32 = 1.1920929e-7;

// Solves a x = b, of which the lower triangle (row major) is read; zero if singular.
fn ldlt6_solve(a: array<f32, 36>, b: array<f32, 6>) -> Ldlt6Solution {
    var m = a;
    // L below the diagonal, 1/D on it
    var f: array<f32, 36>;
    var d: array<f32, 6>;
    for (var j = 0u; j < 6u; j++) {
        var pivot = m[7u * j];
        var size = abs(pivot);
        for (var k = 0u; k < j; k++) {
            let t = f[6u * j + k] * f[6u * j + k] * d[k];
            pivot -= t;
            size += abs(t);
        }
        // written so that a number that is none fails too
        if (!(abs(pivot) > 8.0 * LDLT6_EPSILON * size)) {
            return Ldlt6Solution(array<f32, 6>(), false);
        }
        d[j] = pivot;
        f[7u * j] = 1.0 / pivot;
        for (var i = j + 1u; i < 6u; i++) {
            var sum = 0.0;
            for (var k = 0u; k < j; k++) {
                sum += f[6u * i + k] * f[6u * j + k] * d[k];
            }
            f[6u * i + j] = (m[6u * i + j] - sum) * f[7u * j];
        }
    }
    var x = b;
    for (var i = 0u; i < 6u; i++) {
        for (var k = 0u; k < i; k++) {
            x[i] -= f[6u * i + k] * x[k];
        }
    }
    for (var n = 0u; n < 6u; n++) {
        let i = 5u - n;
        x[i] *= f[7u * i];
        for (var k = i + 1u; k < 6u; k++) {
            x[i] -= f[6u * k + i] * x[k];
        }
    }
    return Ldlt6Solution(x, true);
}
