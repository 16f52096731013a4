//! Criterion suites and the race against peers.
