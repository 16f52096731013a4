//! The solver contract: `Solver`, `CouplingInterface`, reports and errors.
