//! The GPUs of a process, each with memory, streams and events; and copies on them.

#![allow(unsafe_code)]

use std::time::{Duration, Instant};

use crate::gpu_driver::{DeviceMemory, Event, Gpu, GpuError, Stream};

use super::BothClocks;

/// A GPU that is ready to copy.
pub(super) struct OpenGpu {
    // Fields are dropped in this order: what a context has, then the context.
    /// For each stream, the largest copy.
    memories: [DeviceMemory; 2],
    streams: [Stream; 2],
    begun: Event,
    ended: [Event; 2],
    gpu: Gpu,
}

/// Which way the bytes of a lane move. Host addresses are valid, for all bytes of a copy, until it
/// has ended.
#[derive(Clone, Copy)]
pub(super) enum LaneEnds<'g> {
    ToDevice(*const u8),
    FromDevice(*mut u8),
    ToPeer(&'g OpenGpu),
}

/// Copies that follow each other on one stream of a GPU.
#[derive(Clone, Copy)]
pub(super) struct Lane<'g> {
    pub(super) gpu: &'g OpenGpu,
    pub(super) ends: LaneEnds<'g>,
    /// 0 or 1: two lanes of one GPU copy at once.
    pub(super) stream: usize,
    pub(super) bytes: usize,
}

impl OpenGpu {
    /// Allocates its memory, for copies of this many bytes at most.
    pub(super) fn new(gpu: Gpu, bytes: usize) -> Result<Self, GpuError> {
        Ok(Self {
            memories: [gpu.allocate(bytes)?, gpu.allocate(bytes)?],
            streams: [gpu.stream()?, gpu.stream()?],
            begun: gpu.event()?,
            ended: [gpu.event()?, gpu.event()?],
            gpu,
        })
    }

    pub(super) const fn driver(&self) -> &Gpu {
        &self.gpu
    }
}

impl Lane<'_> {
    /// Hands one copy to the driver.
    ///
    /// # Safety
    ///
    /// Host addresses are valid until the stream has ended.
    unsafe fn copy(&self) -> Result<(), GpuError> {
        let OpenGpu { memories, streams, .. } = self.gpu;
        let (stream, memory) = (&streams[self.stream], &memories[self.stream]);
        match self.ends {
            // SAFETY: as this function's; memories of GPUs hold the largest copy.
            LaneEnds::ToDevice(host) => unsafe { stream.copy_to_device(memory, host, self.bytes) },
            // SAFETY: as above.
            LaneEnds::FromDevice(host) => unsafe {
                stream.copy_from_device(host, memory, self.bytes)
            },
            // SAFETY: as above.
            LaneEnds::ToPeer(peer) => unsafe {
                stream.copy_peer(&peer.memories[0], memory, self.bytes)
            },
        }
    }

    fn synchronize(&self) -> Result<(), GpuError> {
        self.gpu.streams[self.stream].synchronize()
    }
}

/// Copies on all lanes at once, `times` on each, and waits for them. The driver's time is that of
/// the lane that took longest; lanes of one GPU begin together.
///
/// # Safety
///
/// Host addresses of the lanes are valid.
pub(super) unsafe fn copy_all(lanes: &[Lane<'_>], times: u32) -> Result<BothClocks, GpuError> {
    let began = Instant::now();
    for lane in lanes {
        let OpenGpu { streams, begun, ended, .. } = lane.gpu;
        let stream = &streams[lane.stream];
        if lane.stream == 0 {
            stream.record(begun)?;
        } else {
            stream.wait_for(begun)?;
        }
        for _ in 0..times {
            // SAFETY: as this function's; the lane is synchronized below, also after an error.
            if let Err(error) = unsafe { lane.copy() } {
                synchronize_all(lanes);
                return Err(error);
            }
        }
        stream.record(&ended[lane.stream])?;
    }
    for lane in lanes {
        lane.synchronize()?;
    }
    let host = began.elapsed();
    let mut driver = Duration::ZERO;
    for lane in lanes {
        let OpenGpu { begun, ended, .. } = lane.gpu;
        let ns = begun.elapsed_ns(&ended[lane.stream])?;
        // A clock that runs backwards is a lying one, and no time at all.
        driver = driver.max(Duration::try_from_secs_f64(ns * 1e-9).unwrap_or_default());
    }
    Ok(BothClocks { driver, host })
}

/// Waits for all lanes: no copy may outlive its memory.
fn synchronize_all(lanes: &[Lane<'_>]) {
    for lane in lanes {
        // The first error is reported already.
        let _ = lane.synchronize();
    }
}

/// The time of one copy, from the call to its end as the program sees it.
///
/// # Safety
///
/// The lane's host address is valid.
pub(super) unsafe fn copy_one(lane: &Lane<'_>) -> Result<Duration, GpuError> {
    let began = Instant::now();
    // SAFETY: as this function's; the lane is synchronized here.
    let copied = unsafe { lane.copy() };
    let ended = lane.synchronize();
    let time = began.elapsed();
    copied.and(ended).map(|()| time)
}
