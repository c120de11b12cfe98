//! The few functions of QEMU's plugin interface that the lab needs, declared by hand: QEMU resolves
//! them when it loads the plugin.
//!
//! Source: QEMU's documentation "QEMU TCG Plugins" and `include/qemu/qemu-plugin.h`. Interface 1 is
//! QEMU 7.2's; 2 is 9.0's and dropped 1; from 3 (9.1) on, an instruction's bytes are copied out.

#![allow(unsafe_code)]

use std::ffi::{c_char, c_int, c_uint, c_void};

pub(crate) type PluginId = u64;
pub(crate) type MemoryInfo = u32;

/// Blocks of translated code, instructions and physical addresses: QEMU's own, which only QEMU
/// looks into.
#[repr(C)]
pub(crate) struct TranslationBlock(c_void);
#[repr(C)]
pub(crate) struct QemuInstruction(c_void);
#[repr(C)]
pub(crate) struct PhysicalAddress(c_void);

/// QEMU's description of itself.
#[repr(C)]
pub struct Info {
    pub(crate) target_name: *const c_char,
    pub(crate) oldest_interface: c_int,
    pub(crate) interface: c_int,
    pub(crate) system_emulation: bool,
    pub(crate) cpus: c_int,
    pub(crate) most_cpus: c_int,
}

/// The callback reads no registers (`QEMU_PLUGIN_CB_NO_REGS`).
pub(crate) const NO_REGISTERS: c_int = 0;
/// Loads and stores (`QEMU_PLUGIN_MEM_RW`).
pub(crate) const LOADS_AND_STORES: c_int = 3;

unsafe extern "C" {
    pub(crate) fn qemu_plugin_register_vcpu_tb_trans_cb(
        id: PluginId,
        translated: extern "C" fn(PluginId, *mut TranslationBlock),
    );
    pub(crate) fn qemu_plugin_tb_n_insns(block: *const TranslationBlock) -> usize;
    pub(crate) fn qemu_plugin_tb_vaddr(block: *const TranslationBlock) -> u64;
    pub(crate) fn qemu_plugin_tb_get_insn(
        block: *const TranslationBlock,
        index: usize,
    ) -> *mut QemuInstruction;
    pub(crate) fn qemu_plugin_insn_size(instruction: *const QemuInstruction) -> usize;
    pub(crate) fn qemu_plugin_register_vcpu_mem_cb(
        instruction: *mut QemuInstruction,
        accessed: extern "C" fn(c_uint, MemoryInfo, u64, *mut c_void),
        flags: c_int,
        which: c_int,
        data: *mut c_void,
    );
    pub(crate) fn qemu_plugin_register_vcpu_insn_exec_cb(
        instruction: *mut QemuInstruction,
        executed: extern "C" fn(c_uint, *mut c_void),
        flags: c_int,
        data: *mut c_void,
    );
    pub(crate) fn qemu_plugin_register_vcpu_tb_exec_cb(
        block: *mut TranslationBlock,
        executed: extern "C" fn(c_uint, *mut c_void),
        flags: c_int,
        data: *mut c_void,
    );
    pub(crate) fn qemu_plugin_mem_is_store(info: MemoryInfo) -> bool;
    pub(crate) fn qemu_plugin_get_hwaddr(info: MemoryInfo, address: u64) -> *mut PhysicalAddress;
    pub(crate) fn qemu_plugin_hwaddr_is_io(address: *const PhysicalAddress) -> bool;
    pub(crate) fn qemu_plugin_hwaddr_phys_addr(address: *const PhysicalAddress) -> u64;
    pub(crate) fn qemu_plugin_register_atexit_cb(
        id: PluginId,
        exits: extern "C" fn(PluginId, *mut c_void),
        data: *mut c_void,
    );
    fn qemu_plugin_insn_data();
}

/// The most bytes an instruction has.
pub(crate) const MAX_INSTRUCTION: usize = 16;

/// An instruction's bytes, as interface `interface` hands them out.
///
/// # Safety
/// `instruction` is what `qemu_plugin_tb_get_insn` returned during this translation, and
/// `interface` the one that QEMU speaks.
pub(crate) unsafe fn bytes(
    instruction: *const QemuInstruction,
    interface: u32,
) -> ([u8; MAX_INSTRUCTION], usize) {
    type Copies = unsafe extern "C" fn(*const QemuInstruction, *mut c_void, usize) -> usize;
    type Points = unsafe extern "C" fn(*const QemuInstruction) -> *const u8;
    let mut bytes = [0; MAX_INSTRUCTION];
    let function = qemu_plugin_insn_data as *const ();
    // SAFETY: QEMU's own instruction, as the caller promises; the function has the shape that its
    // interface declares, and neither writes or reads more than the instruction's size.
    let length = unsafe {
        let length = qemu_plugin_insn_size(instruction).min(MAX_INSTRUCTION);
        if interface >= 3 {
            let copy: Copies = std::mem::transmute(function);
            copy(instruction, bytes.as_mut_ptr().cast(), length)
        } else {
            let point: Points = std::mem::transmute(function);
            point(instruction).copy_to_nonoverlapping(bytes.as_mut_ptr(), length);
            length
        }
    };
    (bytes, length)
}
