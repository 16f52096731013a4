//! The end of building: check, measure, color, and hand over the model.

use std::sync::Arc;

use super::ModelBuilder;
use crate::coloring::{Adjacency, greedy_coloring};
use crate::error::{ModelError, Warning};
use crate::ids::ShapeId;
use crate::model::Model;

impl ModelBuilder {
    /// The model. Errors: the first thing found wrong, see [`ModelError`].
    pub fn finalize(self) -> Result<Model, ModelError> {
        self.finalize_with_warnings().map(|(model, _)| model)
    }

    /// The model, and what is legal in it but looks like a slip. Errors as
    /// [`ModelBuilder::finalize`].
    pub fn finalize_with_warnings(mut self) -> Result<(Model, Vec<Warning>), ModelError> {
        if let Some(error) = self.deferred.first() {
            return Err(error.clone());
        }
        let mass = self.body_masses()?;
        let mut m =
            Model { gravity: self.gravity, materials: self.materials.clone().into(), ..Model::default() };
        self.fill_particles(&mut m);
        self.fill_elements(&mut m);
        self.fill_bodies(&mut m, &mass);
        self.fill_shapes(&mut m);
        self.fill_joints(&mut m);
        self.fill_attachments(&mut m);
        m.shape_filter_pairs = self.filter_pairs().into();
        let mut edges = Vec::new();
        for t in &self.triangles {
            let [a, b, c] = t.v.map(|p| p.0);
            edges.extend([[a, b], [b, c], [a, c]]);
        }
        m.particle_color = greedy_coloring(&Adjacency::from_edges(self.particles.len(), &edges)).into();
        m.body_color = vec![0; self.bodies.len()].into();
        m.names = Arc::new(std::mem::take(&mut self.names));
        Ok((m, Vec::new()))
    }

    fn filter_pairs(&self) -> Vec<(ShapeId, ShapeId)> {
        self.filters.clone()
    }
}
