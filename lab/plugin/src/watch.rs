//! What QEMU calls: when it translates code, and when that code runs.

#![allow(unsafe_code)]

use std::ffi::{c_uint, c_void};
use std::ptr::null_mut;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use nearfar_lab_cost::{Access, EmulatedCpu, Instruction};

use crate::guest::GUEST;
use crate::qemu::{self, LOADS_AND_STORES, MemoryInfo, NO_REGISTERS, PluginId, TranslationBlock};

/// Addresses of user space have this bit clear, those of the kernel have it set: on x86-64 and on
/// aarch64.
const KERNEL: u64 = 1 << 63;

/// Code of the kernel's modules has addresses from here on (x86-64, without randomisation): the
/// kernel itself ends below.
const MODULES: u64 = 0xffff_ffff_a000_0000;

/// How long a CPU gives its host's CPU away when it does nothing but wait: short against what it
/// may wait for, long against what waking costs.
const NAP: Duration = Duration::from_micros(200);

/// Code is translated: what of it is user code calls back from now on.
pub(crate) extern "C" fn translated(_: PluginId, block: *mut TranslationBlock) {
    let Some(guest) = GUEST.get() else { return };
    // SAFETY: QEMU's own block, during its translation; so are the instructions taken from it.
    unsafe {
        let address = qemu::qemu_plugin_tb_vaddr(block);
        if address & KERNEL != 0 {
            guest.kernel_was_seen.store(true, Ordering::Relaxed);
            if address >= MODULES && guest.model.devices().is_some() {
                watch_driver(block);
            }
            return;
        }
        if !guest.kernel_was_seen.load(Ordering::Relaxed) {
            return;
        }
        qemu::qemu_plugin_register_vcpu_tb_exec_cb(block, runs_block, NO_REGISTERS, null_mut());
        for index in 0..qemu::qemu_plugin_tb_n_insns(block) {
            let instruction = qemu::qemu_plugin_tb_get_insn(block, index);
            let (bytes, length) = qemu::bytes(instruction, guest.interface);
            let meaning = Instruction::from_bytes(guest.instructions, &bytes[..length]);
            let past_caches = meaning == Instruction::StorePastCaches;
            let accessed = if past_caches { stored_past_caches } else { accessed };
            qemu::qemu_plugin_register_vcpu_mem_cb(
                instruction,
                accessed,
                NO_REGISTERS,
                LOADS_AND_STORES,
                null_mut(),
            );
            let executed: extern "C" fn(c_uint, *mut c_void) = match meaning {
                Instruction::Flush => flushes,
                Instruction::Wait => waits,
                Instruction::Ask => asks,
                Instruction::StorePastCaches | Instruction::Other => continue,
            };
            qemu::qemu_plugin_register_vcpu_insn_exec_cb(
                instruction,
                executed,
                NO_REGISTERS,
                null_mut(),
            );
        }
    }
}

/// Has each access of a driver call back. Drivers reach registers by instructions of their own
/// code, but for the few that go through the kernel's `iowrite` functions (doorbells of virtio).
///
/// # Safety
/// Only during the translation of `block`.
unsafe fn watch_driver(block: *mut TranslationBlock) {
    // SAFETY: as the caller promises; so are the instructions taken from it.
    unsafe {
        for index in 0..qemu::qemu_plugin_tb_n_insns(block) {
            qemu::qemu_plugin_register_vcpu_mem_cb(
                qemu::qemu_plugin_tb_get_insn(block, index),
                reaches,
                NO_REGISTERS,
                LOADS_AND_STORES,
                null_mut(),
            );
        }
    }
}

/// A driver's access, to registers of a device or to memory.
extern "C" fn reaches(cpu: c_uint, info: MemoryInfo, address: u64, _: *mut c_void) {
    let Some(guest) = GUEST.get() else { return };
    let Some(windows) = guest.windows.get() else { return };
    // SAFETY: QEMU's own `info`, within the callback that hands it out, in the thread that emulates
    // this CPU.
    unsafe {
        let access = Access { address, store: qemu::qemu_plugin_mem_is_store(info) };
        guest.with_cpu(cpu, |cpu| {
            let until = guest.model.reach_device(cpu, windows, access, || guest.clock.now());
            guest.clock.wait_until(until.unwrap_or(0));
        });
    }
}

/// An access is over when this returns, or the CPU may go on ahead of it.
extern "C" fn accessed(cpu: c_uint, info: MemoryInfo, address: u64, _: *mut c_void) {
    let Some(guest) = GUEST.get().filter(|_| address & KERNEL == 0) else { return };
    // SAFETY: QEMU's own `info`, within the callback that hands it out, in the thread that emulates
    // this CPU.
    unsafe {
        let access = Access { address, store: qemu::qemu_plugin_mem_is_store(info) };
        let (now, physical) = (|| guest.clock.now(), || physical(info, address));
        guest.with_cpu(cpu, |cpu| guest.clock.wait(guest.model.access(cpu, access, now, physical)));
    }
}

extern "C" fn stored_past_caches(cpu: c_uint, info: MemoryInfo, address: u64, _: *mut c_void) {
    let Some(guest) = GUEST.get().filter(|_| address & KERNEL == 0) else { return };
    // SAFETY: QEMU's own `info`, within the callback that hands it out, in the thread that emulates
    // this CPU.
    unsafe {
        let (now, physical) = (|| guest.clock.now(), || physical(info, address));
        guest.with_cpu(cpu, |cpu| {
            guest.clock.wait(guest.model.store_past_caches(cpu, address, now, physical));
        });
    }
}

/// The physical address of an access; none where it is no memory.
///
/// # Safety
/// Only within the callback that hands `info` out.
unsafe fn physical(info: MemoryInfo, address: u64) -> Option<u64> {
    // SAFETY: as the caller promises; what QEMU returns is null, or its own until this thread's
    // next call.
    unsafe {
        let physical = qemu::qemu_plugin_get_hwaddr(info, address);
        let is_memory = !physical.is_null() && !qemu::qemu_plugin_hwaddr_is_io(physical);
        is_memory.then(|| qemu::qemu_plugin_hwaddr_phys_addr(physical))
    }
}

/// A CPU flushes a line.
extern "C" fn flushes(cpu: c_uint, _: *mut c_void) {
    let Some(guest) = GUEST.get() else { return };
    // SAFETY: QEMU calls back in the thread that emulates this CPU.
    unsafe {
        guest.with_cpu(cpu, |cpu| guest.clock.wait_until(guest.model.flush(cpu).unwrap_or(0)));
    };
}

/// A CPU asks for the time, or for something from the kernel: not before all that came before is
/// over.
extern "C" fn asks(cpu: c_uint, _: *mut c_void) {
    let Some(guest) = GUEST.get() else { return };
    // SAFETY: QEMU calls back in the thread that emulates this CPU.
    unsafe { guest.with_cpu(cpu, |cpu| guest.clock.wait_until(cpu.begins_anew().unwrap_or(0))) };
}

/// A CPU executes a block of user code.
extern "C" fn runs_block(cpu: c_uint, _: *mut c_void) {
    let Some(guest) = GUEST.get() else { return };
    // SAFETY: QEMU calls back in the thread that emulates this CPU.
    unsafe { guest.with_cpu(cpu, EmulatedCpu::runs_block) };
}

/// A CPU executes a waiting instruction. One that does nothing else gives its host's CPU to those
/// who work.
extern "C" fn waits(cpu: c_uint, _: *mut c_void) {
    let Some(guest) = GUEST.get() else { return };
    let give_way = |cpu: &mut EmulatedCpu| {
        if cpu.waits() {
            thread::sleep(NAP);
        }
    };
    // SAFETY: QEMU calls back in the thread that emulates this CPU.
    unsafe { guest.with_cpu(cpu, give_way) };
}

/// The guest has ended.
pub(crate) extern "C" fn exits(_: PluginId, _: *mut c_void) {
    if let Some(guest) = GUEST.get() {
        guest.close();
    }
}
