//! What would Linux make of firmware's tables, and what did it make of them?
//!
//! Two answers that should be the same:
//!
//! - [`predict`]: the decision that Linux takes, rule by rule, from the tables, the map of memory,
//!   the CPUs, the command line and the kernel's version ([`PredictionInput`]). A [`Prediction`]
//!   names each [`KernelCause`] with the entry at fault, the message that the kernel prints and the
//!   source file that prints it; what the kernel accepts in silence is a [`KernelDoubt`].
//! - [`ObservedNuma`]: what it did make of them: sysfs, the command line, and its own words
//!   ([`KernelLog`]).
//!
//! [`KernelCause::code`] and [`LogEventKind::code`] are the same words for the same thing, so that the two
//! can be held against each other. Codes are never renamed: documents carry them.
//!
//! Sources: Linux 6.1.192, 6.12.117 and 7.x, `drivers/acpi/numa`, `arch/x86/mm`,
//! `mm/numa_memblks.c`, `drivers/base/arch_numa.c`, `drivers/of/of_numa.c`. The rules are told here
//! in our words and order, and were held against what kernels logged (tests/it).
//!
//! ```
//! use nearfar_firmware::Firmware;
//! use nearfar_linux::{Architecture, PredictionInput, NumaOutcome, predict};
//!
//! let firmware = Firmware::default();
//! let prediction = predict(&PredictionInput::new(&firmware, Architecture::X86));
//! assert_eq!(prediction.outcome, NumaOutcome::Withheld);
//! assert_eq!(prediction.causes[0].code, "no-srat");
//! assert_eq!(prediction.causes[0].message.as_deref(), Some("No NUMA configuration found"));
//! ```

mod cause;
mod command_line;
pub mod log;
mod memory_kind;
mod memory_map;
mod observed;
mod prediction;
mod prediction_input;
mod rules;
mod version;

pub use cause::{CauseEffect, KernelCause, KernelDoubt, TableEvidence};
pub use command_line::{CommandLine, Emulation};
pub use log::{KernelLog, LogEvent, LogEventKind};
pub use memory_kind::MemoryKind;
pub use memory_map::{MapOrigin, MemoryMap, MemoryRange};
pub use observed::{ObservedNode, ObservedNuma, SysfsNodes};
pub use prediction::{DistanceOrigin, HmatUse, NodeRange, NumaOutcome, PredictedNode, Prediction};
pub use prediction_input::{Architecture, PredictionInput, PresentCpu};
pub use rules::predict;
pub use version::KernelVersion;
