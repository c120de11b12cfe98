//! A driver's error, with its code, name and text.

use std::error::Error;
use std::fmt;

use serde::{Deserialize, Serialize};

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

#[cfg(test)]
mod tests {
    use super::{GpuError, GpuErrorKind};

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
}
