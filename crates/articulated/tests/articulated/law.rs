//! Independent answers: the double pendulum by Lagrange's equations and Runge-Kutta.

/// Two equal links: mass, length (anchor to anchor), inertia about the centre.
#[derive(Clone, Copy)]
pub struct DoublePendulum {
    pub m: f64,
    pub l: f64,
    pub i: f64,
    pub g: f64,
}

impl DoublePendulum {
    /// Rates of (a, b, a', b'): absolute angles from hanging down. From
    /// T = ½(I + m l²/4 + m l²) a'² + ½(I + m l²/4) b'² + ½ m l² a' b' cos(a-b),
    /// V = -g m l (1.5 cos a + 0.5 cos b).
    fn rates(&self, x: [f64; 4]) -> [f64; 4] {
        let Self { m, l, i, g } = *self;
        let [a, b, ad, bd] = x;
        let (m11, m22) = (i + 1.25 * m * l * l, i + 0.25 * m * l * l);
        let c = 0.5 * m * l * l;
        let (m12, s) = (c * (a - b).cos(), c * (a - b).sin());
        let f1 = -s * bd * bd - 1.5 * m * g * l * a.sin();
        let f2 = s * ad * ad - 0.5 * m * g * l * b.sin();
        let det = m11 * m22 - m12 * m12;
        [ad, bd, (m22 * f1 - m12 * f2) / det, (m11 * f2 - m12 * f1) / det]
    }

    /// State after `t` by classical Runge-Kutta with `n` steps.
    pub fn integrate(&self, mut x: [f64; 4], t: f64, n: usize) -> [f64; 4] {
        let h = t / n as f64;
        let add = |x: [f64; 4], k: [f64; 4], s: f64| std::array::from_fn(|i| x[i] + s * k[i]);
        for _ in 0..n {
            let k1 = self.rates(x);
            let k2 = self.rates(add(x, k1, 0.5 * h));
            let k3 = self.rates(add(x, k2, 0.5 * h));
            let k4 = self.rates(add(x, k3, h));
            x = std::array::from_fn(|i| x[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
        }
        x
    }
}
