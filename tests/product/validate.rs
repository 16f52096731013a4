//! Every short case of the analytic suite meets its bounds.

use coact_verify::validate::cases;

#[test]
fn every_short_case_meets_its_bounds() {
    let mut faults = Vec::new();
    for case in cases().into_iter().filter(|c| !c.long) {
        let measures = (case.run)().unwrap_or_else(|e| panic!("{}: {e}", case.name));
        assert!(!measures.is_empty(), "{} measures nothing", case.name);
        for m in measures.iter().filter(|m| !m.ok()) {
            faults.push(format!(
                "{}: {}: {} instead of {} ± {}",
                case.name, m.what, m.measured, m.exact, m.bound
            ));
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn names_are_unique() {
    let mut names: Vec<_> = cases().iter().map(|c| c.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), cases().len());
}
