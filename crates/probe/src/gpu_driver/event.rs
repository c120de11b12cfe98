//! A point in the work of a stream, with its time.

#![allow(unsafe_code)]

use std::fmt;
use std::sync::Arc;

use crate::gpu_driver::GpuError;
use crate::gpu_driver::context::Context;

/// A point in the work of a stream, timed by the GPU.
pub struct Event {
    pub(crate) context: Arc<Context>,
    pub(crate) handle: usize,
}

impl Event {
    pub(crate) fn new(context: &Arc<Context>) -> Result<Self, GpuError> {
        context.make_current()?;
        let calls = &context.calls;
        let mut handle = 0;
        // Flags of 0: with times, and waiting by polling.
        // SAFETY: the handle is written where the pointer points to.
        let code = unsafe { (calls.shared.create_event.call)(&raw mut handle, 0) };
        calls.check(&calls.shared.create_event, code)?;
        Ok(Self { context: Arc::clone(context), handle })
    }

    /// Nanoseconds from this event to a later one. Both have happened: their streams were
    /// synchronised since they were recorded. The drivers' resolution is some 0.5 µs.
    pub fn elapsed_ns(&self, later: &Self) -> Result<f64, GpuError> {
        self.context.make_current()?;
        let calls = &self.context.calls;
        let mut ms = 0.0f32;
        // SAFETY: both events exist; the time is written where the pointer points to.
        let code = unsafe { (calls.shared.elapsed.call)(&raw mut ms, self.handle, later.handle) };
        calls.check(&calls.shared.elapsed, code)?;
        Ok(f64::from(ms) * 1e6)
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Event(GPU {})", self.context.device)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        if self.context.make_current().is_ok() {
            // SAFETY: the event was created in this context, and is destroyed once.
            unsafe { (self.context.calls.shared.destroy_event.call)(self.handle) };
        }
    }
}
