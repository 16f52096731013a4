// Threads of a dispatch, counted along one line.
//
// A dispatch has at most 65535 workgroups along a dimension; larger ones have
// several rows. Kernels take their index from here and leave if it is beyond
// their count.

// Threads of a workgroup, a power of two. Another value reorders the sums of
// reductions and changes no other result; below the width of a subgroup (32 or
// 64 on GPUs) lanes idle.
const WORKGROUP_SIZE: u32 = 64u;

// Index of a thread: `gid` is global_invocation_id, `groups` num_workgroups.
fn thread_index(gid: vec3<u32>, groups: vec3<u32>) -> u32 {
    return gid.x + gid.y * groups.x * WORKGROUP_SIZE;
}
