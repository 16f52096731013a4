//! The binary `coact`.

fn main() {}
