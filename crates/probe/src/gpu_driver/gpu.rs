//! A GPU that is ready for work.

#![allow(unsafe_code)]

use std::ffi::c_void;
use std::fmt;
use std::sync::Arc;

use crate::gpu_driver::GpuError;
use crate::gpu_driver::context::Context;
use crate::gpu_driver::device_memory::DeviceMemory;
use crate::gpu_driver::event::Event;
use crate::gpu_driver::registered_memory::RegisteredMemory;
use crate::gpu_driver::stream::Stream;

/// A GPU that is ready for work: this process has a context on it until this value and all that
/// comes from it are dropped. Every call may come from any thread.
pub struct Gpu {
    context: Arc<Context>,
}

impl Gpu {
    pub(crate) fn new(context: Context) -> Self {
        Self { context: Arc::new(context) }
    }

    /// Allocates memory of the GPU.
    pub fn allocate(&self, bytes: usize) -> Result<DeviceMemory, GpuError> {
        DeviceMemory::new(&self.context, bytes)
    }

    /// A new queue of work.
    pub fn stream(&self) -> Result<Stream, GpuError> {
        Stream::new(&self.context)
    }

    /// A new event, with times.
    pub fn event(&self) -> Result<Event, GpuError> {
        Event::new(&self.context)
    }

    /// Pins memory of the host where it is, for copies of every GPU of this driver.
    ///
    /// # Safety
    ///
    /// The memory is mapped, and stays so until the returned value is dropped.
    pub unsafe fn register(
        &self,
        address: *mut u8,
        bytes: usize,
    ) -> Result<RegisteredMemory, GpuError> {
        // SAFETY: the caller vouches for the memory.
        unsafe { RegisteredMemory::new(&self.context, address, bytes) }
    }

    /// Whether this GPU can use the other's memory directly.
    pub fn can_access(&self, other: &Self) -> Result<bool, GpuError> {
        let calls = &self.context.calls;
        let (mut answer, devices) = (0, [self.context.device, other.context.device]);
        let function = &calls.shared.can_access_peer;
        // SAFETY: the answer is written where the pointer points to.
        let code = unsafe { (function.call)(&raw mut answer, devices[0], devices[1]) };
        calls.check(function, code)?;
        Ok(answer != 0)
    }

    /// Lets this GPU use the other's memory directly. Repeating it changes nothing.
    pub fn enable_access(&self, other: &Self) -> Result<(), GpuError> {
        self.context.enable_peer(&other.context)
    }

    /// Copies pageable memory to the GPU: the driver stages it. The last part may still be on its
    /// way when this returns; [`Self::synchronize`] waits for it.
    pub fn copy_to_device(&self, to: &DeviceMemory, from: &[u8]) -> Result<(), GpuError> {
        let calls = &self.context.calls;
        let function = &calls.shared.to_device;
        if from.len() > to.bytes() {
            return Err(calls.invalid_value(function, "the copy exceeds the memory".to_owned()));
        }
        self.context.make_current()?;
        let bytes = from.as_ptr().cast::<c_void>();
        // SAFETY: both memories are large enough, and the host's may change on return.
        calls.check(function, unsafe { (function.call)(to.address, bytes, from.len()) })
    }

    /// Copies memory of the GPU to pageable memory, and waits until it is there.
    pub fn copy_from_device(&self, to: &mut [u8], from: &DeviceMemory) -> Result<(), GpuError> {
        let calls = &self.context.calls;
        let function = &calls.shared.from_device;
        if to.len() > from.bytes() {
            return Err(calls.invalid_value(function, "the copy exceeds the memory".to_owned()));
        }
        self.context.make_current()?;
        let (bytes, size) = (to.as_mut_ptr().cast::<c_void>(), to.len());
        // SAFETY: both memories are large enough, and the copy is done on return.
        calls.check(function, unsafe { (function.call)(bytes, from.address, size) })
    }

    /// Waits until all work of this process on the GPU is done.
    pub fn synchronize(&self) -> Result<(), GpuError> {
        self.context.make_current()?;
        let calls = &self.context.calls;
        // SAFETY: it has no arguments.
        calls.check(&calls.shared.synchronize, unsafe { (calls.shared.synchronize.call)() })
    }
}

impl fmt::Debug for Gpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Gpu({})", self.context.device)
    }
}
