//! Analytic answers, validation cases and the reader of reference cases.
