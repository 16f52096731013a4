//! The pictures of a run: states are kept when their time comes, and drawn when the run is
//! over. Besides those that the scene asks for there is a strip of times spread over the run.

use coact_math::Vec3;
use coact_model::State;
use coact_scene::file::{Camera as Wanted, Picture};
use coact_trace::picture::{Camera, render, strip};
use coact_trace::{RunFolder, Stage};

/// Pictures in the strip, and how many of them stand in a row.
const STRIP: (usize, usize) = (6, 3);
/// Size of each \[pixels\].
const STRIP_SIZE: (usize, usize) = (480, 320);

/// Pictures to be drawn.
pub struct Shots {
    shots: Vec<(Picture, Option<State>)>,
    /// States of the strip with their times \[s\].
    strip: Vec<(f64, State)>,
    end: f64,
    dt: f64,
}

impl Shots {
    /// What the scene asks for, over steps of `dt` \[s\] until `end` \[s\].
    pub fn new(pictures: &[Picture], dt: f64, end: f64) -> Self {
        let shots = pictures.iter().map(|p| (p.clone(), None)).collect();
        Self { shots, strip: Vec::with_capacity(STRIP.0), end, dt }
    }

    /// Whether a picture wants the state at time `t` \[s\].
    pub fn due(&self, t: f64) -> bool {
        self.shots.iter().any(|(p, state)| state.is_none() && self.comes(p, t))
    }

    fn comes(&self, picture: &Picture, t: f64) -> bool {
        picture.time.is_some_and(|wanted| t >= wanted - 0.5 * self.dt)
    }

    /// Keeps the state for pictures whose time has come.
    pub fn take(&mut self, t: f64, state: &State) {
        for k in 0..self.shots.len() {
            if self.shots[k].1.is_none() && self.comes(&self.shots[k].0, t) {
                self.shots[k].1 = Some(state.clone());
            }
        }
        let next = self.strip.len() as f64 / (STRIP.0 - 1) as f64;
        if self.strip.len() < STRIP.0 && t >= next * self.end - 0.5 * self.dt {
            self.strip.push((t, state.clone()));
        }
    }

    /// Draws all; those without a time of their own, or whose time never came, show `last`.
    pub fn write(&self, stage: &Stage, last: &State, folder: &RunFolder) -> coact_trace::Result<()> {
        for (k, (picture, state)) in self.shots.iter().enumerate() {
            let state = state.as_ref().unwrap_or(last);
            let size = picture.size.map(|s| s as usize);
            let camera = match picture.camera {
                Wanted::Auto => Camera::framing(stage, [state], size[0] as f64 / size[1] as f64),
                Wanted::LookAt { eye, target, up } => Camera {
                    eye: Vec3::from(eye),
                    target: Vec3::from(target),
                    up: Vec3::from(up),
                    ..Camera::default()
                },
            };
            render(stage, state, &camera, (size[0], size[1])).write_png(&folder.picture(k))?;
        }
        if self.shots.is_empty() {
            return Ok(());
        }
        strip(stage, &self.strip, STRIP.1, STRIP_SIZE).write_png(&folder.strip())
    }
}
