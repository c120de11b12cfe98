//! How does a *program* get its place? What numactl is asked for, from words to system calls.
//!
//! 1. [`LaunchRequest::parse`] reads the words, numactl's in numactl's order, and knows nothing of
//!    the machine.
//! 2. [`LaunchRequest::check`] holds their lists against a machine: a [`Launch`], or one line why
//!    not.
//! 3. [`Placement::apply`] puts it into force for this thread, and so for the program that it
//!    becomes.
//!
//! What there is to choose among is a [`Hardware`]; what this thread has, and a program started by
//! it would get, a [`ThreadPolicy`]. A launch can be explained instead ([`Explanation`]), or
//! translated for another system's ([`Translation`]); where the pages of a started program really
//! are is [`Watched`].
//!
//! ```
//! use nearfar_process::launch::{Dialect, LaunchRequest, LaunchTask};
//! use nearfar_machine::Source;
//!
//! let node = "/sys/devices/system/node";
//! let source = Source::from_files([
//!     (format!("{node}/online"), "0,4"),
//!     (format!("{node}/has_memory"), "0,4"),
//!     (format!("{node}/has_cpu"), "0"),
//!     (format!("{node}/node0/cpulist"), "0-3"),
//!     ("/sys/devices/system/cpu/online".to_owned(), "0-3"),
//! ]);
//! let words = ["-N", "0", "-m", "all", "ls", "-l"].map(Into::into);
//! let request = LaunchRequest::parse(words.into(), Dialect::Numactl)?;
//! assert_eq!(request.task, LaunchTask::Run(vec!["ls".into(), "-l".into()]));
//! let launch = request.check(&source)?;
//! assert_eq!(launch.placement.cpus.unwrap().cpus.to_string(), "0-3");
//! assert_eq!(launch.placement.memory.unwrap().nodes().unwrap().to_string(), "0,4");
//! # Ok::<(), nearfar_process::launch::LaunchError>(())
//! ```
//!
//! Nothing here prints or starts a program. Sentences stand in [`text`].

mod as_system;
mod check;
mod error;
mod hardware;
mod near;
mod options;
mod order;
mod placement;
mod request;
mod set_weights;
mod shared;
mod show;
pub mod size;
pub mod text;
mod weights;
mod words;

pub use as_system::{ConfigSnippet, System, Translation};
pub use check::Launch;
pub use error::LaunchError;
pub use hardware::{HARDWARE_SCHEMA, Hardware};
pub use near::NearPlacement;
pub use options::{Dialect, OptionName, OptionSpelling, ValueKind, options};
pub use placement::{CpuChoice, MemoryChoice, Placement};
pub use request::{LaunchRequest, LaunchTask};
pub use set_weights::WeightsError;
pub use shared::{
    MisplacedStretch, NodeStretch, PolicyStretch, SharedAnswer, SharedName, SharedStep, SharedWork,
};
pub use show::{SHOW_SCHEMA, ThreadPolicy};
pub use text::explanation::{
    CpusExplained, Explanation, KernelFacts, MemoryExplained, MissingFeature, NearClaims,
    NearExplained, NodeMemoryExplained,
};
pub use text::watched::{BytesOnNode, MemoryByNode, Watched};
pub use weights::Weights;
