//! Attachments of particles to bodies.

use super::{AttachmentDef, ModelBuilder};
use crate::ids::AttachmentId;

impl ModelBuilder {
    /// Ties a particle to a point of a body.
    pub fn add_attachment(&mut self, def: AttachmentDef) -> AttachmentId {
        self.attachments.push(def);
        AttachmentId::new(self.attachments.len() - 1)
    }
}
