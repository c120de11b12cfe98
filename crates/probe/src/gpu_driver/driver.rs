//! A driver: its version and its GPUs.

#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int};
use std::fmt;
use std::sync::Arc;

use crate::gpu_driver::GpuApi;
use crate::gpu_driver::GpuError;
use crate::gpu_driver::calls::Calls;
use crate::gpu_driver::context::Context;
use crate::gpu_driver::functions::Function;
use crate::gpu_driver::gpu::Gpu;
use crate::gpu_driver::library::CAN_LOAD;
use crate::gpu_driver::load_error::{LoadAttempt, LoadError};
use crate::gpu_driver::{GpuIdentity, sysfs_address};

/// A driver that is loaded and initialised.
#[derive(Clone)]
pub struct GpuDriver {
    calls: Arc<Calls>,
}

/// Loads and initialises a driver: that of one interface, or the first one that works.
pub fn load_driver(api: Option<GpuApi>) -> Result<GpuDriver, LoadError> {
    if !CAN_LOAD {
        return Err(LoadError::StaticProgram);
    }
    let mut attempts = Vec::new();
    for api in GpuApi::ALL.into_iter().filter(|&one| api.is_none_or(|api| api == one)) {
        for &library in api.libraries() {
            match Calls::load(api, library) {
                Ok(calls) => return Ok(GpuDriver { calls: Arc::new(calls) }),
                Err(failure) => attempts.push(LoadAttempt { api, library, failure }),
            }
        }
    }
    Err(LoadError::NoDriver { attempts })
}

impl GpuDriver {
    /// Whose functions it has.
    pub fn api(&self) -> GpuApi {
        self.calls.api
    }

    /// Its version ("12.4"): for CUDA that of the interface, for HIP that of ROCm's HIP.
    pub fn version(&self) -> String {
        self.calls.api.version(self.calls.version)
    }

    /// The name by which its library was found.
    pub fn library(&self) -> &'static str {
        self.calls.library
    }

    /// All GPUs that this process may use.
    pub fn gpus(&self) -> Result<Vec<GpuIdentity>, GpuError> {
        let count = self.number(&self.calls.shared.count, |call, number| {
            // SAFETY: the count is written where the pointer points to.
            unsafe { call(number) }
        })?;
        (0..count).map(|index| self.identity(index)).collect()
    }

    /// Makes a GPU ready for work, by its index among [`Self::gpus`].
    pub fn open(&self, index: usize) -> Result<Gpu, GpuError> {
        let device = self.device(c_int::try_from(index).unwrap_or(c_int::MAX))?;
        Context::new(&self.calls, device).map(Gpu::new)
    }

    fn device(&self, index: c_int) -> Result<c_int, GpuError> {
        self.number(&self.calls.shared.device, |call, number| {
            // SAFETY: the number is written where the pointer points to.
            unsafe { call(number, index) }
        })
    }

    fn identity(&self, index: c_int) -> Result<GpuIdentity, GpuError> {
        let shared = &self.calls.shared;
        let device = self.device(index)?;
        let mut memory = 0;
        // SAFETY: the size is written where the pointer points to.
        let code = unsafe { (shared.total_memory.call)(&raw mut memory, device) };
        self.calls.check(&shared.total_memory, code)?;
        let name = self.text(&shared.name, device)?;
        Ok(GpuIdentity {
            index: index as usize,
            is_mig: name.contains("MIG"),
            name,
            address: self.text(&shared.address, device).ok().and_then(|text| sysfs_address(&text)),
            memory_bytes: memory as u64,
            claimed_node: self.claimed_node(device),
        })
    }

    /// The driver's claim; a driver that does not know the attribute refuses its number.
    fn claimed_node(&self, device: c_int) -> Option<i32> {
        let attribute = self.calls.api.host_node_attribute();
        let node = self.number(&self.calls.shared.attribute, |call, number| {
            // SAFETY: the value is written where the pointer points to.
            unsafe { call(number, attribute, device) }
        });
        node.ok()
    }

    /// A number that a function writes.
    fn number<F: Copy>(
        &self,
        function: &Function<F>,
        call: impl FnOnce(F, *mut c_int) -> c_int,
    ) -> Result<c_int, GpuError> {
        let mut number = 0;
        let code = call(function.call, &raw mut number);
        self.calls.check(function, code)?;
        Ok(number)
    }

    /// A text that a function writes.
    fn text(
        &self,
        function: &Function<unsafe extern "C" fn(*mut c_char, c_int, c_int) -> c_int>,
        device: c_int,
    ) -> Result<String, GpuError> {
        let mut text = [0u8; 256];
        // SAFETY: the function writes at most 256 bytes, with a final zero.
        let code = unsafe { (function.call)(text.as_mut_ptr().cast::<c_char>(), 256, device) };
        self.calls.check(function, code)?;
        let text = CStr::from_bytes_until_nul(&text).unwrap_or_default();
        Ok(text.to_string_lossy().trim().to_owned())
    }
}

impl fmt::Debug for GpuDriver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GpuDriver({} {}, {})", self.api(), self.version(), self.library())
    }
}
