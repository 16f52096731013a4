//! Bodies of other solvers that stand in here as proxies.
//!
//! Theory: `docs/theory/articulated.md` eq. (35)-(37). A proxy is a single body whose free
//! motion over the step was handed over: its rates before contacts are those of the free end,
//! contacts change them, and it ends as far from the free end as the change takes it. It
//! meets the links by detection of its own; what it received is what its contacts gave.

use coact_collide::{ShapeContact, ShapePairDetector, ShapePairOptions, UnsupportedShape};
use coact_math::Spatial;
use coact_model::{BodyId, ModelView};
use coact_solver::{EndpointState, ProxyMotion, SolverError};

use crate::free_body::FreeSpin;
use crate::layout::{Layout, Role};
use crate::solver::SolverArticulated;

/// The proxies of a view and what finds their contacts.
pub(crate) struct Proxies {
    detector: ShapePairDetector,
    pub found: Vec<ShapeContact>,
    /// The coming step of each proxy, by id; `None` = it coasts.
    motions: Vec<(BodyId, Option<ProxyMotion>)>,
}

impl Proxies {
    /// `None`: the view has none.
    ///
    /// # Errors
    /// A shape that cannot be met.
    pub fn new(view: &ModelView) -> Result<Option<Self>, SolverError> {
        let mut bodies = view.ownership().proxy_bodies.clone();
        bodies.sort_unstable();
        if bodies.is_empty() {
            return Ok(None);
        }
        let detector = ShapePairDetector::new(view, ShapePairOptions::default());
        let detector = detector.map_err(|bad| refuse_shape(&bad))?;
        let motions = bodies.into_iter().map(|b| (b, None)).collect();
        Ok(Some(Self { detector, found: Vec::new(), motions }))
    }

    /// The view changed, the proxies did not.
    pub fn update(&mut self, view: &ModelView) {
        self.detector.update(view);
    }

    fn arm(&mut self, body: BodyId, motion: ProxyMotion) {
        if let Ok(i) = self.motions.binary_search_by_key(&body, |m| m.0) {
            self.motions[i].1 = Some(motion);
        }
    }

    /// What was handed over for the coming step.
    pub fn motion(&self, body: BodyId) -> Option<&ProxyMotion> {
        let i = self.motions.binary_search_by_key(&body, |m| m.0).ok()?;
        self.motions[i].1.as_ref()
    }
}

fn refuse_shape(bad: &UnsupportedShape) -> SolverError {
    SolverError::Setting {
        setting: "shape",
        value: format!("{} ({}): {}", bad.shape, bad.kind, bad.fault),
        remedy: "mend its geometry, or clear the shape's COLLIDE_SHAPES flag".into(),
    }
}

impl SolverArticulated {
    /// Begin and free end of a proxy in the coming step.
    pub(crate) fn begin_proxy(&mut self, body: BodyId, motion: &ProxyMotion) {
        let Role::Link(i) = self.layout.roles[body.index()] else { return };
        let begin = &motion.begin;
        self.motion.set_free(&self.layout.links[i], &begin.pose, &begin.velocity);
        self.refresh_tree(self.layout.links[i].tree);
        if let Some(proxies) = &mut self.proxies {
            proxies.arm(body, *motion);
        }
    }

    /// eq. (35), (36): rates and spin before contacts, and how much farther than a coasting body
    /// the free end is. Returns whether the tree is that of a proxy.
    pub(crate) fn apply_proxy(&mut self, tree: usize, h: f64) -> bool {
        let Some(free) = self.proxy_end(tree) else { return false };
        let t = &self.layout.trees[tree];
        let link = &self.layout.links[t.links.start];
        self.u[t.dofs.start..t.dofs.start + 3].copy_from_slice(free.velocity.lin.as_slice());
        self.u[t.dofs.start + 3..t.dofs.end].copy_from_slice(free.velocity.ang.as_slice());
        let begin = self.kin.pose[t.links.start].q;
        self.spin[tree] = FreeSpin::given(begin, free.pose.q, free.velocity.ang);
        let coasted = self.kin.com[t.links.start] + free.velocity.lin * h;
        self.offset[tree] = free.pose.point(&link.com) - coasted;
        true
    }

    /// Where the proxy of a tree comes to if nothing touches it.
    fn proxy_end(&self, tree: usize) -> Option<EndpointState> {
        let proxies = self.proxies.as_ref()?;
        let t = &self.layout.trees[tree];
        let body = self.layout.links[t.links.start].body;
        if !self.view.is_proxy_body(body) {
            return None;
        }
        let i = t.links.start;
        let now = EndpointState { pose: self.kin.pose[i], velocity: self.velocity[i] };
        Some(proxies.motion(body).map_or(now, |m| m.free))
    }

    /// Finds the contacts between proxies and what is owned here.
    pub(crate) fn detect_proxies(&mut self, h: f64) {
        let Some(mut proxies) = self.proxies.take() else { return };
        let velocity = |b: BodyId| self.body_state(b).1;
        let reach = |v: &Spatial, far: f64| h * (v.lin.norm() + far * v.ang.norm());
        proxies.detector.place(|b| self.body_state(b).0, |b, far| reach(&velocity(b), far));
        proxies.found.clear();
        proxies.detector.detect(&mut proxies.found);
        let is_proxy = |b: Option<BodyId>| b.is_some_and(|b| self.view.is_proxy_body(b));
        proxies.found.retain(|c| is_proxy(c.body0) || is_proxy(c.body1));
        self.proxies = Some(proxies);
    }
}

/// Whether a link stands for another entry's body.
pub(crate) fn is_proxy(view: &ModelView, layout: &Layout, link: usize) -> bool {
    view.is_proxy_body(layout.links[link].body)
}
