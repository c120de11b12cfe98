//! What this machine allows, what each refusal disables, and how to allow it.
//!
//! - [`Facility`]: what nearfar asks of a machine, and the commands that need it.
//! - [`Obstruction`]: why a facility is not available. A refused call, an unreadable file and a
//!   missing device are different.
//! - [`FacilityRemedy`]: what makes it available: on a host, in Docker, in Kubernetes.
//! - [`DoctorDocument`]: all of it, as `nearfar doctor --json` prints it.
//!
//! Only [`attempt`] makes calls and opens files; it changes nothing. All else is pure: the results
//! of attempts are arguments. Nothing here prints.

mod attempts;
mod check_state;
mod document;
mod facility;
mod facility_remedy;
mod missing_policy;
mod obstruction;
mod remedies;
pub mod text;

pub use attempts::{TryUring, attempt};
pub use check_state::CheckState;
pub use document::{DoctorDocument, FacilityCheck, SCHEMA};
pub use facility::Facility;
pub use facility_remedy::FacilityRemedy;
pub use missing_policy::{MissingCause, MissingPolicy};
pub use obstruction::Obstruction;
