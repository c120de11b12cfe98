//! Registration within `RLIMIT_MEMLOCK`.

#![allow(unsafe_code)]

use nearfar_probe::gpu_driver::{GpuErrorKind, load_driver};

use crate::installed::{Installed, ONE_GPU};

/// `CAP_IPC_LOCK`: who has it may lock any amount.
const MAY_LOCK: u32 = 1 << 14;
/// `_LINUX_CAPABILITY_VERSION_3`
const VERSION: u32 = 0x2008_0522;

#[test]
fn registration_obeys_the_limit() {
    let limited = format!("{ONE_GPU}[faults]\nregister = \"memlock\"\n");
    Installed::new("libcuda.so.1", &limited).run("locked_memory::limited_child");
}

#[test]
#[ignore = "a child of the test above"]
fn limited_child() {
    forbid_locking_beyond(256 << 10);
    let gpu = load_driver(None).unwrap().open(0).unwrap();
    let mut memory = vec![1u8; 1 << 20];
    let start = memory.as_mut_ptr();
    for _ in 0..3 {
        // SAFETY: nothing stays registered.
        let error = unsafe { gpu.register(start, 1 << 20) }.unwrap_err();
        assert_eq!((error.code, error.kind()), (304, GpuErrorKind::HostMemoryRefused));
        // SAFETY: it is unregistered at once, which gives back what was locked.
        drop(unsafe { gpu.register(start, 128 << 10) }.unwrap());
    }
}

/// Gives up the privilege to lock any amount, and sets a limit.
fn forbid_locking_beyond(bytes: libc::rlim_t) {
    let limit = libc::rlimit { rlim_cur: bytes, rlim_max: bytes };
    let header = [VERSION, 0];
    // Effective, permitted and inheritable capabilities, twice.
    let mut sets = [0u32; 6];
    // SAFETY: the structs are the kernel's: a version and a process, two times three sets.
    unsafe {
        assert_eq!(libc::setrlimit(libc::RLIMIT_MEMLOCK, &raw const limit), 0);
        assert_eq!(libc::syscall(libc::SYS_capget, header.as_ptr(), sets.as_mut_ptr()), 0);
        for set in &mut sets[..3] {
            *set &= !MAY_LOCK;
        }
        assert_eq!(libc::syscall(libc::SYS_capset, header.as_ptr(), sets.as_ptr()), 0);
    }
}
