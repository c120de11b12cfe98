//! The drivers' functions: names, signatures and loading.
//!
//! Signatures are those of `cuda.h` 12.9 and `hip_runtime_api.h` 5.2 and 10.0. CUDA's device
//! pointers are 64-bit numbers, HIP's are pointers: `usize` is passed as either on all platforms
//! that have these drivers. Handles are opaque pointers, and stand here as `usize`, too.

#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

use crate::gpu_driver::GpuApi;
use crate::gpu_driver::library::Library;

/// A function of the driver.
#[derive(Clone, Copy)]
pub(crate) struct Function<F> {
    /// The symbol that the library exports.
    pub(crate) symbol: &'static str,
    pub(crate) call: F,
}

impl<F> Function<F> {
    /// The function's name in its manual, which knows no versions of symbols.
    pub(crate) fn name(&self) -> &'static str {
        self.symbol.trim_end_matches("_v2")
    }
}

/// A struct of functions that return a code, and how to load it: each by its symbol in CUDA's and
/// in HIP's library, or by the one symbol that there is.
macro_rules! functions {
    ($(#[$doc:meta])* $table:ident {
        $($field:ident($($argument:ty),*): $($symbol:literal)/+;)*
    }) => {
        $(#[$doc])*
        pub(crate) struct $table {
            $(pub(crate) $field: Function<unsafe extern "C" fn($($argument),*) -> c_int>,)*
        }

        impl $table {
            /// All of them, or the symbol that the library lacks.
            fn load(library: &Library, api: GpuApi) -> Result<Self, &'static str> {
                Ok(Self { $($field: {
                    let symbols = [$($symbol),+];
                    let symbol = symbols[(api as usize).min(symbols.len() - 1)];
                    // SAFETY: the type is that of the function in its vendor's header.
                    let call = unsafe { library.function(symbol) }.ok_or(symbol)?;
                    Function { symbol, call }
                },)* })
            }
        }
    };
}

functions! {
    /// Functions that both interfaces have, with the same arguments.
    SharedFunctions {
        init(c_uint): "cuInit" / "hipInit";
        count(*mut c_int): "cuDeviceGetCount" / "hipGetDeviceCount";
        device(*mut c_int, c_int): "cuDeviceGet" / "hipDeviceGet";
        name(*mut c_char, c_int, c_int): "cuDeviceGetName" / "hipDeviceGetName";
        total_memory(*mut usize, c_int): "cuDeviceTotalMem_v2" / "hipDeviceTotalMem";
        address(*mut c_char, c_int, c_int): "cuDeviceGetPCIBusId" / "hipDeviceGetPCIBusId";
        attribute(*mut c_int, c_int, c_int): "cuDeviceGetAttribute" / "hipDeviceGetAttribute";
        allocate(*mut usize, usize): "cuMemAlloc_v2" / "hipMalloc";
        free(usize): "cuMemFree_v2" / "hipFree";
        register(*mut c_void, usize, c_uint): "cuMemHostRegister_v2" / "hipHostRegister";
        unregister(*mut c_void): "cuMemHostUnregister" / "hipHostUnregister";
        to_device(usize, *const c_void, usize): "cuMemcpyHtoD_v2" / "hipMemcpyHtoD";
        from_device(*mut c_void, usize, usize): "cuMemcpyDtoH_v2" / "hipMemcpyDtoH";
        to_device_async(usize, *const c_void, usize, usize):
            "cuMemcpyHtoDAsync_v2" / "hipMemcpyHtoDAsync";
        from_device_async(*mut c_void, usize, usize, usize):
            "cuMemcpyDtoHAsync_v2" / "hipMemcpyDtoHAsync";
        synchronize(): "cuCtxSynchronize" / "hipDeviceSynchronize";
        create_stream(*mut usize, c_uint): "cuStreamCreate" / "hipStreamCreateWithFlags";
        destroy_stream(usize): "cuStreamDestroy_v2" / "hipStreamDestroy";
        synchronize_stream(usize): "cuStreamSynchronize" / "hipStreamSynchronize";
        wait_event(usize, usize, c_uint): "cuStreamWaitEvent" / "hipStreamWaitEvent";
        create_event(*mut usize, c_uint): "cuEventCreate" / "hipEventCreateWithFlags";
        destroy_event(usize): "cuEventDestroy_v2" / "hipEventDestroy";
        record_event(usize, usize): "cuEventRecord" / "hipEventRecord";
        elapsed(*mut f32, usize, usize): "cuEventElapsedTime" / "hipEventElapsedTime";
        can_access_peer(*mut c_int, c_int, c_int):
            "cuDeviceCanAccessPeer" / "hipDeviceCanAccessPeer";
    }
}

functions! {
    /// Functions of CUDA's contexts.
    CudaFunctions {
        retain_context(*mut usize, c_int): "cuDevicePrimaryCtxRetain";
        release_context(c_int): "cuDevicePrimaryCtxRelease_v2";
        set_context(usize): "cuCtxSetCurrent";
        enable_peer(usize, c_uint): "cuCtxEnablePeerAccess";
        copy_peer_async(usize, usize, usize, usize, usize, usize): "cuMemcpyPeerAsync";
    }
}

functions! {
    /// Functions of HIP's current GPU.
    HipFunctions {
        set_device(c_int): "hipSetDevice";
        enable_peer(c_int, c_uint): "hipDeviceEnablePeerAccess";
        copy_peer_async(usize, c_int, usize, c_int, usize, usize): "hipMemcpyPeerAsync";
    }
}

functions! {
    /// What can be asked before a driver is initialised.
    EarlyFunctions {
        version(*mut c_int): "cuDriverGetVersion" / "hipRuntimeGetVersion";
    }
}

/// Names of errors.
pub(crate) enum ErrorTexts {
    /// CUDA writes them where a pointer points to.
    Cuda([unsafe extern "C" fn(c_int, *mut *const c_char) -> c_int; 2]),
    Hip([unsafe extern "C" fn(c_int) -> *const c_char; 2]),
}

/// Functions in which the interfaces differ.
pub(crate) enum OwnFunctions {
    Cuda(CudaFunctions),
    /// HIP has a current GPU.
    Hip(HipFunctions),
}

impl EarlyFunctions {
    /// Those that exist in the oldest drivers.
    pub(crate) fn of(library: &Library, api: GpuApi) -> Result<Self, &'static str> {
        Self::load(library, api)
    }
}

impl SharedFunctions {
    /// Those that both interfaces have.
    pub(crate) fn of(library: &Library, api: GpuApi) -> Result<Self, &'static str> {
        Self::load(library, api)
    }
}

impl OwnFunctions {
    /// Those that only this interface has.
    pub(crate) fn of(library: &Library, api: GpuApi) -> Result<Self, &'static str> {
        match api {
            GpuApi::Cuda => CudaFunctions::load(library, api).map(Self::Cuda),
            GpuApi::Hip => HipFunctions::load(library, api).map(Self::Hip),
        }
    }
}

impl ErrorTexts {
    /// The functions for a code's name and for its text.
    pub(crate) fn of(library: &Library, api: GpuApi) -> Result<Self, &'static str> {
        match api {
            GpuApi::Cuda => {
                // SAFETY: the types are those of the functions in the vendor's header.
                let [name, text] = ["cuGetErrorName", "cuGetErrorString"]
                    .map(|symbol| unsafe { library.function(symbol) }.ok_or(symbol));
                Ok(Self::Cuda([name?, text?]))
            }
            GpuApi::Hip => {
                // SAFETY: as above.
                let [name, text] = ["hipGetErrorName", "hipGetErrorString"]
                    .map(|symbol| unsafe { library.function(symbol) }.ok_or(symbol));
                Ok(Self::Hip([name?, text?]))
            }
        }
    }

    /// A code's name and its text. Both drivers answer for any number, before initialisation, too.
    pub(crate) fn for_code(&self, code: c_int) -> [Option<String>; 2] {
        let pointers = match self {
            Self::Cuda(functions) => functions.map(|function| {
                let mut text = std::ptr::null();
                // SAFETY: the text's address is written where the pointer points to.
                unsafe { function(code, &raw mut text) };
                text
            }),
            // SAFETY: a number is passed.
            Self::Hip(functions) => functions.map(|function| unsafe { function(code) }),
        };
        pointers.map(|text| {
            // SAFETY: drivers return null or a constant C string.
            let text = unsafe { (!text.is_null()).then(|| CStr::from_ptr(text)) };
            text.map(|text| text.to_string_lossy().into_owned())
        })
    }
}
