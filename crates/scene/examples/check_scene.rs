//! Prints what `coact check` prints.
fn main() {
    let path = std::env::args().nth(1).expect("a scene file");
    let scene = coact_scene::load(path.as_ref(), &[]).unwrap_or_else(|e| panic!("{e:?}"));
    println!("{}", scene.explain().unwrap_or_else(|e| panic!("{e:?}")));
}
