//! The facade a library user depends on.
