//! The environment of a program that nearfar starts on its own account.

use std::env;
use std::process::Command;

use crate::owned_files::trusted_programs::TrustedPrograms;

/// `PATH` of a privileged program.
const SYSTEM_PATH: &str = "/usr/sbin:/usr/bin:/sbin:/bin";
/// Folders of libraries: each is checked as a program is.
const LIBRARY_PATH: &str = "LD_LIBRARY_PATH";

/// What a privileged program keeps. Others can name code: `LD_PRELOAD`, `CUDA_INJECTION64_PATH`,
/// `HSA_TOOLS_LIB`, `GCONV_PATH`.
const KEPT: [&str; 13] = [
    "CUDA_DEVICE_ORDER",
    "CUDA_MODULE_LOADING",
    "CUDA_VISIBLE_DEVICES",
    "GPU_DEVICE_ORDINAL",
    "HIP_VISIBLE_DEVICES",
    "HSA_ENABLE_SDMA",
    "HSA_OVERRIDE_GFX_VERSION",
    "LANG",
    "LC_ALL",
    "NEARFAR_LAB_GPUS", // data of the lab's driver
    "NVIDIA_DRIVER_CAPABILITIES",
    "NVIDIA_VISIBLE_DEVICES",
    "ROCR_VISIBLE_DEVICES",
];

/// Takes from a command what the environment of a privileged process could make it load. Of other
/// processes it takes nothing.
pub fn restrict(command: &mut Command) {
    let programs = TrustedPrograms::from_this_process();
    if !programs.distrusts_environment() {
        return;
    }
    command.env_clear().env("PATH", SYSTEM_PATH);
    for name in KEPT {
        if let Some(value) = env::var_os(name) {
            command.env(name, value);
        }
    }
    let folders = env::var_os(LIBRARY_PATH).map(|path| programs.folders(&path));
    let joined = folders.filter(|folders| !folders.is_empty()).map(env::join_paths);
    if let Some(Ok(path)) = joined {
        command.env(LIBRARY_PATH, path);
    }
}
