//! Kernels of `shaders/vbd/`, in the order of a step: `docs/theory/vbd-gpu.md`.

use super::{Binding, Kernel, read, uniform, write};

const STEP: Binding = uniform("step", "StepRecord");
const TARGET: Binding = read("particle_target", "array<ParticleTarget>");
const BODIES: Binding = read("bodies", "array<BodyRecord>");
const RECORDS: Binding = read("contact_records", "array<ContactRecord>");
const COUNTS: Binding = read("contact_count", "array<u32>");
const SURFACE: Binding = read("body_surface", "array<BodySurface>");
const Q: Binding = read("particle_q", "array<vec4<f32>>");
const OUTCOME: Binding = write("outcome", "Outcome");
const DEEPEST: &str = "array<vec2<u32>>";

/// What a block reads (`shaders/vbd/eval_block.wgsl`), and one more.
const fn block(last: Binding) -> [Binding; 14] {
    [
        STEP,
        TARGET,
        SURFACE,
        RECORDS,
        COUNTS,
        read("corner_start", "array<vec4<u32>>"),
        read("corners", "array<u32>"),
        read("springs", "array<SpringRecord>"),
        read("triangles", "array<TriangleRecord>"),
        read("hinges", "array<HingeRecord>"),
        read("tets", "array<TetRecord>"),
        read("hinge_start", "array<vec2<f32>>"),
        write("particle_iterate", "array<ParticleIterate>"),
        last,
    ]
}

const BLOCK_SOLVE: [Binding; 15] = {
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = block(Q);
    [a, b, c, d, e, f, g, h, i, j, k, l, m, n, write("particle_next", "array<ParticleIterate>")]
};

/// What a body reads: `shaders/vbd/eval_body.wgsl`.
const BODY: [Binding; 9] = [
    STEP,
    TARGET,
    read("particle_iterate", "array<ParticleIterate>"),
    BODIES,
    RECORDS,
    read("body_contacts", "array<u32>"),
    read("body_contact_count", "array<u32>"),
    write("body_state", "array<BodyState>"),
    write("body_surface", "array<BodySurface>"),
];

const BODY_RESIDUAL: [Binding; 10] = {
    let [a, b, c, d, e, f, g, h, i] = BODY;
    [a, b, c, d, e, f, g, h, i, write("body_residual", "array<f32>")]
};

pub(super) static KERNELS: &[Kernel] = &[
    Kernel {
        stem: "vbd/predict_particle",
        entry: "predict_particle",
        bindings: &[
            STEP,
            Q,
            read("particle_info", "array<ParticleInfo>"),
            read("particle_f", "array<vec4<f32>>"),
            write("particle_qd", "array<vec4<f32>>"),
            write("particle_target", "array<ParticleTarget>"),
            write("particle_iterate", "array<ParticleIterate>"),
            OUTCOME,
        ],
        params: None,
    },
    Kernel {
        stem: "vbd/place_proxy",
        entry: "place_proxy",
        bindings: &[
            Q,
            read("proxy_targets", "array<ProxyTarget>"),
            write("particle_qd", "array<vec4<f32>>"),
            write("particle_target", "array<ParticleTarget>"),
            write("particle_iterate", "array<ParticleIterate>"),
        ],
        params: Some("RangeParams"),
    },
    Kernel {
        stem: "vbd/place_body",
        entry: "place_body",
        bindings: &[
            STEP,
            BODIES,
            write("body_state", "array<BodyState>"),
            write("body_surface", "array<BodySurface>"),
        ],
        params: None,
    },
    Kernel {
        stem: "vbd/start_angle",
        entry: "start_angle",
        bindings: &[Q, read("hinges", "array<HingeRecord>"), write("hinge_start", "array<vec2<f32>>")],
        params: Some("RangeParams"),
    },
    Kernel {
        stem: "vbd/detect_particle_shape",
        entry: "detect_particle_shape",
        bindings: &[
            STEP,
            Q,
            read("particle_info", "array<ParticleInfo>"),
            TARGET,
            read("shapes", "array<ShapeRecord>"),
            BODIES,
            read("pair_material", "array<vec4<f32>>"),
            write("contact_records", "array<ContactRecord>"),
            write("contact_count", "array<u32>"),
        ],
        params: None,
    },
    Kernel {
        stem: "vbd/list_body_contacts",
        entry: "list_body_contacts",
        bindings: &[
            STEP,
            BODIES,
            RECORDS,
            COUNTS,
            write("body_contacts", "array<u32>"),
            write("body_contact_count", "array<u32>"),
        ],
        params: None,
    },
    Kernel {
        stem: "vbd/residual_particle",
        entry: "residual_particle",
        bindings: &block(write("residual_sq", "array<f32>")),
        params: None,
    },
    Kernel {
        stem: "vbd/residual_body",
        entry: "residual_body",
        bindings: &BODY_RESIDUAL,
        params: Some("RangeParams"),
    },
    Kernel { stem: "vbd/solve_body", entry: "solve_body", bindings: &BODY, params: None },
    Kernel {
        stem: "vbd/solve_particle",
        entry: "solve_particle",
        bindings: &BLOCK_SOLVE,
        params: Some("RangeParams"),
    },
    Kernel {
        stem: "vbd/apply_particle",
        entry: "apply_particle",
        bindings: &[
            TARGET,
            read("particle_next", "array<ParticleIterate>"),
            write("particle_iterate", "array<ParticleIterate>"),
        ],
        params: Some("RangeParams"),
    },
    Kernel {
        stem: "vbd/finalize_particle",
        entry: "finalize_particle",
        bindings: &[
            STEP,
            TARGET,
            read("particle_iterate", "array<ParticleIterate>"),
            write("particle_q", "array<vec4<f32>>"),
            write("particle_qd", "array<vec4<f32>>"),
            OUTCOME,
        ],
        params: None,
    },
    Kernel {
        stem: "vbd/measure_particle",
        entry: "measure_particle",
        bindings: &[
            STEP,
            TARGET,
            read("particle_iterate", "array<ParticleIterate>"),
            SURFACE,
            RECORDS,
            COUNTS,
            write("deepest", DEEPEST),
            OUTCOME,
        ],
        params: None,
    },
    Kernel {
        stem: "vbd/name_worst",
        entry: "name_worst",
        bindings: &[
            STEP,
            read("residual_sq", "array<f32>"),
            read("residual_max", "array<f32>"),
            read("deepest", DEEPEST),
            OUTCOME,
        ],
        params: None,
    },
    Kernel {
        stem: "vbd/gather_particle",
        entry: "gather_particle",
        bindings: &[
            read("wanted", "array<u32>"),
            Q,
            read("particle_qd", "array<vec4<f32>>"),
            read("particle_iterate", "array<ParticleIterate>"),
            write("ends", "array<ParticleEnd>"),
        ],
        params: Some("RangeParams"),
    },
];
