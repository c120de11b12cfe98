//! A GPU's context: what calls about it refer to.

#![allow(unsafe_code)]

use std::ffi::c_int;
use std::sync::Arc;

use crate::gpu_driver::GpuError;
use crate::gpu_driver::calls::Calls;
use crate::gpu_driver::functions::OwnFunctions;

/// A context of this process on a GPU. Whatever belongs to it holds it, so that it ends last.
pub(crate) struct Context {
    pub(crate) calls: Arc<Calls>,
    /// The driver's number of the GPU.
    pub(crate) device: c_int,
    /// CUDA's handle; 0 with HIP, which has none.
    pub(crate) handle: usize,
}

impl Context {
    /// The context that this process shares with other users of the GPU in it.
    pub(crate) fn new(calls: &Arc<Calls>, device: c_int) -> Result<Self, GpuError> {
        let mut handle = 0;
        if let OwnFunctions::Cuda(cuda) = &calls.own {
            // SAFETY: the handle is written where the pointer points to.
            let code = unsafe { (cuda.retain_context.call)(&raw mut handle, device) };
            calls.check(&cuda.retain_context, code)?;
        }
        let context = Self { calls: Arc::clone(calls), device, handle };
        context.make_current()?;
        Ok(context)
    }

    /// Makes this thread's calls refer to this GPU.
    pub(crate) fn make_current(&self) -> Result<(), GpuError> {
        match &self.calls.own {
            OwnFunctions::Cuda(cuda) => {
                // SAFETY: the context exists as long as this value.
                let code = unsafe { (cuda.set_context.call)(self.handle) };
                self.calls.check(&cuda.set_context, code)
            }
            OwnFunctions::Hip(hip) => {
                // SAFETY: a number is passed.
                let code = unsafe { (hip.set_device.call)(self.device) };
                self.calls.check(&hip.set_device, code)
            }
        }
    }

    /// Lets this context use memory of another GPU.
    pub(crate) fn enable_peer(&self, other: &Self) -> Result<(), GpuError> {
        self.make_current()?;
        let result = match &self.calls.own {
            OwnFunctions::Cuda(cuda) => {
                // SAFETY: both contexts exist; flags are 0, as the manual asks.
                let code = unsafe { (cuda.enable_peer.call)(other.handle, 0) };
                self.calls.check(&cuda.enable_peer, code)
            }
            OwnFunctions::Hip(hip) => {
                // SAFETY: numbers are passed; flags are 0, as the manual asks.
                let code = unsafe { (hip.enable_peer.call)(other.device, 0) };
                self.calls.check(&hip.enable_peer, code)
            }
        };
        match result {
            // What was enabled before stays so.
            Err(GpuError { code: 704, .. }) => Ok(()),
            result => result,
        }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        if let OwnFunctions::Cuda(cuda) = &self.calls.own {
            // A GPU that is gone has no context to release, either.
            // SAFETY: the context was retained once, and whatever belongs to it is gone.
            unsafe { (cuda.release_context.call)(self.device) };
        }
    }
}
