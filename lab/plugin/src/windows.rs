//! Which addresses are registers of devices: the launcher writes a file when the guest has reported
//! them.

#![allow(unsafe_code)]

use std::fs;
use std::mem::MaybeUninit;
use std::path::Path;
use std::ptr::null_mut;
use std::thread;
use std::time::Duration;

use nearfar_lab_cost::DeviceWindow;

use crate::guest::GUEST;

/// How soon a new file is noticed. The guest waits longer before its command begins.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// Waits for the file in a thread of its own, where accesses to devices have costs.
pub(crate) fn await_in_background() {
    let Some(devices) = GUEST.get().and_then(|guest| guest.model.devices()) else { return };
    let path = devices.windows.clone();
    thread::spawn(move || {
        block_signals();
        loop {
            thread::sleep(LOOK_AGAIN);
            if let (Some(windows), Some(guest)) = (read(&path), GUEST.get()) {
                let _ = guest.windows.set(windows);
                return;
            }
        }
    });
}

/// Nothing as long as the file is not there.
fn read(path: &Path) -> Option<Vec<DeviceWindow>> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

/// QEMU's own threads take its signals.
fn block_signals() {
    let mut all = MaybeUninit::uninit();
    // SAFETY: `sigfillset` fills the set in, and `pthread_sigmask` only reads it.
    unsafe {
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), null_mut());
    }
}
