//! What one core of this machine can do: the yardstick of `cargo xtask time`.
//!
//! Arithmetic: independent chains of `f32` products and sums, not fused, as the kernels do; at the
//! width of the machine. Memory: the triad a = b + s c over arrays far larger than the caches.

use std::hint::black_box;
use std::time::Instant;

use coact_math::Lanes;

/// Chains: enough to hide the latency of a sum on any recent core.
const CHAINS: usize = 12;
const ROUNDS: usize = 200_000;
/// Numbers per array of the triad: 64 MiB.
const TRIAD: usize = 1 << 24;
const TRIES: usize = 5;

/// Best of several tries on one thread.
#[derive(Clone, Copy, Debug)]
pub struct Peak {
    /// Products and sums per second, 1e9.
    pub gflops: f64,
    /// Bytes read and written per second, 1e9.
    pub gbytes: f64,
}

/// Measures this machine.
pub fn measure() -> Peak {
    let flops = best(|| {
        black_box(chains_at_width());
    });
    let (b, c) = (vec![1.0_f32; TRIAD], vec![2.0_f32; TRIAD]);
    let mut a = vec![0.0_f32; TRIAD];
    let triad = best(|| {
        for ((a, &b), &c) in a.iter_mut().zip(&b).zip(&c) {
            *a = b + 3.0 * c;
        }
        black_box(&mut a);
    });
    let lanes = if has_avx512() { 16 } else { 8 };
    Peak {
        gflops: (2 * lanes * CHAINS * ROUNDS) as f64 / flops * 1e-9,
        gbytes: (3 * 4 * TRIAD) as f64 / triad * 1e-9,
    }
}

/// Shortest of several tries \[s\].
fn best(mut work: impl FnMut()) -> f64 {
    let one = |_| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64()
    };
    (0..TRIES).map(one).fold(f64::INFINITY, f64::min)
}

#[inline(always)]
fn chains<const N: usize>() -> f32 {
    let mut product = [Lanes([1.0_f32; N]); CHAINS];
    let mut sum = product;
    let (factor, term) = (black_box(Lanes([1.000_001_f32; N])), black_box(Lanes([1e-6_f32; N])));
    for _ in 0..ROUNDS {
        for k in 0..CHAINS {
            product[k] *= factor;
            sum[k] += term;
        }
    }
    (0..CHAINS).map(|k| product[k].0[0] + sum[k].0[N - 1]).sum()
}

#[cfg(target_arch = "x86_64")]
fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq")
}

#[cfg(not(target_arch = "x86_64"))]
fn has_avx512() -> bool {
    false
}

#[cfg(target_arch = "x86_64")]
fn chains_at_width() -> f32 {
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw")]
    fn wide() -> f32 {
        chains::<16>()
    }
    #[target_feature(enable = "avx2")]
    fn half() -> f32 {
        chains::<8>()
    }
    // SAFETY: what the machine has was asked
    unsafe {
        if has_avx512() {
            wide()
        } else if is_x86_feature_detected!("avx2") {
            half()
        } else {
            chains::<8>()
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn chains_at_width() -> f32 {
    chains::<8>()
}
