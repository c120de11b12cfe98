//! The drivers' error codes, with their names and texts.

use std::ffi::{CStr, c_int};

use crate::description::Api;

/// A driver's code for something that failed. CUDA and HIP have the same numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Code(pub(crate) c_int);

/// What a call of the driver gives.
pub(crate) type Answer<T> = Result<T, Code>;

impl Code {
    pub(crate) const INVALID_VALUE: Self = Self(1);
    pub(crate) const OUT_OF_MEMORY: Self = Self(2);
    pub(crate) const NOT_INITIALIZED: Self = Self(3);
    pub(crate) const NO_DEVICE: Self = Self(100);
    pub(crate) const INVALID_DEVICE: Self = Self(101);
    pub(crate) const INVALID_CONTEXT: Self = Self(201);
    pub(crate) const PEER_UNSUPPORTED: Self = Self(217);
    pub(crate) const INIT_FAILED: Self = Self(303);
    pub(crate) const OPERATING_SYSTEM: Self = Self(304);
    pub(crate) const INVALID_HANDLE: Self = Self(400);
    pub(crate) const NOT_READY: Self = Self(600);
    pub(crate) const PEER_ALREADY_ENABLED: Self = Self(704);
    pub(crate) const ALREADY_REGISTERED: Self = Self(712);
    pub(crate) const NOT_REGISTERED: Self = Self(713);
    pub(crate) const NOT_PERMITTED: Self = Self(800);
    pub(crate) const NOT_SUPPORTED: Self = Self(801);
}

/// What a code is called, and its text.
struct Naming {
    code: c_int,
    cuda: &'static CStr,
    hip: &'static CStr,
    text: &'static CStr,
}

const fn naming(
    code: c_int,
    cuda: &'static CStr,
    hip: &'static CStr,
    text: &'static CStr,
) -> Naming {
    Naming { code, cuda, hip, text }
}

/// HIP's name of any code that it does not have.
const UNKNOWN_TO_HIP: &CStr = c"hipErrorUnknown";

const NAMINGS: [Naming; 26] = [
    naming(0, c"CUDA_SUCCESS", c"hipSuccess", c"no error"),
    naming(1, c"CUDA_ERROR_INVALID_VALUE", c"hipErrorInvalidValue", c"invalid argument"),
    naming(2, c"CUDA_ERROR_OUT_OF_MEMORY", c"hipErrorOutOfMemory", c"out of memory"),
    naming(3, c"CUDA_ERROR_NOT_INITIALIZED", c"hipErrorNotInitialized", c"initialization error"),
    naming(4, c"CUDA_ERROR_DEINITIALIZED", c"hipErrorDeinitialized", c"driver shutting down"),
    naming(
        46,
        c"CUDA_ERROR_DEVICE_UNAVAILABLE",
        UNKNOWN_TO_HIP,
        c"CUDA-capable device(s) is/are busy or unavailable",
    ),
    naming(
        100,
        c"CUDA_ERROR_NO_DEVICE",
        c"hipErrorNoDevice",
        c"no CUDA-capable device is detected",
    ),
    naming(101, c"CUDA_ERROR_INVALID_DEVICE", c"hipErrorInvalidDevice", c"invalid device ordinal"),
    naming(
        201,
        c"CUDA_ERROR_INVALID_CONTEXT",
        c"hipErrorInvalidContext",
        c"invalid device context",
    ),
    naming(
        214,
        c"CUDA_ERROR_ECC_UNCORRECTABLE",
        c"hipErrorECCNotCorrectable",
        c"uncorrectable ECC error encountered",
    ),
    naming(
        217,
        c"CUDA_ERROR_PEER_ACCESS_UNSUPPORTED",
        c"hipErrorPeerAccessUnsupported",
        c"peer access is not supported between these two devices",
    ),
    naming(
        303,
        c"CUDA_ERROR_SHARED_OBJECT_INIT_FAILED",
        c"hipErrorSharedObjectInitFailed",
        c"shared object initialization failed",
    ),
    naming(
        304,
        c"CUDA_ERROR_OPERATING_SYSTEM",
        c"hipErrorOperatingSystem",
        c"OS call failed or operation not supported on this OS",
    ),
    naming(400, c"CUDA_ERROR_INVALID_HANDLE", c"hipErrorInvalidHandle", c"invalid resource handle"),
    naming(600, c"CUDA_ERROR_NOT_READY", c"hipErrorNotReady", c"device not ready"),
    naming(
        700,
        c"CUDA_ERROR_ILLEGAL_ADDRESS",
        c"hipErrorIllegalAddress",
        c"an illegal memory access was encountered",
    ),
    naming(
        704,
        c"CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED",
        c"hipErrorPeerAccessAlreadyEnabled",
        c"peer access is already enabled",
    ),
    naming(
        709,
        c"CUDA_ERROR_CONTEXT_IS_DESTROYED",
        c"hipErrorContextIsDestroyed",
        c"context is destroyed",
    ),
    naming(
        712,
        c"CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED",
        c"hipErrorHostMemoryAlreadyRegistered",
        c"part or all of the requested memory range is already mapped",
    ),
    naming(
        713,
        c"CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED",
        c"hipErrorHostMemoryNotRegistered",
        c"pointer does not correspond to a registered memory region",
    ),
    naming(
        719,
        c"CUDA_ERROR_LAUNCH_FAILED",
        c"hipErrorLaunchFailure",
        c"unspecified launch failure",
    ),
    naming(800, c"CUDA_ERROR_NOT_PERMITTED", UNKNOWN_TO_HIP, c"operation not permitted"),
    naming(801, c"CUDA_ERROR_NOT_SUPPORTED", c"hipErrorNotSupported", c"operation not supported"),
    naming(802, c"CUDA_ERROR_SYSTEM_NOT_READY", UNKNOWN_TO_HIP, c"system not yet initialized"),
    naming(
        803,
        c"CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
        UNKNOWN_TO_HIP,
        c"system has unsupported display driver / cuda driver combination",
    ),
    naming(999, c"CUDA_ERROR_UNKNOWN", c"hipErrorUnknown", c"unknown error"),
];

/// The name of a code, where the driver knows it.
pub(crate) fn name(api: Api, code: c_int) -> Option<&'static CStr> {
    let naming = of(code)?;
    Some(match api {
        Api::Cuda => naming.cuda,
        Api::Hip => naming.hip,
    })
}

/// The text of a code, where the driver knows it.
pub(crate) fn text(api: Api, code: c_int) -> Option<&'static CStr> {
    let text = of(code)?.text;
    let is_other_vendor = api == Api::Hip && code == Code::NO_DEVICE.0;
    Some(if is_other_vendor { c"no ROCm-capable device is detected" } else { text })
}

fn of(code: c_int) -> Option<&'static Naming> {
    NAMINGS.iter().find(|naming| naming.code == code)
}
