//! What a solver refuses, with the remedy in the text.

use coact_model::EntityId;

/// A request that cannot work, or a fault of the machine.
#[derive(Debug, thiserror::Error)]
pub enum SolverError {
    /// A setting is out of its range.
    #[error("{setting} = {value} is refused: {remedy}")]
    Setting {
        /// The setting.
        setting: &'static str,
        /// Its value, as text.
        value: String,
        /// What to write instead.
        remedy: String,
    },
    /// The solver cannot handle an entity that it owns.
    #[error("{entity}: {what}; {remedy}")]
    Entity {
        /// The entity.
        entity: EntityId,
        /// What is wrong with it.
        what: String,
        /// What to do.
        remedy: String,
    },
    /// The device failed.
    #[error("device: {0}")]
    Device(String),
}
