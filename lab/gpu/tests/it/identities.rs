//! What the driver reports about itself and its GPUs.

use nearfar_probe::gpu_driver::{GpuApi, GpuIdentity, load_driver};

use crate::installed::{Installed, ONE_GPU, SECOND_GPU};

#[test]
fn gpus_are_as_described() {
    let two = format!("version = \"12.4\"\n{ONE_GPU}{SECOND_GPU}");
    Installed::new("libcuda.so.1", &two).run("identities::cuda_child");
    let two = two.replace("12.4", "6.2");
    Installed::new("libamdhip64.so.6", &two).run("identities::hip_child");
}

#[test]
#[ignore = "a child of the test above"]
fn cuda_child() {
    let driver = load_driver(None).unwrap();
    assert_eq!((driver.api(), driver.library()), (GpuApi::Cuda, "libcuda.so.1"));
    assert_eq!(driver.version(), "12.4");
    assert_eq!(driver.gpus().unwrap(), identities());
}

#[test]
#[ignore = "a child of the test above"]
fn hip_child() {
    let driver = load_driver(Some(GpuApi::Hip)).unwrap();
    assert_eq!((driver.api(), driver.library()), (GpuApi::Hip, "libamdhip64.so.6"));
    assert_eq!(driver.version(), "6.2");
    assert_eq!(driver.gpus().unwrap(), identities());
}

fn identities() -> Vec<GpuIdentity> {
    let first = GpuIdentity {
        index: 0,
        name: "Lab GPU".to_owned(),
        address: Some("0000:3b:00.0".to_owned()),
        memory_bytes: 64 << 20,
        claimed_node: Some(0),
        is_mig: false,
    };
    let second = GpuIdentity {
        index: 1,
        name: "Lab GPU MIG 1g.10gb".to_owned(),
        address: Some("0000:af:00.0".to_owned()),
        memory_bytes: 32 << 20,
        // The description has no claim, as a driver that does not know the attribute.
        claimed_node: None,
        is_mig: true,
    };
    vec![first, second]
}
