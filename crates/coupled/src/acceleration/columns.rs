//! Secants of the fixed point, newest first, and their least squares with a filter.
//!
//! `docs/theory/acceleration.md` eq. (4)–(7). Flat memory, made once: a new column moves the others on.

use super::dot;

/// Columns (ΔF, ΔG) of the last passes.
#[derive(Clone, Debug, Default)]
pub(super) struct Columns {
    rows: usize,
    capacity: usize,
    count: usize,
    d_f: Vec<f64>,
    d_g: Vec<f64>,
    /// How many steps ago a column was seen. Newest first.
    age: Vec<usize>,
}

/// Memory of the least squares.
#[derive(Clone, Debug, Default)]
pub(super) struct LeastSquares {
    q: Vec<f64>,
    r: Vec<f64>,
    kept: Vec<usize>,
    alpha: Vec<f64>,
}

impl Columns {
    /// Makes room for `capacity` columns of `rows` rows; a change forgets all.
    pub fn reserve(&mut self, rows: usize, capacity: usize) {
        if (self.rows, self.capacity) == (rows, capacity) {
            return;
        }
        (self.rows, self.capacity, self.count) = (rows, capacity, 0);
        for store in [&mut self.d_f, &mut self.d_g] {
            store.clear();
            store.resize(rows * capacity, 0.0);
        }
        self.age.clear();
        self.age.resize(capacity, 0);
    }

    pub fn count(&self) -> usize {
        self.count
    }

    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// Keeps what is of this step.
    pub fn drop_older(&mut self) {
        self.count = self.age[..self.count].iter().take_while(|&&a| a == 0).count();
    }

    /// A step ended: columns older than `reuse` steps go.
    pub fn grow_older(&mut self, reuse: usize) {
        self.age[..self.count].iter_mut().for_each(|a| *a += 1);
        self.count = self.age[..self.count].iter().take_while(|&&a| a <= reuse).count();
    }

    /// Adds a column; the oldest one goes where there is no room. `f`, `g`: the change from `before`
    /// to `now`, row by row.
    pub fn push(&mut self, f: impl Fn(usize) -> f64, g: impl Fn(usize) -> f64) {
        if self.capacity == 0 || self.rows == 0 {
            return;
        }
        self.count = (self.count + 1).min(self.capacity);
        let used = self.count * self.rows;
        self.d_f[..used].rotate_right(self.rows);
        self.d_g[..used].rotate_right(self.rows);
        self.age[..self.count].rotate_right(1);
        self.age[0] = 0;
        for i in 0..self.rows {
            (self.d_f[i], self.d_g[i]) = (f(i), g(i));
        }
    }

    fn column(&self, j: usize) -> &[f64] {
        &self.d_f[j * self.rows..(j + 1) * self.rows]
    }

    /// g ← g + Σ α_j ΔG_j.
    pub fn add(&self, alpha: &[(usize, f64)], g: &mut [f64]) {
        for &(j, a) in alpha {
            let column = &self.d_g[j * self.rows..(j + 1) * self.rows];
            g.iter_mut().zip(column).for_each(|(g, d)| *g += a * d);
        }
    }

    /// Copies into existing memory.
    pub fn copy_from(&mut self, o: &Self) {
        (self.rows, self.capacity, self.count) = (o.rows, o.capacity, o.count);
        self.d_f.clone_from(&o.d_f);
        self.d_g.clone_from(&o.d_g);
        self.age.clone_from(&o.age);
    }
}

impl LeastSquares {
    pub fn reserve(&mut self, rows: usize, capacity: usize) {
        self.q.resize(rows * capacity, 0.0);
        self.r.resize(capacity * capacity, 0.0);
        self.kept.reserve(capacity.saturating_sub(self.kept.len()));
        self.alpha.resize(capacity, 0.0);
    }

    /// Eq. (5), (6): α of least |F + ΔF α| in the weighted norm, columns taken newest first; one
    /// that adds less than `filter` of itself to the earlier ones is left out. Writes (column, α).
    pub fn solve(
        &mut self,
        columns: &Columns,
        weights: &[f64],
        residual: &[f64],
        filter: f64,
        out: &mut Vec<(usize, f64)>,
    ) {
        let (n, capacity) = (columns.rows, columns.capacity);
        self.kept.clear();
        for j in 0..columns.count {
            self.orthogonalise(columns, weights, j, filter);
        }
        let kept = self.kept.len();
        for i in (0..kept).rev() {
            let q = &self.q[i * n..(i + 1) * n];
            let mut b: f64 =
                -q.iter().zip(weights.iter().zip(residual)).map(|(q, (w, f))| q * w * f).sum::<f64>();
            for k in i + 1..kept {
                b -= self.r[i * capacity + k] * self.alpha[k];
            }
            self.alpha[i] = b / self.r[i * capacity + i];
        }
        out.clear();
        out.extend(self.kept.iter().copied().zip(self.alpha.iter().copied()));
    }

    /// Modified Gram–Schmidt, twice, so that nearly dependent columns stay orthogonal.
    fn orthogonalise(&mut self, columns: &Columns, weights: &[f64], j: usize, filter: f64) {
        let (n, capacity, at) = (columns.rows, columns.capacity, self.kept.len());
        let (done, rest) = self.q.split_at_mut(at * n);
        let v = &mut rest[..n];
        for (v, (w, f)) in v.iter_mut().zip(weights.iter().zip(columns.column(j))) {
            *v = w * f;
        }
        let size = dot(weights, columns.column(j), columns.column(j)).sqrt();
        (0..at).for_each(|i| self.r[i * capacity + at] = 0.0);
        for _ in 0..2 {
            for (i, q) in done.chunks_exact(n).enumerate() {
                let along: f64 = q.iter().zip(v.iter()).map(|(q, v)| q * v).sum();
                v.iter_mut().zip(q).for_each(|(v, q)| *v -= along * q);
                self.r[i * capacity + at] += along;
            }
        }
        let left = v.iter().map(|v| v * v).sum::<f64>().sqrt();
        // written so that what is no number is left out too
        if left > filter * size && left.is_finite() {
            v.iter_mut().for_each(|v| *v /= left);
            self.r[at * capacity + at] = left;
            self.kept.push(j);
        }
    }
}
