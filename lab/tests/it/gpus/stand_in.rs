//! The stand-in of a driver on this host, which needs no guest.

use std::fs;
use std::process::{Command, Output};

use tempfile::TempDir;

use crate::lab::is_ready_with;

pub(super) const GPU: &str = r#"
summary = "one GPU; memory of every node costs the same, since the host may have any"
version = "12.4"
[[gpu]]
name = "Lab GPU"
address = "0000:3b:00.0"
memory_mib = 64
node = 0
claimed_node = 0
to_device_gb_s = [20]
from_device_gb_s = [16]
pageable_gb_s = [8]
latency_us = [50]
"#;

/// A driver with this description, by this name.
pub(super) struct Driver {
    pub(super) folder: TempDir,
    kit: String,
}

impl Driver {
    pub(super) fn new(name: &str, description: &str) -> Self {
        let kit = std::env::var("NEARFAR_LAB_KIT").unwrap() + "/x86_64";
        let folder = tempfile::tempdir().unwrap();
        fs::copy(format!("{kit}/gpu-driver/lab/gpu/libcuda.so.1"), folder.path().join(name))
            .unwrap();
        fs::write(folder.path().join("gpus.toml"), description).unwrap();
        Self { folder, kit }
    }

    pub(super) fn run(&self, more: &[&str]) -> Output {
        let nearfar = format!("{}/nearfar", self.kit);
        let gpu = ["gpu", "--quick", "--size", "1M", "--seed", "1"];
        let has_budget = more.contains(&"--budget");
        let budget: &[&str] = if has_budget { &[] } else { &["--budget", "15s"] };
        Command::new(nearfar)
            .args(gpu)
            .args(budget)
            .args(more)
            .env("LD_LIBRARY_PATH", self.folder.path())
            .env("NEARFAR_LAB_GPUS", self.folder.path().join("gpus.toml"))
            .env("XDG_DATA_HOME", self.folder.path())
            .output()
            .unwrap()
    }
}

/// What it wrote to its output and to its errors.
pub(super) fn texts(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

/// Whether the stand-in works here.
pub(super) fn is_here() -> bool {
    cfg!(target_arch = "x86_64") && is_ready_with("x86_64", &["gpu-driver"])
}
