//! One set of tables: what Linux is known to make of it, and the check that nearfar agrees.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use super::guest::{Boot, boot};
use super::table::table;
use crate::lab::{self, is_ready};

/// What sysfs shows where the kernel took nothing.
pub(crate) const ONE_NODE: &str = "node 0: CPUs 0-3, distances 10\n";
/// What sysfs shows of two nodes without known distances.
pub(crate) const TWO_NODES: &str =
    "node 0: CPUs 0-1, distances 10 20\nnode 1: CPUs 2-3, distances 20 10\n";

/// Two packages of two CPUs and 2 GiB; firmware's claims are the injected ones.
const MACHINE: &str = r#"summary = "four CPUs and 2 GiB, for tables made by hand"
arch = "x86_64"
packages = 2
kernel_args = "{words}"
node = [{ id = 0, cpus = "0-1", memory = "1G" }, { id = 1, cpus = "2-3", memory = "1G" }]
latency = { flat_ns = 100 }
firmware = { describes = "one-node", tables = [{tables}] }
"#;

/// What is known of that machine before it boots.
const BEFORE: &str = "\
Linux version {release}
Command line: {words}
BIOS-e820: [mem 0x0000000000000000-0x000000000009fbff] usable
BIOS-e820: [mem 0x0000000000100000-0x000000007ffdffff] usable
";

/// Faults that no table of these gives away: how processors share caches, and what DSDTs declare of
/// buses.
const SEEN_ONLY_WHEN_RUNNING: [&str; 2] = ["siblings-on-two-nodes", "pci-without-node"];

/// Tables, and what Linux is known to make of them.
#[derive(Default)]
pub(crate) struct Case {
    pub(crate) tables: Vec<Vec<u8>>,
    /// Words on the kernel's command line.
    pub(crate) words: &'static str,
    /// The log's line about the cause, in the words of one version of Linux or of another;
    /// empty where it is silent.
    pub(crate) log: &'static [&'static str],
    /// Whether some kernels log nothing of it; then there is nothing to diagnose.
    pub(crate) may_be_silent: bool,
    /// The nodes that sysfs shows.
    pub(crate) nodes: &'static str,
    pub(crate) verdict: &'static str,
    /// The code of its cause.
    pub(crate) cause: &'static str,
}

impl Case {
    /// The kernel does what is known of it; nearfar inside explains it, and predicts it without the
    /// kernel.
    pub(crate) fn agree(&self) {
        if !is_ready("x86_64") || !is_ready(env::consts::ARCH) {
            return;
        }
        let boot = self.booted();
        if self.may_be_silent && self.line(&boot).is_none() {
            assert_eq!(boot.nodes, self.nodes, "{}", boot.log);
            lab::report(&format!("Linux {} does not log {:?}", boot.release, self.log));
            return;
        }
        self.the_kernel_did_as_known(&boot);
        self.the_guest_names_the_cause(&boot);
        self.assert_predicted(&boot, &self.predicted(&boot.release));
    }

    fn booted(&self) -> Boot {
        let folder = self.folder();
        let names: Vec<String> =
            (0..self.tables.len()).map(|number| format!("\"{number}.dat\"")).collect();
        let machine = folder.path().join("machine.toml");
        let text = MACHINE.replace("{words}", self.words).replace("{tables}", &names.join(", "));
        fs::write(&machine, text).unwrap();
        boot(machine.to_str().unwrap())
    }

    /// A folder of the tables, as they are numbered.
    fn folder(&self) -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (number, table) in self.tables.iter().enumerate() {
            fs::write(folder.path().join(format!("{number}.dat")), with_its_sum(table)).unwrap();
        }
        folder
    }

    /// nearfar's prediction from the tables and from what is known before a boot.
    fn predicted(&self, release: &str) -> Value {
        let folder = self.folder();
        fs::write(folder.path().join("apic.dat"), madt()).unwrap();
        let before = tempfile::NamedTempFile::new().unwrap();
        fs::write(
            before.path(),
            BEFORE.replace("{release}", release).replace("{words}", self.words),
        )
        .unwrap();
        nearfar_here(folder.path(), before.path())
    }

    /// The log's line about the cause, without its time.
    fn line<'a>(&self, boot: &'a Boot) -> Option<&'a str> {
        let line =
            boot.log.lines().find(|line| self.log.iter().any(|words| line.contains(words)))?;
        line.split_once("] ").map(|(_, text)| text)
    }

    fn the_kernel_did_as_known(&self, boot: &Boot) {
        assert_eq!(boot.nodes, self.nodes, "{}", boot.log);
        let silent = self.log.is_empty();
        assert!(silent || self.line(boot).is_some(), "no line has {:?}: {}", self.log, boot.log);
    }

    fn the_guest_names_the_cause(&self, boot: &Boot) {
        let diagnosis = &boot.diagnosis;
        assert_eq!(diagnosis["verdict"], self.verdict, "{diagnosis:#}");
        assert_eq!(diagnosis["cause"]["code"], self.cause, "{diagnosis:#}");
        assert_eq!(diagnosis["observed"]["nodes"], boot.nodes.lines().count(), "{diagnosis:#}");
        let findings = diagnosis["findings"].as_array().unwrap();
        let named = findings.iter().find(|finding| finding["code"] == self.cause);
        let evidence =
            named.unwrap_or_else(|| panic!("{diagnosis:#}"))["evidence"].as_array().unwrap();
        if let Some(line) = self.line(boot) {
            assert!(
                evidence.iter().any(|one| one["excerpt"] == line),
                "'{line}' is not shown: {diagnosis:#}"
            );
        }
        assert!(
            findings.iter().all(|finding| finding["code"] != "prediction-differs"),
            "{diagnosis:#}"
        );
    }

    fn assert_predicted(&self, boot: &Boot, predicted: &Value) {
        let promised = &predicted["predicted"];
        assert_eq!(promised["nodes"], boot.nodes.lines().count(), "{predicted:#}");
        if SEEN_ONLY_WHEN_RUNNING.contains(&self.cause) {
            assert_eq!(
                (&promised["verdict"], &promised["cause"]),
                (&"visible".into(), &Value::Null),
                "{predicted:#}"
            );
            return;
        }
        assert_eq!(promised["verdict"], self.verdict, "{predicted:#}");
        assert_eq!(promised["cause"]["code"], self.cause, "{predicted:#}");
        // Without the other tables of the guest it is the same place in the same table.
        let inside = &boot.diagnosis["predicted"]["cause"];
        assert_eq!(&promised["cause"], inside, "{predicted:#}");
        assert_eq!(predicted["observed"]["nodes"], Value::Null, "{predicted:#}");
    }
}

/// The nearfar of this host's own architecture, with tables and a log from elsewhere.
fn nearfar_here(tables: &Path, log: &Path) -> Value {
    let kit = PathBuf::from(env::var_os("NEARFAR_LAB_KIT").unwrap());
    let mut nearfar = Command::new(kit.join(env::consts::ARCH).join("nearfar"));
    let output = nearfar
        .args(["diagnose", "--json", "--tables"])
        .arg(tables)
        .arg("--log")
        .arg(log)
        .output()
        .unwrap();
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)))
}

/// QEMU's own table of four CPUs: what an injected table stands beside.
fn madt() -> Vec<u8> {
    let cpus = (0..4).flat_map(|id| [0, 8, id, id, 1, 0, 0, 0]);
    let mut madt = table("APIC", 3, &[vec![0; 8], cpus.collect()].concat());
    madt[10..16].copy_from_slice(b"BOCHS ");
    with_its_sum(&madt)
}

/// QEMU writes the checksum of an injected table anew.
fn with_its_sum(table: &[u8]) -> Vec<u8> {
    let mut table = table.to_vec();
    table[9] = 0;
    table[9] = 0u8.wrapping_sub(table.iter().fold(0, |sum: u8, &byte| sum.wrapping_add(byte)));
    table
}
