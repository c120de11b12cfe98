//! Copies take what is described, and move bytes.

#![allow(unsafe_code)]

use std::thread;
use std::time::Instant;

use nearfar_probe::gpu_driver::{DeviceMemory, Gpu, GpuError, Stream, load_driver};

use crate::installed::{Installed, ONE_GPU, SECOND_GPU};

const BYTES: usize = 4 << 20;

#[test]
fn copies_take_what_is_described() {
    Installed::new("libcuda.so.1", ONE_GPU).run("copies::timed_child");
    Installed::new("libamdhip64.so", ONE_GPU).run("copies::timed_child");
}

#[test]
#[ignore = "a child of the test above"]
fn timed_child() {
    let bench = Bench::new();
    let mut host = vec![1u8; BYTES];
    let address = host.as_mut_ptr();
    // SAFETY: the stream is synchronised before the memory is freed.
    let to_device =
        |stream: &Stream| unsafe { stream.copy_to_device(&bench.memory, address, BYTES) };
    // SAFETY: the stream is synchronised before the memory is freed.
    let from_device =
        |stream: &Stream| unsafe { stream.copy_from_device(address, &bench.memory, BYTES) };
    assert_ns(bench.time(to_device), 2000.0, 8.0);
    assert_ns(bench.time(from_device), 2000.0, 8.0);
    // SAFETY: the memory is freed at the end of this function.
    let registered = unsafe { bench.gpu.register(address, BYTES) }.unwrap();
    assert_ns(bench.time(to_device), 2000.0, 20.0);
    assert_ns(bench.time(from_device), 2000.0, 16.0);
    drop(registered);
    assert_ns(bench.time(to_device), 2000.0, 8.0);
}

#[test]
fn directions_share_24_gb_s() {
    Installed::new("libcuda.so.1", ONE_GPU).run("copies::both_ways_child");
}

#[test]
#[ignore = "a child of the test above"]
fn both_ways_child() {
    let bench = Bench::new();
    let (mut there, mut back) = (vec![1u8; BYTES], vec![1u8; BYTES]);
    let [there, back] = [there.as_mut_ptr(), back.as_mut_ptr()];
    let (other, memory) = (bench.gpu.stream().unwrap(), bench.gpu.allocate(BYTES).unwrap());
    // SAFETY: the memory is freed at the end of this function.
    let registered = [there, back].map(|start| unsafe { bench.gpu.register(start, BYTES) });
    assert!(registered.iter().all(Result::is_ok));
    let [begun, ended, other_ended] = [(); 3].map(|()| bench.gpu.event().unwrap());
    bench.stream.record(&begun).unwrap();
    other.wait_for(&begun).unwrap();
    // SAFETY: both streams are synchronised below.
    unsafe {
        bench.stream.copy_to_device(&bench.memory, there, BYTES).unwrap();
        other.copy_from_device(back, &memory, BYTES).unwrap();
    }
    bench.stream.record(&ended).unwrap();
    other.record(&other_ended).unwrap();
    bench.gpu.synchronize().unwrap();
    for end in [&ended, &other_ended] {
        assert_ns(begun.elapsed_ns(end), 2000.0, 12.0);
    }
}

#[test]
fn bytes_come_back() {
    Installed::new("libcuda.so.1", ONE_GPU).run("copies::content_child");
    Installed::new("libamdhip64.so.7", ONE_GPU).run("copies::content_child");
}

#[test]
#[ignore = "a child of the test above"]
fn content_child() {
    let bench = Bench::new();
    let sent: Vec<u8> = (0..16_000u32).map(|index| (index * 7 % 251) as u8).collect();
    let mut received = vec![0u8; sent.len()];
    bench.gpu.copy_to_device(&bench.memory, &sent).unwrap();
    bench.gpu.synchronize().unwrap();
    bench.gpu.copy_from_device(&mut received, &bench.memory).unwrap();
    assert!(sent == received);
    // SAFETY: the streams are synchronised before the memory is freed.
    unsafe {
        let sent: Vec<u8> = sent.iter().rev().copied().collect();
        bench.stream.copy_to_device(&bench.memory, sent.as_ptr(), sent.len()).unwrap();
        bench.stream.copy_from_device(received.as_mut_ptr(), &bench.memory, sent.len()).unwrap();
        bench.stream.synchronize().unwrap();
        assert!(sent == received);
    }
}

#[test]
fn peers_copy_directly_with_access() {
    let two = format!("{ONE_GPU}{SECOND_GPU}");
    Installed::new("libcuda.so.1", &two).run("copies::peer_child");
    Installed::new("libamdhip64.so.5", &two).run("copies::peer_child");
}

#[test]
#[ignore = "a child of the test above"]
fn peer_child() {
    let bench = Bench::new();
    let peer = load_driver(None).unwrap().open(1).unwrap();
    let memory = peer.allocate(BYTES).unwrap();
    // SAFETY: the stream is synchronised.
    let copy = |stream: &Stream| unsafe { stream.copy_peer(&memory, &bench.memory, BYTES) };
    // Through the host: 16 GB/s out of one GPU, 10 GB/s into the other.
    assert_ns(bench.time(copy), 5000.0, 10.0);
    assert!(bench.gpu.can_access(&peer).unwrap());
    bench.gpu.enable_access(&peer).unwrap();
    bench.gpu.enable_access(&peer).unwrap();
    assert_ns(bench.time(copy), 4000.0, 40.0);
}

#[test]
fn threads_share_a_gpu() {
    Installed::new("libcuda.so.1", ONE_GPU).run("copies::threads_child");
}

#[test]
#[ignore = "a child of the test above"]
fn threads_child() {
    let bench = Bench::new();
    thread::scope(|scope| {
        let threads: Vec<_> = (0..3).map(|_| scope.spawn(|| pageable_copies(&bench))).collect();
        assert!(threads.into_iter().all(|thread| thread.join().is_ok()));
    });
}

/// Copies on a stream of this thread. Others may take a part of the GPU's rate.
fn pageable_copies(bench: &Bench) {
    let (host, stream) = (vec![1u8; BYTES], bench.gpu.stream().unwrap());
    let [begun, ended] = [(); 2].map(|()| bench.gpu.event().unwrap());
    stream.record(&begun).unwrap();
    for _ in 0..3 {
        // SAFETY: the stream is synchronised below.
        unsafe { stream.copy_to_device(&bench.memory, host.as_ptr(), BYTES) }.unwrap();
    }
    stream.record(&ended).unwrap();
    stream.synchronize().unwrap();
    let alone = 3.0 * (2000.0 + BYTES as f64 / 8.0);
    let found = begun.elapsed_ns(&ended).unwrap();
    assert!(found >= alone * (1.0 - 1e-6), "{found} instead of at least {alone}");
}

/// The first GPU, with a stream and memory for one copy.
struct Bench {
    memory: DeviceMemory,
    stream: Stream,
    gpu: Gpu,
}

impl Bench {
    fn new() -> Self {
        let gpu = load_driver(None).unwrap().open(0).unwrap();
        Self { memory: gpu.allocate(BYTES).unwrap(), stream: gpu.stream().unwrap(), gpu }
    }

    /// What a copy takes by the GPU's clock. The program waits at least as long.
    fn time(&self, copy: impl Fn(&Stream) -> Result<(), GpuError>) -> Result<f64, GpuError> {
        let [begun, ended] = [self.gpu.event()?, self.gpu.event()?];
        let start = Instant::now();
        self.stream.record(&begun)?;
        copy(&self.stream)?;
        self.stream.record(&ended)?;
        self.stream.synchronize()?;
        let waited = start.elapsed().as_nanos() as f64;
        let ns = begun.elapsed_ns(&ended)?;
        assert!(waited >= ns * 0.999, "waited {waited} for {ns}");
        Ok(ns)
    }
}

/// A copy's time is its latency and its bytes at a rate, but for the rounding of the drivers'
/// floating point numbers.
#[track_caller]
fn assert_ns(found: Result<f64, GpuError>, latency_ns: f64, gb_s: f64) {
    let (found, wanted) = (found.unwrap(), latency_ns + BYTES as f64 / gb_s);
    assert!((found / wanted - 1.0).abs() < 1e-6, "{found} instead of {wanted}");
}
