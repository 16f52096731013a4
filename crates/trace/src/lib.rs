//! Trajectories, logs, exporters and pictures.
