//! What this machine allows, what each refusal disables, and how to allow it.
//!
//! - [`Facility`]: what nearfar asks of a machine, and the commands that need it.
//! - [`Obstruction`]: why a facility is not available. A refused call, an unreadable file and a
//!   missing device are different.
//! - [`Remedy`]: what makes it available: on a host, in Docker, in Kubernetes.
//! - [`DoctorDocument`]: all of it, as `nearfar doctor --json` prints it.
//!
//! Pure: the results of attempts are arguments. Nothing here makes a call, reads a file or prints.

mod check_state;
mod document;
mod facility;
mod obstruction;
mod remedies;
mod remedy;

pub use check_state::CheckState;
pub use document::{DoctorDocument, FacilityCheck, SCHEMA};
pub use facility::Facility;
pub use obstruction::{LackingPolicy, Obstruction};
pub use remedy::Remedy;
