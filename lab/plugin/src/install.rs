//! How QEMU takes the plugin in, whichever interface it speaks.

#![allow(unsafe_code)]

use std::cell::UnsafeCell;
use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_int};
use std::fs;
use std::ptr::null_mut;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

use nearfar_lab_cost::{Charges, InstructionSet, Model};

use crate::clock::Clock;
use crate::guest::{GUEST, Guest, OwnCpu};
use crate::qemu::{self, Info, PluginId};
use crate::watch::{exits, translated};
use crate::windows;

/// The interface that this plugin asks for. QEMU reads it before anything else is called, refuses
/// one that it does not know, and dropped the first when it made the second: so it is set as the
/// plugin is loaded, by what QEMU offers.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals)]
pub static qemu_plugin_version: AtomicI32 = AtomicI32::new(1);

#[used]
#[unsafe(link_section = ".init_array")]
static ASK_FOR_WHAT_THERE_IS: extern "C" fn() = ask_for_what_there_is;

/// Functions that came with an interface, newest first.
const CAME_WITH: [(&CStr, i32); 3] = [
    (c"qemu_plugin_mem_get_value", 4),
    (c"qemu_plugin_update_ns", 3),
    (c"qemu_plugin_num_vcpus", 2),
];

extern "C" fn ask_for_what_there_is() {
    // SAFETY: `dlsym` only looks for a name.
    let has = |name: &CStr| unsafe { !libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()).is_null() };
    let newest = CAME_WITH.iter().find(|(name, _)| has(name)).map_or(1, |(_, version)| *version);
    qemu_plugin_version.store(newest, Ordering::Relaxed);
}

/// QEMU's door: `-plugin FILE,config=CHARGES.json,ledger=LEDGER.json`. Returns 0, or 1 with a line
/// on stderr.
///
/// # Safety
/// QEMU calls it once, with the description of its interface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qemu_plugin_install(
    id: PluginId,
    info: *const Info,
    count: c_int,
    words: *const *const c_char,
) -> c_int {
    // SAFETY: QEMU hands over its description and `argc` words, each a C string.
    let (info, options) = unsafe {
        let words =
            (0..usize::try_from(count).unwrap_or(0)).map(|index| CStr::from_ptr(*words.add(index)));
        (&*info, options(words))
    };
    let set = |guest| GUEST.set(guest).map_err(|_| "the plugin is loaded twice".to_owned());
    if let Err(reason) = guest(info, &options).and_then(set) {
        eprintln!("nearfar-lab: {reason}");
        return 1;
    }
    windows::await_in_background();
    // SAFETY: both callbacks live as long as the plugin, which is never unloaded.
    unsafe {
        qemu::qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
        qemu::qemu_plugin_register_atexit_cb(id, exits, null_mut());
    }
    0
}

fn options<'a>(words: impl Iterator<Item = &'a CStr>) -> HashMap<String, String> {
    let words = words.map(CStr::to_string_lossy);
    words
        .filter_map(|word| {
            word.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned()))
        })
        .collect()
}

fn guest(info: &Info, options: &HashMap<String, String>) -> Result<Guest, String> {
    let option =
        |name: &str| options.get(name).ok_or_else(|| format!("the plugin needs {name}=FILE"));
    let (config, ledger) = (option("config")?, option("ledger")?);
    let text =
        fs::read_to_string(config).map_err(|error| format!("could not read {config}: {error}"))?;
    let charges: Charges =
        serde_json::from_str(&text).map_err(|error| format!("{config}: {error}"))?;
    let model = Model::new(charges).map_err(|error| format!("{config}: {error}"))?;
    let cpus = model.cpus().into_iter().map(|cpu| OwnCpu(UnsafeCell::new(cpu))).collect();
    let interface = u32::try_from(qemu_plugin_version.load(Ordering::Relaxed)).unwrap_or(1);
    let instructions = instruction_set(info)?;
    Ok(Guest {
        model,
        cpus,
        clock: Clock::start(),
        instructions,
        interface,
        ledger: ledger.into(),
        windows: OnceLock::new(),
        kernel_was_seen: AtomicBool::new(false),
    })
}

fn instruction_set(info: &Info) -> Result<InstructionSet, String> {
    // SAFETY: QEMU's own name of its target.
    let target = unsafe { CStr::from_ptr(info.target_name) }.to_string_lossy();
    match &*target {
        _ if !info.system_emulation => {
            Err("the plugin charges whole machines, not single programs".to_owned())
        }
        "x86_64" => Ok(InstructionSet::X86_64),
        "aarch64" => Ok(InstructionSet::Aarch64),
        other => Err(format!("there is no machine of the lab with {other}'s instructions")),
    }
}
