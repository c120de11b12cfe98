//! A queue of work for a GPU.

#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};
use std::fmt;
use std::sync::Arc;

use crate::gpu_driver::GpuError;
use crate::gpu_driver::context::Context;
use crate::gpu_driver::device_memory::DeviceMemory;
use crate::gpu_driver::event::Event;
use crate::gpu_driver::functions::{Function, OwnFunctions};

/// Without order against the driver's default stream: `CU_STREAM_NON_BLOCKING` and
/// `hipStreamNonBlocking`.
const NON_BLOCKING: u32 = 1;

/// A queue of work for a GPU, which is done in order. Work of two streams overlaps.
pub struct Stream {
    context: Arc<Context>,
    handle: usize,
}

impl Stream {
    pub(crate) fn new(context: &Arc<Context>) -> Result<Self, GpuError> {
        context.make_current()?;
        let calls = &context.calls;
        let mut handle = 0;
        // SAFETY: the handle is written where the pointer points to.
        let code = unsafe { (calls.shared.create_stream.call)(&raw mut handle, NON_BLOCKING) };
        calls.check(&calls.shared.create_stream, code)?;
        Ok(Self { context: Arc::clone(context), handle })
    }

    /// Copies memory of the host to the GPU, and returns at once where the memory is registered.
    /// The driver stages other memory: most of the copy is then done when the call returns.
    ///
    /// # Safety
    ///
    /// `from` has `bytes` readable bytes. They, and `to`, stay until the stream is synchronised.
    pub unsafe fn copy_to_device(
        &self,
        to: &DeviceMemory,
        from: *const u8,
        bytes: usize,
    ) -> Result<(), GpuError> {
        let function = &self.context.calls.shared.to_device_async;
        self.check_size(function, bytes, to)?;
        // SAFETY: the device's memory is large enough; the caller vouches for the host's.
        self.call(function, |call| unsafe {
            call(to.address, from.cast::<c_void>(), bytes, self.handle)
        })
    }

    /// Copies memory of the GPU to the host, as [`Self::copy_to_device`] does the other way.
    ///
    /// # Safety
    ///
    /// `to` has `bytes` writable bytes that nothing else uses. They, and `from`, stay until the
    /// stream is synchronised.
    pub unsafe fn copy_from_device(
        &self,
        to: *mut u8,
        from: &DeviceMemory,
        bytes: usize,
    ) -> Result<(), GpuError> {
        let function = &self.context.calls.shared.from_device_async;
        self.check_size(function, bytes, from)?;
        // SAFETY: the device's memory is large enough; the caller vouches for the host's.
        self.call(function, |call| unsafe {
            call(to.cast::<c_void>(), from.address, bytes, self.handle)
        })
    }

    /// Copies from one GPU to another. This stream may be of either. Drivers pass the copy through
    /// memory of the host where neither GPU has access to the other's
    /// ([`enable_access`](crate::gpu_driver::Gpu::enable_access)).
    ///
    /// # Safety
    ///
    /// Both memories stay until the stream is synchronised.
    pub unsafe fn copy_peer(
        &self,
        to: &DeviceMemory,
        from: &DeviceMemory,
        bytes: usize,
    ) -> Result<(), GpuError> {
        let (there, here) = (&to.context, &from.context);
        let stream = self.handle;
        match &self.context.calls.own {
            OwnFunctions::Cuda(cuda) => {
                let function = &cuda.copy_peer_async;
                self.check_size(function, bytes, to)?;
                self.check_size(function, bytes, from)?;
                // SAFETY: both memories are large enough, and of these contexts.
                self.call(function, |call| unsafe {
                    call(to.address, there.handle, from.address, here.handle, bytes, stream)
                })
            }
            OwnFunctions::Hip(hip) => {
                let function = &hip.copy_peer_async;
                self.check_size(function, bytes, to)?;
                self.check_size(function, bytes, from)?;
                // SAFETY: both memories are large enough, and of these GPUs.
                self.call(function, |call| unsafe {
                    call(to.address, there.device, from.address, here.device, bytes, stream)
                })
            }
        }
    }

    /// Makes an event happen when all work before it is done.
    pub fn record(&self, event: &Event) -> Result<(), GpuError> {
        let function = &self.context.calls.shared.record_event;
        // SAFETY: event and stream exist.
        self.call(function, |call| unsafe { call(event.handle, self.handle) })
    }

    /// Makes later work of this stream wait for an event of any stream.
    pub fn wait_for(&self, event: &Event) -> Result<(), GpuError> {
        let function = &self.context.calls.shared.wait_event;
        // SAFETY: event and stream exist; there are no flags.
        self.call(function, |call| unsafe { call(self.handle, event.handle, 0) })
    }

    /// Waits until all work is done. Its errors are this call's, too.
    pub fn synchronize(&self) -> Result<(), GpuError> {
        let function = &self.context.calls.shared.synchronize_stream;
        // SAFETY: the stream exists.
        self.call(function, |call| unsafe { call(self.handle) })
    }

    fn call<F: Copy>(
        &self,
        function: &Function<F>,
        call: impl FnOnce(F) -> c_int,
    ) -> Result<(), GpuError> {
        self.context.make_current()?;
        self.context.calls.check(function, call(function.call))
    }

    fn check_size<F>(
        &self,
        function: &Function<F>,
        bytes: usize,
        memory: &DeviceMemory,
    ) -> Result<(), GpuError> {
        if bytes <= memory.bytes() {
            return Ok(());
        }
        let text = format!("a copy of {bytes} bytes exceeds memory of {} bytes", memory.bytes());
        Err(self.context.calls.invalid_value(function, text))
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stream(GPU {})", self.context.device)
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if self.context.make_current().is_ok() {
            // SAFETY: the stream was created in this context, and is destroyed once.
            unsafe { (self.context.calls.shared.destroy_stream.call)(self.handle) };
        }
    }
}
