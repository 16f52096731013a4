//! What the tests of the solver share.

#![allow(dead_code)]

pub mod scenes;
