//! Linux's NUMA decisions: predicted from firmware's tables, and observed on a machine.
//!
//! Both answers should be the same:
//!
//! - [`predict`]: Linux's decision, rule by rule, from the tables, the memory map, the CPUs, the
//!   command line and the kernel's version ([`PredictionInput`]). A [`Prediction`] lists each
//!   [`KernelCause`] with the table entry, the kernel's message and the source file that prints it.
//!   Suspicious data that the kernel accepts is a [`KernelDoubt`].
//! - [`ObservedNuma`]: the result on a machine: sysfs, the command line and the kernel's log
//!   ([`KernelLog`]).
//!
//! [`KernelCause::code`] and [`LogEventKind::code`] use the same codes, so that prediction and
//! observation can be compared. Codes are never renamed, because documents contain them.
//!
//! Sources: Linux 6.1.192, 6.12.117 and 7.x, `drivers/acpi/numa`, `arch/x86/mm`,
//! `mm/numa_memblks.c`, `drivers/base/arch_numa.c`, `drivers/of/of_numa.c`. The rules are compared
//! with logs of real kernels (tests/it).
//!
//! ```
//! use nearfar_firmware::Firmware;
//! use nearfar_firmware::linux::{Architecture, PredictionInput, NumaOutcome, predict};
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
mod parameters;
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
pub use parameters::{KernelParameter, KernelParameters, ParameterReader};
pub use prediction::{DistanceOrigin, HmatUse, NodeRange, NumaOutcome, PredictedNode, Prediction};
pub use prediction_input::{Architecture, PredictionInput, PresentCpu};
pub use rules::predict;
pub use version::KernelVersion;
