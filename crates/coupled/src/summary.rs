//! The report of a coupled step: one part per entry and interface, and their sum.
//!
//! Residuals and penetration are the worst of the entries, counts are sums, non-finite
//! entities are the union by id (a proxy may be bad in two entries).

use coact_solver::{EntryReport, InterfaceReport, MAX_LISTED_ENTITIES, Residual, StepReport};

use crate::Entries;

/// Makes the report ready: right names and lengths. Allocates only for a report that
/// this coupler has not filled before.
pub(crate) fn begin_report<'a>(
    entries: &Entries,
    interfaces: impl ExactSizeIterator<Item = &'a str>,
    report: &mut StepReport,
) {
    report.clear();
    report.entries.resize_with(entries.list.len(), EntryReport::default);
    for (r, e) in report.entries.iter_mut().zip(&entries.list) {
        set_name(&mut r.name, &e.name);
    }
    report.interfaces.resize_with(interfaces.len(), InterfaceReport::default);
    for (r, name) in report.interfaces.iter_mut().zip(interfaces) {
        set_name(&mut r.name, name);
    }
}

fn set_name(slot: &mut String, name: &str) {
    if slot != name {
        name.clone_into(slot);
    }
}

/// Sums the parts up.
pub(crate) fn finish_report(report: &mut StepReport) {
    let parts = std::mem::take(&mut report.entries);
    for part in &parts {
        add_part(report, &part.report);
    }
    report.entries = parts;
    report.nonfinite.sort_unstable();
    report.iterations = report.interfaces.iter().map(|i| i.iterations).max().unwrap_or(1);
}

fn add_part(sum: &mut StepReport, part: &StepReport) {
    if part.residual_last.max >= sum.residual_last.max && part.worst_particle.is_some() {
        sum.worst_particle = part.worst_particle;
    }
    sum.residual_first = worst(sum.residual_first, part.residual_first);
    sum.residual_last = worst(sum.residual_last, part.residual_last);
    sum.skipped_blocks += part.skipped_blocks;
    sum.first_skipped = sum.first_skipped.or(part.first_skipped);
    sum.contacts.particle_shape += part.contacts.particle_shape;
    sum.contacts.particle_shape_active += part.contacts.particle_shape_active;
    sum.contacts.shapes += part.contacts.shapes;
    sum.contacts.shapes_active += part.contacts.shapes_active;
    if part.penetration.depth > sum.penetration.depth {
        sum.penetration = part.penetration;
    }
    sum.growth += part.growth;
    sum.bytes_moved += part.bytes_moved;
    add_nonfinite(sum, part);
}

fn worst(a: Residual, b: Residual) -> Residual {
    Residual { max: a.max.max(b.max), rms: a.rms.max(b.rms) }
}

fn add_nonfinite(sum: &mut StepReport, part: &StepReport) {
    let mut known = 0;
    for &entity in &part.nonfinite {
        if sum.nonfinite.contains(&entity) {
            known += 1;
        } else if sum.nonfinite.len() < MAX_LISTED_ENTITIES {
            sum.nonfinite.push(entity);
        }
    }
    sum.nonfinite_count += part.nonfinite_count.saturating_sub(known);
}
