//! What CI runs, by name.

fn main() {}
