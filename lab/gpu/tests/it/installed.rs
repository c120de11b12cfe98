//! A folder with the stand-in library and a description, and child processes that find them.

use std::env;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

/// One GPU; memory of every node costs the same, since the host may have any nodes.
pub(crate) const ONE_GPU: &str = r#"
summary = "one GPU"
[[gpu]]
name = "Lab GPU"
address = "0000:3b:00.0"
memory_mib = 64
node = 0
claimed_node = 0
to_device_gb_s = [20]
from_device_gb_s = [16]
pageable_gb_s = [8]
both_gb_s = 24
latency_us = [2]
"#;

/// Another GPU beside it, and copies from the first to the second.
pub(crate) const SECOND_GPU: &str = r#"
[[gpu]]
name = "Lab GPU MIG 1g.10gb"
address = "0000:af:00.0"
memory_mib = 32
node = 0
to_device_gb_s = [10]
from_device_gb_s = [10]
pageable_gb_s = [5]
latency_us = [3]
[[peer]]
from = 0
to = 1
gb_s = 40
latency_us = 4
access = true
"#;

pub(crate) struct Installed {
    folder: TempDir,
}

impl Installed {
    /// The stand-in by this name, with a description.
    pub(crate) fn new(library: &str, description: &str) -> Self {
        Self::with_library(library, &built_library(), description)
    }

    /// Another file by this name.
    pub(crate) fn with_library(name: &str, library: &[u8], description: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(name), library).unwrap();
        fs::write(folder.path().join("gpus.toml"), description).unwrap();
        Self { folder }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Runs a test of this program that is marked as a child; it has to succeed.
    #[track_caller]
    pub(crate) fn run(&self, child: &str) {
        let Output { status, stdout, stderr } = self.output(child);
        let [stdout, stderr] = [stdout, stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        assert!(status.success() && stdout.contains("1 passed"), "{child}: {stdout}{stderr}");
    }

    /// What a child writes.
    pub(crate) fn output(&self, child: &str) -> Output {
        Command::new(env::current_exe().unwrap())
            .args(["--ignored", "--exact", "--nocapture", child])
            .env("LD_LIBRARY_PATH", self.path())
            .env("NEARFAR_LAB_GPUS", self.path().join("gpus.toml"))
            .output()
            .unwrap()
    }
}

/// The library, which cargo builds beside the tests that need it.
pub(crate) fn built_library() -> Vec<u8> {
    fs::read(env::current_exe().unwrap().with_file_name("libnearfar_lab_gpu.so")).unwrap()
}
