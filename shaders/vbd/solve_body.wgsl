// One descent step of every free body: one workgroup each gathers its contacts; its first
// thread solves.
//
// Twin: `Bodies::solve` in crates/vbd/src/body/block.rs. Theory: docs/theory/vbd.md
// eq. (18), (19), docs/theory/vbd-gpu.md section 3.

#include "vbd/eval_body.wgsl"

// Keeps a block without inertia solvable in the first-order rule.
const FIRST_ORDER_SHIFT: f32 = 1e-9;

fn shifted(load: BodyLoad) -> BodyLoad {
    let shift = FIRST_ORDER_SHIFT * (s3_trace(load.aa) / 3.0 + 1.0);
    return BodyLoad(load.lin, load.ang, load.ll, load.al, s3_add_diagonal(load.aa, shift));
}

// eq. (18) with what the contacts put on the body.
fn solve(body: u32, contacts: BodyLoad, surface: BodySurface) {
    let first_order = (step.flags & FLAG_FIRST_ORDER) != 0u;
    var load = eval_body(body, contacts, surface);
    if (first_order) {
        load = shifted(load);
    }
    let move_ = solve_load(load);
    if (!move_.regular) {
        body_state[body].skipped = 1u;
        return;
    }
    let s = body_state[body];
    let dx = s.dx + move_.lin;
    let turn = select(turned(s.turn, move_.ang), half_turned(s.turn, move_.ang), first_order);
    body_state[body] = BodyState(turn, dx, 0u);
    body_surface[body] = eval_surface(bodies[body], turn, dx);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn solve_body(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let body = group.x + group.y * groups.x;
    if (body >= step.free_bodies) {
        return;
    }
    let surface = body_surface[body];
    let contacts = gather_load(body, t, surface);
    if (t == 0u) {
        solve(body, contacts, surface);
    }
}
