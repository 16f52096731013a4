use coact_verify::reference::*;
fn main() {
    let only: Vec<String> = std::env::args().skip(1).collect();
    let dir = std::path::Path::new("/work/shared/reference/newton/scenes");
    for p in find_cases(dir).unwrap() {
        let case = Case::read(&p).unwrap();
        if !only.iter().any(|o| case.name.contains(o.as_str())) { continue; }
        for v in case.variants() {
            let s = Settings { mode: Mode::Reference, precision: coact_vbd::Precision::Double, device: coact_compute::DeviceChoice::Cpu, recorded_contacts: true };
            match compare(&v, &s) {
                Ok(Outcome::Compared(c)) => {
                    print!("{:32}", c.title);
                    for r in &c.records { print!(" {}:{:.1e}", r.step, r.difference); }
                    println!();
                }
                Ok(Outcome::Unsupported(u)) => println!("{:32} unsupported {u:?}", v.title()),
                Err(e) => println!("{:32} ERR {e}", v.title()),
            }
        }
    }
}
