//! Parity and layouts.
