//! Memory of the host that the driver has pinned where it was.

#![allow(unsafe_code)]

use std::ffi::c_void;
use std::fmt;
use std::sync::Arc;

use crate::gpu_driver::GpuError;
use crate::gpu_driver::context::Context;

/// For all contexts: `CU_MEMHOSTREGISTER_PORTABLE` and `hipHostRegisterPortable`.
const PORTABLE: u32 = 1;

/// Memory of the host that GPUs read and write directly, for every GPU of the driver; released on
/// drop.
pub struct RegisteredMemory {
    context: Arc<Context>,
    address: usize,
    bytes: usize,
}

impl RegisteredMemory {
    pub(crate) unsafe fn new(
        context: &Arc<Context>,
        address: *mut u8,
        bytes: usize,
    ) -> Result<Self, GpuError> {
        context.make_current()?;
        let calls = &context.calls;
        let register = &calls.shared.register;
        // SAFETY: the caller's memory stays mapped until it is unregistered.
        let code = unsafe { (register.call)(address.cast::<c_void>(), bytes, PORTABLE) };
        calls.check(register, code)?;
        Ok(Self { context: Arc::clone(context), address: address.addr(), bytes })
    }

    /// Its size.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl fmt::Debug for RegisteredMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RegisteredMemory({:#x}, {} bytes)", self.address, self.bytes)
    }
}

impl Drop for RegisteredMemory {
    fn drop(&mut self) {
        // A GPU that is gone pins nothing.
        if self.context.make_current().is_ok() {
            let address = self.address as *mut c_void;
            // SAFETY: it was registered at this address, and is unregistered once.
            unsafe { (self.context.calls.shared.unregister.call)(address) };
        }
    }
}
