//! Slots in order of colors, and the incidence of elements. See the head of `prepared`.

use coact_model::{ModelView, ParticleId};

use std::collections::BTreeMap;

use super::fan::{Fan, MAX_SECTORS};
use super::incidence::Incidence;
use super::star::Star;

/// Fewer fans of one size, or stars of one pattern, in a color are left to the general path: they
/// would fill no lanes.
const FAN_RUN: usize = 16;

/// Order of blocks, and who meets whom.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// The particle in each slot. Shape: \[particle_count\].
    pub particle_of: Vec<u32>,
    /// The slot of each particle. Shape: \[particle_count\].
    pub slot_of: Vec<u32>,
    /// Blocks: slots below this.
    pub block_count: usize,
    /// Start of each color's blocks. Shape: \[color_count + 1\].
    pub color_start: Vec<u32>,
    /// Sectors of each block that is evaluated as a fan, else 0. Shape: \[block_count\].
    pub sectors: Vec<u8>,
    /// Number of the star's pattern within its color, from 1; 0 for blocks that are evaluated tetrahedron
    /// by tetrahedron. Shape: \[block_count\].
    pub patterns: Vec<u32>,
    /// Model index of each spring record: those with at least one block.
    pub spring_ids: Vec<u32>,
    /// Model index of each triangle record.
    pub triangle_ids: Vec<u32>,
    /// Model index of each hinge record.
    pub hinge_ids: Vec<u32>,
    /// Model index of each tetrahedron record.
    pub tet_ids: Vec<u32>,
    /// Corners of springs at blocks.
    pub springs: Incidence,
    /// Corners of triangles at blocks.
    pub triangles: Incidence,
    /// Corners of hinges at blocks.
    pub hinges: Incidence,
    /// Corners of tetrahedra at blocks.
    pub tets: Incidence,
}

impl Layout {
    /// Sorts what `view` owns, and its proxies, into blocks.
    pub fn new(view: &ModelView) -> Self {
        let mut layout = Self::default();
        layout.sort_slots(view);
        let (n, slot_of) = (layout.block_count, &layout.slot_of);
        (layout.spring_ids, layout.springs) = gather(n, slot_of, &view.spring_indices);
        (layout.triangle_ids, layout.triangles) = gather(n, slot_of, &view.tri_indices);
        (layout.hinge_ids, layout.hinges) = gather(n, slot_of, &view.hinge_indices);
        (layout.tet_ids, layout.tets) = gather(n, slot_of, &view.tet_indices);
        layout
    }

    /// Number of colors.
    pub fn color_count(&self) -> usize {
        self.color_start.len() - 1
    }

    /// The blocks of a color.
    pub fn color(&self, c: usize) -> std::ops::Range<usize> {
        self.color_start[c] as usize..self.color_start[c + 1] as usize
    }

    /// The color of a slot; of one that is no block the number of colors.
    pub fn color_of(&self, slot: u32) -> usize {
        self.color_start[1..].partition_point(|&end| end <= slot)
    }

    fn sort_slots(&mut self, view: &ModelView) {
        let count = view.particle_count();
        let is_block = |p: usize| {
            let id = ParticleId::new(p);
            view.owns_particle(id) || view.is_proxy_particle(id)
        };
        self.slot_of = vec![u32::MAX; count];
        self.color_start.push(0);
        let meets = valence(view);
        let mut sectors = fan_sizes(view);
        let vertices: Vec<[u32; 4]> = view.tet_indices.iter().map(|v| v.map(|p| p.0)).collect();
        let tets = Incidence::new(count, &vertices);
        let mut patterns = vec![0; count];
        for mut members in colors(view) {
            members.retain(|&p| is_block(p));
            drop_rare(&members, &mut sectors);
            // equal work side by side; the order inside a color changes no result
            number_patterns(&members, |p| Star::at(p, &tets, |e| vertices[e]), &mut patterns);
            members.sort_by_key(|&p| (sectors[p] == 0, sectors[p], patterns[p], meets[p]));
            members.into_iter().for_each(|p| self.append(p));
            if self.particle_of.len() as u32 > self.color_start[self.color_start.len() - 1] {
                self.color_start.push(self.particle_of.len() as u32);
            }
        }
        self.block_count = self.particle_of.len();
        self.sectors = self.particle_of.iter().map(|&p| sectors[p as usize]).collect();
        self.patterns = self.particle_of.iter().map(|&p| patterns[p as usize]).collect();
        (0..count).filter(|&p| !is_block(p)).for_each(|p| self.append(p));
    }

    fn append(&mut self, particle: usize) {
        if self.slot_of[particle] == u32::MAX {
            self.slot_of[particle] = self.particle_of.len() as u32;
            self.particle_of.push(particle as u32);
        }
    }
}

/// Sectors of each particle that is the middle of a closed fan, else 0.
fn fan_sizes(view: &ModelView) -> Vec<u8> {
    let count = view.particle_count();
    let (tri, hinge) = (&view.tri_indices, &view.hinge_indices);
    let triangles = Incidence::new(count, &tri.iter().map(|v| v.map(|p| p.0)).collect::<Vec<_>>());
    let hinges = Incidence::new(count, &hinge.iter().map(|v| v.map(|p| p.0)).collect::<Vec<_>>());
    let size = |p: usize| {
        let fan = Fan::at(p, (&triangles, |e| tri[e].map(|p| p.0)), (&hinges, |e| hinge[e].map(|p| p.0)));
        fan.map_or(0, |f| f.sectors().len() as u8)
    };
    (0..count).map(size).collect()
}

/// Fans of a size that is rare among `members` count as none.
fn drop_rare(members: &[usize], sectors: &mut [u8]) {
    let mut count = [0; 1 + MAX_SECTORS];
    members.iter().for_each(|&p| count[sectors[p] as usize] += 1);
    for &p in members {
        if count[sectors[p] as usize] < FAN_RUN {
            sectors[p] = 0;
        }
    }
}

/// Numbers the patterns of stars among `members` that are no rarity.
fn number_patterns(members: &[usize], star: impl Fn(usize) -> Option<Star>, patterns: &mut [u32]) {
    let stars: Vec<_> = members.iter().map(|&p| star(p).map(|s| s.tets)).collect();
    let mut count: BTreeMap<&[[u8; 3]], usize> = BTreeMap::new();
    stars.iter().flatten().for_each(|s| *count.entry(s).or_default() += 1);
    count.retain(|_, n| *n >= FAN_RUN);
    let number: BTreeMap<_, u32> = count.into_keys().zip(1..).collect();
    for (&p, star) in members.iter().zip(&stars) {
        patterns[p] = star.as_ref().and_then(|s| number.get(&s[..]).copied()).unwrap_or(0);
    }
}

/// How many tetrahedra, hinges, triangles and springs each particle has, one byte each.
fn valence(view: &ModelView) -> Vec<u32> {
    let mut meets = vec![[0_u8; 4]; view.particle_count()];
    let mut count = |kind: usize, vertices: &[ParticleId]| {
        for p in vertices {
            let n = &mut meets[p.index()][kind];
            *n = n.saturating_add(1);
        }
    };
    view.tet_indices.iter().for_each(|v| count(0, v));
    view.hinge_indices.iter().for_each(|v| count(1, v));
    view.tri_indices.iter().for_each(|v| count(2, v));
    view.spring_indices.iter().for_each(|v| count(3, v));
    meets.into_iter().map(u32::from_be_bytes).collect()
}

/// Color groups in order: as given, else by color and id. What a given order forgot
/// follows as groups of one.
fn colors(view: &ModelView) -> Vec<Vec<usize>> {
    let count = view.particle_count();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    if !view.particle_color_groups.is_empty() {
        groups.extend(view.particle_color_groups.iter().map(|g| g.iter().map(|p| p.index()).collect()));
        let mut listed = vec![false; count];
        groups.iter().flatten().for_each(|&p| listed[p] = true);
        groups.extend((0..count).filter(|&p| !listed[p]).map(|p| vec![p]));
        return groups;
    }
    for p in 0..count {
        let c = view.particle_color.get(p).map_or(0, |&c| c as usize);
        if groups.len() <= c {
            groups.resize(c + 1, Vec::new());
        }
        groups[c].push(p);
    }
    groups
}

/// Elements with at least one block: their model indices and their corners at blocks.
fn gather<const N: usize>(
    blocks: usize,
    slot_of: &[u32],
    indices: &[[ParticleId; N]],
) -> (Vec<u32>, Incidence) {
    let slots = |vs: &[ParticleId; N]| vs.map(|p| slot_of[p.index()]);
    let (ids, vertices): (Vec<u32>, Vec<[u32; N]>) = indices
        .iter()
        .map(slots)
        .enumerate()
        .filter(|(_, vs)| vs.iter().any(|&s| (s as usize) < blocks))
        .map(|(e, vs)| (e as u32, vs))
        .unzip();
    let incidence = Incidence::new(blocks, &vertices);
    (ids, incidence)
}
