//! Entries, proxy and ADMM coupling, acceleration and convergence.
