//! Element records as the device has them: those of `prepared/records.rs`, flat. Twins: the
//! structs of `shaders/vbd/{spring,membrane,hinge,tetrahedron}.wgsl`.

#![allow(non_snake_case)]

use bytemuck::{Pod, Zeroable};

use crate::prepared::{HingeRecord, SpringRecord, TetRecord, TriangleRecord};

/// An element `E` on `N` vertices, without the padding that `Record` may have.
macro_rules! element {
    ($(#[$doc:meta])* $Name:ident, $E:ident, $n:literal, { $($(#[$fdoc:meta])* $field:ident: $T:ty),* }) => {
        $(#[$doc])*
        #[repr(C)]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
        pub struct $E {
            $($(#[$fdoc])* pub $field: $T,)*
        }

        $(#[$doc])*
        #[repr(C)]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
        pub struct $Name {
            /// Vertices (slots).
            pub v: [u32; $n],
            /// Rest shape and material.
            pub e: $E,
        }
    };
}

element!(
    /// A spring: `crate::energy::Spring`.
    DeviceSpring, SpringPart, 2, {
        /// Rest length \[m\].
        l0: f32,
        /// Stiffness \[N/m\].
        ke: f32,
        /// Damping \[N·s/m\].
        kd: f32
    }
);
element!(
    /// A triangle: `crate::energy::Membrane`.
    DeviceTriangle, MembranePart, 3, {
        /// xx, xy, yx, yy \[1/m\].
        Dm_inv: [f32; 4],
        /// Area \[m²\].
        A: f32,
        /// \[N/m\]
        mu: f32,
        /// \[N/m\]
        lambda: f32,
        /// \[N·s/m\]
        kd: f32
    }
);
element!(
    /// A hinge: `crate::energy::Hinge`.
    DeviceHinge, HingePart, 4, {
        /// Rest length \[m\].
        L0: f32,
        /// Rest angle \[rad\].
        theta0: f32,
        /// Stiffness \[N\].
        ke: f32,
        /// Damping \[N·s\].
        kd: f32
    }
);
element!(
    /// A tetrahedron: `crate::energy::Tetrahedron`.
    DeviceTet, TetrahedronPart, 4, {
        /// By columns \[1/m\].
        Dm_inv: [f32; 9],
        /// Volume \[m³\].
        V: f32,
        /// \[Pa\]
        mu: f32,
        /// \[Pa\]
        lambda: f32,
        /// \[Pa·s\]
        kd: f32
    }
);

impl From<&SpringRecord<f32>> for DeviceSpring {
    fn from(s: &SpringRecord<f32>) -> Self {
        Self { v: s.v, e: SpringPart { l0: s.e.l0, ke: s.e.ke, kd: s.e.kd } }
    }
}

impl From<&TriangleRecord<f32>> for DeviceTriangle {
    fn from(t: &TriangleRecord<f32>) -> Self {
        let (e, b) = (&t.e, &t.e.Dm_inv);
        let Dm_inv = [b.xx, b.xy, b.yx, b.yy];
        Self { v: t.v, e: MembranePart { Dm_inv, A: e.A, mu: e.mu, lambda: e.lambda, kd: e.kd } }
    }
}

impl From<&HingeRecord<f32>> for DeviceHinge {
    fn from(h: &HingeRecord<f32>) -> Self {
        Self { v: h.v, e: HingePart { L0: h.e.L0, theta0: h.e.theta0, ke: h.e.ke, kd: h.e.kd } }
    }
}

impl From<&TetRecord<f32>> for DeviceTet {
    fn from(t: &TetRecord<f32>) -> Self {
        let (e, b) = (&t.e, &t.e.Dm_inv);
        let Dm_inv = [b.x.x, b.x.y, b.x.z, b.y.x, b.y.y, b.y.z, b.z.x, b.z.y, b.z.z];
        Self { v: t.v, e: TetrahedronPart { Dm_inv, V: e.V, mu: e.mu, lambda: e.lambda, kd: e.kd } }
    }
}
