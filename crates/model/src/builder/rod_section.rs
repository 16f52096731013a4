//! Sections of rods: area, second moments, torsion and shear. Theory: `docs/theory/rod.md` eq. (7).

use std::f64::consts::{FRAC_PI_2, PI};

/// The section of a rod. Its first axis is local x of the segments, its second local y.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RodSection {
    /// A full circle.
    Circle {
        /// Radius \[m\].
        radius: f64,
    },
    /// A pipe.
    Ring {
        /// Outer radius \[m\].
        outer: f64,
        /// Inner radius \[m\].
        inner: f64,
    },
    /// A rectangle.
    Rectangle {
        /// Side along the first axis \[m\].
        width: f64,
        /// Side along the second axis \[m\].
        height: f64,
    },
    /// Given stiffness.
    Direct {
        /// EI about the first and the second axis \[N·m²\].
        ei: [f64; 2],
        /// GJ \[N·m²\].
        gj: f64,
        /// EA \[N\].
        ea: f64,
        /// κGA of both shears \[N\].
        ga: f64,
        /// Area, of which the mass comes \[m²\].
        area: f64,
        /// Radius of its capsules, and of a circle with its rotary inertia \[m\].
        radius: f64,
    },
}

/// Stiffness of a section.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RodStiffness {
    /// EI about the first and the second axis \[N·m²\].
    pub ei: [f64; 2],
    /// GJ \[N·m²\].
    pub gj: f64,
    /// EA \[N\].
    pub ea: f64,
    /// κGA of the shears along the first and the second axis \[N\].
    pub ga: f64,
}

impl RodSection {
    /// The section scaled in both directions.
    pub fn scaled(&self, s: f64) -> Self {
        match *self {
            Self::Circle { radius } => Self::Circle { radius: radius * s },
            Self::Ring { outer, inner } => Self::Ring { outer: outer * s, inner: inner * s },
            Self::Rectangle { width, height } => Self::Rectangle { width: width * s, height: height * s },
            Self::Direct { ei, gj, ea, ga, area, radius } => Self::Direct {
                ei: ei.map(|x| x * s.powi(4)),
                gj: gj * s.powi(4),
                ea: ea * s * s,
                ga: ga * s * s,
                area: area * s * s,
                radius: radius * s,
            },
        }
    }

    /// Lengths and stiffness that must be positive, by name.
    pub(super) fn numbers(&self) -> Vec<(&'static str, f64)> {
        match *self {
            Self::Circle { radius } => vec![("radius", radius)],
            Self::Ring { outer, inner } => {
                vec![("outer radius", outer), ("inner radius", inner), ("thickness", outer - inner)]
            }
            Self::Rectangle { width, height } => vec![("width", width), ("height", height)],
            Self::Direct { ei, gj, ea, ga, area, radius } => vec![
                ("EI about the first axis", ei[0]),
                ("EI about the second axis", ei[1]),
                ("GJ", gj),
                ("EA", ea),
                ("kappa GA", ga),
                ("area", area),
                ("radius", radius),
            ],
        }
    }

    /// Area \[m²\].
    pub fn area(&self) -> f64 {
        match *self {
            Self::Circle { radius } => PI * radius * radius,
            Self::Ring { outer, inner } => PI * (outer * outer - inner * inner),
            Self::Rectangle { width, height } => width * height,
            Self::Direct { area, .. } => area,
        }
    }

    /// Second moments of area about the first and the second axis \[m⁴\].
    pub fn second_moments(&self) -> [f64; 2] {
        match *self {
            Self::Circle { radius } => [0.25 * PI * radius.powi(4); 2],
            Self::Ring { outer, inner } => [0.25 * PI * (outer.powi(4) - inner.powi(4)); 2],
            Self::Rectangle { width, height } => {
                [width * height.powi(3) / 12.0, height * width.powi(3) / 12.0]
            }
            Self::Direct { area, radius, .. } => [0.25 * area * radius * radius; 2],
        }
    }

    /// J of the twist \[m⁴\]; a rectangle has it to 0.5 % of Saint-Venant's.
    fn torsion(&self) -> f64 {
        match *self {
            Self::Circle { radius } => FRAC_PI_2 * radius.powi(4),
            Self::Ring { outer, inner } => FRAC_PI_2 * (outer.powi(4) - inner.powi(4)),
            Self::Rectangle { width, height } => {
                let (a, b) = (width.max(height), width.min(height));
                let r = b / a;
                a * b.powi(3) * (1.0 / 3.0 - 0.21 * r * (1.0 - r.powi(4) / 12.0))
            }
            Self::Direct { .. } => self.second_moments().iter().sum(),
        }
    }

    /// κ of shear, after Cowper.
    fn shear_factor(&self, nu: f64) -> f64 {
        let round = |m: f64| {
            let s = (1.0 + m * m).powi(2);
            6.0 * (1.0 + nu) * s / ((7.0 + 6.0 * nu) * s + (20.0 + 12.0 * nu) * m * m)
        };
        match *self {
            Self::Circle { .. } | Self::Direct { .. } => round(0.0),
            Self::Ring { outer, inner } => round(inner / outer),
            Self::Rectangle { .. } => 10.0 * (1.0 + nu) / (12.0 + 11.0 * nu),
        }
    }

    /// Stiffness at moduli E and G \[Pa\].
    pub fn stiffness(&self, young: f64, shear: f64) -> RodStiffness {
        if let Self::Direct { ei, gj, ea, ga, .. } = *self {
            return RodStiffness { ei, gj, ea, ga };
        }
        let nu = 0.5 * young / shear - 1.0;
        RodStiffness {
            ei: self.second_moments().map(|i| young * i),
            gj: shear * self.torsion(),
            ea: young * self.area(),
            ga: self.shear_factor(nu) * shear * self.area(),
        }
    }

    /// Radius of the capsules that stand for it \[m\].
    pub fn capsule_radius(&self) -> f64 {
        match *self {
            Self::Circle { radius } | Self::Direct { radius, .. } => radius,
            Self::Ring { outer, .. } => outer,
            Self::Rectangle { width, height } => 0.5 * width.min(height),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_have_the_moments_of_the_textbook() {
        let circle = RodSection::Circle { radius: 0.01 }.stiffness(2.0e11, 8.0e10);
        assert!((circle.ei[0] / (2.0e11 * PI * 1e-8 / 4.0) - 1.0).abs() < 1e-14);
        assert!((circle.gj / (8.0e10 * PI * 1e-8 / 2.0) - 1.0).abs() < 1e-14);
        let bar = RodSection::Rectangle { width: 0.01, height: 0.03 }.stiffness(1.0, 0.4);
        assert!((bar.ei[0] - 0.01 * 0.03_f64.powi(3) / 12.0).abs() < 1e-18);
        let square = RodSection::Rectangle { width: 1.0, height: 1.0 };
        assert!((square.torsion() - 0.1406).abs() < 1e-3);
        let thin = RodSection::Ring { outer: 1.0, inner: 0.999 };
        assert!((thin.shear_factor(0.3) - 2.0 * 1.3 / (4.0 + 3.0 * 0.3)).abs() < 1e-3);
    }

    #[test]
    fn a_scaled_section_has_the_moments_of_its_size() {
        for section in [
            RodSection::Circle { radius: 0.01 },
            RodSection::Rectangle { width: 0.01, height: 0.02 },
            RodSection::Direct { ei: [1.0, 2.0], gj: 3.0, ea: 4.0, ga: 5.0, area: 6.0, radius: 0.1 },
        ] {
            let (a, b) = (section.stiffness(1e6, 4e5), section.scaled(2.0).stiffness(1e6, 4e5));
            assert!((b.ei[1] / a.ei[1] - 16.0).abs() < 1e-12 && (b.ea / a.ea - 4.0).abs() < 1e-12);
        }
    }
}
