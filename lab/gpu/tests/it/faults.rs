//! What goes wrong, as a program sees it.

#![allow(unsafe_code)]

use nearfar_probe::gpu_driver::{Gpu, GpuErrorKind, load_driver};

use crate::installed::{Installed, ONE_GPU, SECOND_GPU};

fn gpu(index: usize) -> Gpu {
    load_driver(None).unwrap().open(index).unwrap()
}

#[test]
fn memory_runs_out() {
    let limited = format!("{ONE_GPU}[faults]\nallocate_mib = 5\n");
    Installed::new("libcuda.so.1", &limited).run("faults::memory_child");
}

#[test]
#[ignore = "a child of the test above"]
fn memory_child() {
    let gpu = gpu(0);
    let memory = gpu.allocate(4 << 20).unwrap();
    let error = gpu.allocate(2 << 20).unwrap_err();
    assert_eq!(error.kind(), GpuErrorKind::OutOfMemory);
    assert_eq!(error.to_string(), "cuMemAlloc: out of memory (CUDA_ERROR_OUT_OF_MEMORY, 2)");
    drop(memory);
    assert!(gpu.allocate(5 << 20).is_ok());
}

#[test]
fn registration_is_refused() {
    for (api, rule, code) in [
        ("libcuda.so.1", "not_supported", "cuMemHostRegister: operation not supported"),
        ("libcuda.so.1", "not_permitted", "cuMemHostRegister: operation not permitted"),
        ("libamdhip64.so", "not_supported", "hipHostRegister: operation not supported"),
    ] {
        let refused = format!("{ONE_GPU}[faults]\nregister = \"{rule}\"\n");
        let output = Installed::new(api, &refused).output("faults::refused_child");
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && text.contains(code), "{text}");
    }
}

#[test]
#[ignore = "a child of the test above"]
fn refused_child() {
    let mut memory = vec![0u8; 1 << 20];
    // SAFETY: nothing stays registered.
    let error = unsafe { gpu(0).register(memory.as_mut_ptr(), memory.len()) }.unwrap_err();
    assert_eq!(error.kind(), GpuErrorKind::HostMemoryRefused);
    println!("{error}");
}

#[test]
fn lost_gpu_stays_lost_and_others_work() {
    let lost = "[faults]\nlost = { gpu = 0, after_copies = 2, marker = \"MARKER\" }\n";
    let description = format!("{ONE_GPU}{SECOND_GPU}{lost}");
    for library in ["libcuda.so.1", "libamdhip64.so"] {
        let installed = Installed::new(library, "");
        let marker = installed.path().join("lost");
        let description = description.replace("MARKER", marker.to_str().unwrap());
        std::fs::write(installed.path().join("gpus.toml"), description).unwrap();
        installed.run("faults::lost_child");
        assert!(marker.exists());
        installed.run("faults::after_lost_child");
    }
}

#[test]
#[ignore = "a child of the test above"]
fn lost_child() {
    let [lost, other] = [0, 1].map(gpu);
    let (memory, stream) = (lost.allocate(4096).unwrap(), lost.stream().unwrap());
    let mut host = vec![1u8; 4096];
    // SAFETY: the memory is freed at the end of this function.
    let registered = unsafe { lost.register(host.as_mut_ptr(), 4096) }.unwrap();
    // The third copy is accepted, and never ends.
    for _ in 0..3 {
        // SAFETY: the stream is synchronised below.
        unsafe { stream.copy_to_device(&memory, host.as_ptr(), 4096) }.unwrap();
    }
    assert_eq!(stream.synchronize().unwrap_err().kind(), GpuErrorKind::Gone);
    assert_eq!(lost.allocate(4096).unwrap_err().kind(), GpuErrorKind::Gone);
    assert_eq!(lost.event().unwrap_err().code, 999);
    other.copy_to_device(&other.allocate(4096).unwrap(), &host).unwrap();
    // What belongs to a lost GPU is dropped without harm.
    drop((registered, stream, memory, lost));
}

#[test]
#[ignore = "a child of the test above"]
fn after_lost_child() {
    let names: Vec<_> = load_driver(None).unwrap().gpus().unwrap();
    assert_eq!(names.len(), 1);
    assert_eq!((names[0].index, names[0].name.as_str()), (0, "Lab GPU MIG 1g.10gb"));
}

#[test]
fn event_clock_lies() {
    let lying = format!("{ONE_GPU}[faults]\nevent_clock = 1.25\n");
    Installed::new("libcuda.so.1", &lying).run("faults::lying_child");
}

#[test]
#[ignore = "a child of the test above"]
fn lying_child() {
    let gpu = gpu(0);
    let (memory, stream) = (gpu.allocate(1 << 20).unwrap(), gpu.stream().unwrap());
    let [begun, ended] = [(); 2].map(|()| gpu.event().unwrap());
    let host = vec![1u8; 1 << 20];
    stream.record(&begun).unwrap();
    // SAFETY: the stream is synchronised below.
    unsafe { stream.copy_to_device(&memory, host.as_ptr(), 1 << 20) }.unwrap();
    stream.record(&ended).unwrap();
    stream.synchronize().unwrap();
    let (found, wanted) = (begun.elapsed_ns(&ended).unwrap(), 1.25 * (2000.0 + 1048576.0 / 8.0));
    assert!((found / wanted - 1.0).abs() < 1e-6, "{found} instead of {wanted}");
}

#[test]
fn wrong_uses_have_the_drivers_codes() {
    let two = format!("{ONE_GPU}{SECOND_GPU}");
    Installed::new("libcuda.so.1", &two).run("faults::wrong_use_child");
}

#[test]
#[ignore = "a child of the test above"]
fn wrong_use_child() {
    let [gpu, other] = [0, 1].map(gpu);
    assert_eq!(load_driver(None).unwrap().open(2).unwrap_err().code, 101);
    assert_eq!(gpu.allocate(0).unwrap_err().code, 1);
    let [begun, ended] = [(); 2].map(|()| gpu.event().unwrap());
    assert_eq!(begun.elapsed_ns(&ended).unwrap_err().code, 400);
    let mut host = vec![0u8; 1 << 20];
    let start = host.as_mut_ptr();
    // SAFETY: the memory is freed at the end of this function.
    let registered = unsafe { gpu.register(start, 1 << 20) }.unwrap();
    // SAFETY: as above.
    let again = unsafe { other.register(start, 4096) }.unwrap_err();
    assert_eq!((again.code, again.kind()), (712, GpuErrorKind::HostMemoryRefused));
    // A copy on its way has not reached the event behind it.
    let (memory, stream) = (gpu.allocate(1 << 20).unwrap(), gpu.stream().unwrap());
    stream.record(&begun).unwrap();
    // SAFETY: the stream is synchronised below.
    unsafe { stream.copy_to_device(&memory, start, 1 << 20) }.unwrap();
    stream.record(&ended).unwrap();
    assert_eq!(begun.elapsed_ns(&ended).unwrap_err().code, 600);
    stream.synchronize().unwrap();
    assert!(begun.elapsed_ns(&ended).is_ok());
    // SAFETY: nothing is copied.
    let large = unsafe { stream.copy_to_device(&memory, start, 2 << 20) }.unwrap_err();
    assert_eq!((large.call, large.code), ("cuMemcpyHtoDAsync", 1));
    drop(registered);
}
