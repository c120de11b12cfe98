//! Memory of a GPU.

#![allow(unsafe_code)]

use std::fmt;
use std::sync::Arc;

use crate::gpu_driver::GpuError;
use crate::gpu_driver::context::Context;

/// Memory of a GPU, freed on drop.
pub struct DeviceMemory {
    pub(crate) context: Arc<Context>,
    pub(crate) address: usize,
    bytes: usize,
}

impl DeviceMemory {
    pub(crate) fn new(context: &Arc<Context>, bytes: usize) -> Result<Self, GpuError> {
        context.make_current()?;
        let calls = &context.calls;
        let mut address = 0;
        // SAFETY: the address is written where the pointer points to.
        let code = unsafe { (calls.shared.allocate.call)(&raw mut address, bytes) };
        calls.check(&calls.shared.allocate, code)?;
        Ok(Self { context: Arc::clone(context), address, bytes })
    }

    /// Its size.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl fmt::Debug for DeviceMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeviceMemory(GPU {}, {} bytes)", self.context.device, self.bytes)
    }
}

impl Drop for DeviceMemory {
    fn drop(&mut self) {
        // A GPU that is gone has freed it.
        if self.context.make_current().is_ok() {
            // SAFETY: it was allocated in this context, and nothing else frees it.
            unsafe { (self.context.calls.shared.free.call)(self.address) };
        }
    }
}
