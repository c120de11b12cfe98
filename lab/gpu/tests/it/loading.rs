//! Drivers that cannot be used, each with its reason.

use nearfar_lab_gpu::without_symbol;
use nearfar_probe::gpu_driver::{GpuApi, LoadError, LoadFailure, load_driver};

use crate::installed::{Installed, ONE_GPU, built_library};

#[test]
fn old_driver_lacks_a_symbol() {
    let library = without_symbol(built_library(), "cuMemHostRegister_v2");
    let description = format!("version = \"5.5\"\n{ONE_GPU}");
    Installed::with_library("libcuda.so.1", &library, &description).run("loading::old_child");
}

#[test]
#[ignore = "a child of the test above"]
fn old_child() {
    let error = load_driver(Some(GpuApi::Cuda)).unwrap_err();
    let line = "no GPU driver: libcuda.so.1: too old: 5.5 lacks cuMemHostRegister_v2";
    assert_eq!(error.to_string(), line);
    assert!(!error.is_absent());
}

#[test]
fn initialisation_fails() {
    let mismatch = format!("{ONE_GPU}[faults]\ninit = 803\n");
    Installed::new("libcuda.so.1", &mismatch).run("loading::mismatch_child");
    let other = format!("apis = [\"hip\"]\n{ONE_GPU}");
    Installed::new("libcuda.so.1", &other).run("loading::no_device_child");
}

#[test]
#[ignore = "a child of the test above"]
fn mismatch_child() {
    assert_eq!(init_code(), 803);
}

#[test]
#[ignore = "a child of the test above"]
fn no_device_child() {
    assert_eq!(init_code(), 100);
}

/// The code with which the only library's initialisation fails.
fn init_code() -> i32 {
    match load_driver(Some(GpuApi::Cuda)).unwrap_err() {
        LoadError::NoDriver { attempts } => match &attempts[..] {
            [attempt] => match &attempt.failure {
                LoadFailure::Init(error) => error.code,
                failure => panic!("{failure}"),
            },
            attempts => panic!("{attempts:?}"),
        },
        error => panic!("{error}"),
    }
}

#[test]
fn file_that_is_no_library() {
    let installed = Installed::with_library("libcuda.so.1", &[b'x'; 4096], ONE_GPU);
    installed.run("loading::no_library_child");
}

#[test]
#[ignore = "a child of the test above"]
fn no_library_child() {
    let error = load_driver(Some(GpuApi::Cuda)).unwrap_err();
    assert!(error.to_string().contains("libcuda.so.1: cannot be loaded: "), "{error}");
    assert!(!error.is_absent());
}

#[test]
fn wrong_description_fails_with_a_line() {
    let wrong = ONE_GPU.replace("memory_mib = 64", "memory_mib = 0");
    let output = Installed::new("libcuda.so.1", &wrong).output("loading::wrong_description_child");
    let lines = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{lines}");
    let reasons: Vec<&str> =
        lines.lines().filter(|line| line.starts_with("nearfar-lab-gpu: ")).collect();
    assert!(
        reasons.len() == 1 && reasons[0].ends_with("gpus.toml: gpu 0: memory_mib: it is 0"),
        "{lines}"
    );
}

#[test]
#[ignore = "a child of the test above"]
fn wrong_description_child() {
    assert_eq!(init_code(), 303);
}
