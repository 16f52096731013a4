//! Shared, versioned, copy-on-write arrays.
