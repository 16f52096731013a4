//! Contacts between bodies as the solver finds them, and which of them are those of before.
//! Detection: `docs/theory/contact-detection.md`.

use coact_collide::{
    ContactMatcher, ContactMatching, ShapeContact, ShapePairDetector, ShapePairOptions, UnsupportedShape,
};
use coact_model::ModelView;

use crate::body::{Bodies, Place};
use crate::touch::Touch;

/// Steps that are looked ahead for what passes: what comes to a border just at the end of the step is seen
/// beyond it.
const AHEAD: f64 = 1.5;

/// The detector of a view.
#[derive(Clone, Debug)]
pub struct BodyDetection {
    detector: ShapePairDetector,
    matcher: ContactMatcher,
    matching: ContactMatching,
    /// Contacts of the last detection.
    contacts: Vec<ShapeContact>,
    speculative: bool,
    /// How far a contact may move and be the same \[m\]; `None` = a tenth of the smaller shape.
    distance: Option<f64>,
}

impl BodyDetection {
    /// The shapes of a view. `speculative`: reach as far as bodies are about to move.
    ///
    /// # Errors
    /// A shape that cannot be met.
    pub fn new(
        view: &ModelView,
        matching: ContactMatching,
        distance: Option<f64>,
        speculative: bool,
    ) -> Result<Self, UnsupportedShape> {
        let detector = ShapePairDetector::new(view, ShapePairOptions::default())?;
        let (matcher, contacts) = (ContactMatcher::default(), Vec::new());
        Ok(Self { detector, matcher, matching, contacts, speculative, distance })
    }

    /// Takes over shapes and what may meet.
    pub fn update(&mut self, view: &ModelView) {
        self.detector.update(view);
    }

    /// Forgets the contacts.
    pub fn clear(&mut self) {
        self.contacts.clear();
    }

    /// Finds contacts where bodies are at `place`, in a step of size `h`. Returns whether memory grew.
    pub fn detect(&mut self, bodies: &Bodies, place: Place, h: f64) -> bool {
        self.contacts.clear();
        if self.detector.is_empty() {
            return false;
        }
        let before = self.contacts.capacity();
        let far = |b: usize, far| match (self.speculative, place) {
            (true, Place::Begin) => bodies.get(b).motion_bound(far),
            _ => 0.0,
        };
        self.detector.place(|b| bodies.frame_at(b.index(), place), |b, f| far(b.index(), f));
        if self.speculative && place == Place::Begin {
            self.detector.aim(|b| bodies.get(b.index()).frame_ahead(AHEAD * h, h));
        }
        let grew = self.detector.detect(&mut self.contacts);
        grew || self.contacts.capacity() > before
    }

    /// For each of `contacts`, or those of the last detection, the place of the same one in `kept`.
    /// Sticky ones keep their points.
    pub fn find_kept(&mut self, kept: &[Touch], given: Option<&[ShapeContact]>, bodies: &Bodies) {
        let kept = if self.matching == ContactMatching::Disabled { &[] } else { kept };
        let detector = &self.detector;
        let distance = |a, b| self.distance.unwrap_or_else(|| detector.matching_distance(a, b));
        self.matcher.find(kept, given.unwrap_or(&self.contacts), distance);
        if self.matching == ContactMatching::Sticky && given.is_none() {
            let frame = |b: coact_model::BodyId| bodies.frame_at(b.index(), Place::Begin);
            self.matcher.stick(kept, &mut self.contacts, frame, distance);
        }
    }

    /// Contacts of the last detection; matches of the last search.
    pub fn found(&self) -> (&[ShapeContact], &[Option<u32>]) {
        (&self.contacts, self.matcher.matches())
    }
}
