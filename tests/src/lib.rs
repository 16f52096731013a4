//! Integration tests of the whole product: one binary.
