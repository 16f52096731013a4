//! The end of building: check, measure, color, and hand over the model.

use std::sync::Arc;

use super::ModelBuilder;
use crate::coloring::{Conflicts, body_conflicts, check_groups, particle_conflicts, static_coloring};
use crate::error::{ModelError, Warning};
use crate::ids::ShapeId;
use crate::model::Model;
use crate::names::Names;

impl ModelBuilder {
    /// The model. Errors: the first thing found wrong, see [`ModelError`].
    pub fn finalize(self) -> Result<Model, ModelError> {
        self.finalize_with_warnings().map(|(model, _)| model)
    }

    /// The model, and what is legal in it but looks like a slip. Errors as
    /// [`ModelBuilder::finalize`].
    pub fn finalize_with_warnings(mut self) -> Result<(Model, Vec<Warning>), ModelError> {
        self.check()?;
        let mut m = self.columns()?;
        self.settle_joints(&mut m)?;
        m.shape_filter_pairs = self.filter_pairs().into();
        self.color(&mut m)?;
        let warnings = self.warnings(&m);
        m.names = Arc::new(std::mem::take(&mut self.names));
        Ok((m, warnings))
    }

    pub(super) fn check(&self) -> Result<(), ModelError> {
        if let Some(error) = self.deferred.first() {
            return Err(error.clone());
        }
        self.check_names()?;
        self.check_particles()?;
        self.check_elements()?;
        self.check_bodies()?;
        self.check_shapes()?;
        self.check_joints()?;
        self.check_attachments()
    }

    /// All columns but names, colors and what is read off poses.
    pub(super) fn columns(&self) -> Result<Model, ModelError> {
        let mut m =
            Model { gravity: self.gravity, materials: self.materials.clone().into(), ..Model::default() };
        self.fill_particles(&mut m);
        self.fill_elements(&mut m);
        self.fill_bodies(&mut m, &self.body_masses()?);
        self.fill_shapes(&mut m);
        self.fill_joints(&mut m);
        self.fill_attachments(&mut m);
        Ok(m)
    }

    /// Pairs asked for and pairs on one body, sorted. What an enabled joint connects is left to detection.
    fn filter_pairs(&self) -> Vec<(ShapeId, ShapeId)> {
        let mut of_body = vec![Vec::new(); self.bodies.len()];
        for (i, s) in self.shapes.iter().enumerate() {
            if let Some(b) = s.body {
                of_body[b.index()].push(ShapeId::new(i));
            }
        }
        let mut pairs = self.filters.clone();
        for shapes in &of_body {
            let rest = |i: usize| shapes[i + 1..].iter();
            pairs.extend((0..shapes.len()).flat_map(|i| rest(i).map(move |&b| (shapes[i], b))));
        }
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    fn color(&self, m: &mut Model) -> Result<(), ModelError> {
        let particles = particle_conflicts(m, self.color_bending);
        let groups = self.particle_groups.iter().map(|g| g.iter().map(|p| p.0).collect()).collect();
        m.particle_color = colors(&particles, &self.names, groups)?.into();
        m.particle_color_groups = self.particle_groups.clone().into();
        let groups = self.body_groups.iter().map(|g| g.iter().map(|b| b.0).collect()).collect();
        m.body_color = colors(&body_conflicts(m), &self.names, groups)?.into();
        m.body_color_groups = self.body_groups.clone().into();
        Ok(())
    }
}

/// Colors of explicit groups if there are any, else computed ones.
fn colors(c: &Conflicts, names: &Names, groups: Vec<Vec<u32>>) -> Result<Vec<u32>, ModelError> {
    if groups.is_empty() { Ok(static_coloring(&c.graph())) } else { check_groups(c, names, &groups) }
}
