//! Trajectories: one `.npy` per column, frame first, so that NumPy reads them bare.
//!
//! | column | shape | meaning |
//! |---|---|---|
//! | `step` | frames | step number, 0 = initial state |
//! | `time` | frames | s |
//! | `particle_q`, `particle_qd` | frames × particles × 3 | m, m/s |
//! | `body_q` | frames × bodies × 7 | m; quaternion x, y, z, w |
//! | `body_qd` | frames × bodies × 6 | centre of mass m/s, angular rad/s |
//! | `joint_q`, `joint_qd` | frames × coordinates or freedoms | as the model has them |
//!
//! While a run lives, the columns are files in `trajectory/`; on a clean end they are
//! packed into `trajectory.npz`. A kill leaves the folder, valid up to its last flush.

mod read;
mod write;

pub use read::Trajectory;
pub use write::{Recording, TrajectorySink};

/// The folder of columns inside a run folder.
pub const FOLDER: &str = "trajectory";
/// The packed file inside a run folder.
pub const PACKED: &str = "trajectory.npz";

/// Names of the state columns, in the order of files and comparisons.
pub const STATE_COLUMNS: [&str; 6] =
    ["particle_q", "particle_qd", "body_q", "body_qd", "joint_q", "joint_qd"];
