//! GPU drivers by their libraries, loaded while the program runs: which GPUs there are, and copies
//! between their memory and the host's, timed by the GPUs.
//!
//! [`load_driver`] finds NVIDIA's (`libcuda.so.1`) or AMD's (`libamdhip64.so`). No other software
//! of the vendors is needed, and none when nearfar is built. [`GpuDriver`] lists GPUs and opens
//! them. A [`Gpu`] gives memory, streams and events, which release themselves.
//! [`Gpu::register`] pins memory of the host where the caller has placed it.
//!
//! The interfaces have the same functions but for their names and a few arguments
//! (`src/functions.rs`), so that one implementation serves both. Signatures, constants and error
//! codes were compared with `cuda.h` of CUDA 12.9, with `hip_runtime_api.h` of HIP 5.2 (Debian 12),
//! and with what AMD's Python bindings of HIP 10.0 declare.

mod calls;
mod context;
mod device_memory;
mod driver;
mod event;
mod functions;
mod gpu;
mod library;
mod load_error;
mod registered_memory;
mod stream;

use std::error::Error;
use std::fmt;

use serde::{Deserialize, Serialize};

pub use device_memory::DeviceMemory;
pub use driver::{GpuDriver, load_driver};
pub use event::Event;
pub use gpu::Gpu;
pub use load_error::{LoadAttempt, LoadError, LoadFailure};
pub use registered_memory::RegisteredMemory;
pub use stream::Stream;

/// A GPU, as its driver describes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GpuIdentity {
    /// Its number in this process: environment variables hide and reorder GPUs.
    pub index: usize,
    /// Its product name.
    pub name: String,
    /// Its address on the PCI bus, as sysfs writes it (`0000:3b:00.0`); absent where the driver
    /// reports none.
    pub address: Option<String>,
    /// Its memory.
    pub memory_bytes: u64,
    /// The node of the host that the driver claims to be nearest; -1 where the driver claims that
    /// the system has no nodes; absent where the driver is too old to know.
    pub claimed_node: Option<i32>,
    /// Whether it is a slice of a GPU (MIG).
    pub is_mig: bool,
}

/// An address of the PCI bus as sysfs writes it, from a driver's: the domain has at least four
/// digits, and letters are small.
pub(crate) fn sysfs_address(text: &str) -> Option<String> {
    let text = text.trim().to_ascii_lowercase();
    let (domain, rest) = text.split_once(':')?;
    let domain = u32::from_str_radix(domain, 16).ok()?;
    let (bus, slot) = rest.split_once(':')?;
    let slot = if slot.contains('.') { slot.to_owned() } else { format!("{slot}.0") };
    (bus.len() == 2 && slot.len() == 4).then(|| format!("{domain:04x}:{bus}:{slot}"))
}

/// A call that the driver refused, or that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GpuError {
    /// The function of the driver, as its manual names it.
    pub call: &'static str,
    /// The driver's number.
    pub code: i32,
    /// The driver's name of the number (`CUDA_ERROR_OUT_OF_MEMORY`).
    pub name: String,
    /// The driver's description.
    pub text: String,
}

/// What an error means for a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GpuErrorKind {
    /// The GPU, or the driver, lacks the memory.
    OutOfMemory,
    /// The GPU is lost or unusable: every later call of this process fails, too.
    Gone,
    /// The driver refused to pin memory of the host.
    HostMemoryRefused,
    /// This GPU or system lacks the operation.
    NotSupported,
    /// Anything else.
    Other,
}

/// Codes after which a process does no more work on the GPU; CUDA and HIP share them.
const GONE: [i32; 19] = [
    4,    // the driver shuts down
    46,   // unavailable
    100,  // no GPU any more,
    101,  // or not this one
    214,  // uncorrectable error of its memory
    220,  // uncorrectable error of its link
    226,  // an exception that the GPU contained
    700,  // illegal address
    702,  // time limit
    709,  // context destroyed
    710,  // assertion
    714,  // exceptions of the GPU: stack,
    715,  // instruction,
    716,  // alignment,
    717,  // address space,
    718,  // program counter,
    719,  // anything else
    999,  // unknown: what a GPU that fell off the bus returns
    1053, // HSA's runtime failed
];

impl GpuError {
    /// What the error means for a measurement.
    pub fn kind(&self) -> GpuErrorKind {
        let is_registration = matches!(self.call, "cuMemHostRegister" | "hipHostRegister");
        match self.code {
            code if GONE.contains(&code) => GpuErrorKind::Gone,
            // No memory to pin, an OS call that failed, a range that is registered already.
            _ if is_registration => GpuErrorKind::HostMemoryRefused,
            2 => GpuErrorKind::OutOfMemory,
            // Peer access; an operation.
            217 | 801 => GpuErrorKind::NotSupported,
            _ => GpuErrorKind::Other,
        }
    }
}

impl fmt::Display for GpuError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { call, code, name, text } = self;
        // HIP has codes whose text is their name.
        if text == name {
            return write!(f, "{call}: {name} ({code})");
        }
        write!(f, "{call}: {text} ({name}, {code})")
    }
}

impl Error for GpuError {}

/// Whose functions a driver's library has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GpuApi {
    /// NVIDIA's driver API, in `libcuda.so.1`.
    Cuda,
    /// AMD's HIP, in `libamdhip64.so`.
    Hip,
}

impl GpuApi {
    /// Every interface, in the order in which they are tried.
    pub const ALL: [Self; 2] = [Self::Cuda, Self::Hip];

    /// Its name, as its vendor writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cuda => "CUDA",
            Self::Hip => "HIP",
        }
    }

    /// Names of its library, as the loader searches them, newest first.
    pub(crate) fn libraries(self) -> &'static [&'static str] {
        match self {
            Self::Cuda => &["libcuda.so.1"],
            // ROCm installs its libraries where the loader searches only on some distributions.
            Self::Hip => &[
                "libamdhip64.so.7",
                "libamdhip64.so.6",
                "libamdhip64.so.5",
                "libamdhip64.so",
                "/opt/rocm/lib/libamdhip64.so",
            ],
        }
    }

    /// The attribute of a GPU that is the nearest node of the host:
    /// `CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID` and `hipDeviceAttributeHostNumaId`.
    pub(crate) fn host_node_attribute(self) -> i32 {
        match self {
            Self::Cuda => 134,
            Self::Hip => 92,
        }
    }

    /// A version number as the driver codes it, for people: CUDA's 12040 is 12.4, HIP's 50221153
    /// is 5.2.
    pub(crate) fn version(self, number: i32) -> String {
        match self {
            Self::Cuda => format!("{}.{}", number / 1000, number % 1000 / 10),
            Self::Hip => format!("{}.{}", number / 10_000_000, number % 10_000_000 / 100_000),
        }
    }
}

impl fmt::Display for GpuApi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::{GpuApi, GpuError, GpuErrorKind, sysfs_address};

    #[test]
    fn addresses_are_those_of_sysfs() {
        assert_eq!(sysfs_address("0000:3B:00.0").as_deref(), Some("0000:3b:00.0"));
        assert_eq!(sysfs_address("00000000:3B:00.0").as_deref(), Some("0000:3b:00.0"));
        assert_eq!(sysfs_address("10000:e1:00.0").as_deref(), Some("10000:e1:00.0"));
        assert_eq!(sysfs_address("0000:3b:00").as_deref(), Some("0000:3b:00.0"));
        assert_eq!(sysfs_address("").as_deref(), None);
        assert_eq!(sysfs_address("3b:00.0").as_deref(), None);
    }

    fn error(call: &'static str, code: i32, name: &str, text: &str) -> GpuError {
        GpuError { call, code, name: name.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn kind_follows_code_and_call() {
        let kinds = [
            ("cuMemAlloc", 2, GpuErrorKind::OutOfMemory),
            ("cuMemHostRegister", 2, GpuErrorKind::HostMemoryRefused),
            ("hipHostRegister", 801, GpuErrorKind::HostMemoryRefused),
            ("cuMemHostRegister", 999, GpuErrorKind::Gone),
            ("cuStreamSynchronize", 719, GpuErrorKind::Gone),
            ("cuCtxEnablePeerAccess", 217, GpuErrorKind::NotSupported),
            ("cuMemAlloc", 1, GpuErrorKind::Other),
        ];
        for (call, code, kind) in kinds {
            assert_eq!(error(call, code, "name", "text").kind(), kind, "{call} {code}");
        }
    }

    #[test]
    fn line_has_call_text_name_and_code() {
        let cuda = error("cuMemAlloc", 2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory");
        assert_eq!(cuda.to_string(), "cuMemAlloc: out of memory (CUDA_ERROR_OUT_OF_MEMORY, 2)");
        let hip = error("hipInit", 101, "hipErrorInvalidDevice", "hipErrorInvalidDevice");
        assert_eq!(hip.to_string(), "hipInit: hipErrorInvalidDevice (101)");
    }

    #[test]
    fn versions_are_for_people() {
        let versions = [
            (GpuApi::Cuda, 12040, "12.4"),
            (GpuApi::Cuda, 13000, "13.0"),
            (GpuApi::Cuda, 9000, "9.0"),
            (GpuApi::Hip, 50_221_153, "5.2"),
            (GpuApi::Hip, 70_226_015, "7.2"),
        ];
        for (api, number, text) in versions {
            assert_eq!(api.version(number), text);
        }
    }
}
