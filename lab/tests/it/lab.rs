//! Runs the lab, or reports loudly that it cannot. With `CI` set, a lab that is not whole is a
//! failure.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{PoisonError, RwLock};

use serde_json::Value;

/// What a guest of each architecture is made of, beside the emulator.
const PARTS: [&str; 3] = ["vmlinuz", "busybox", "nearfar"];

/// Whether the kit has all that guests of an architecture need. Where it has not, the test is
/// skipped, and this is hard to overlook.
pub(crate) fn is_ready(arch: &str) -> bool {
    is_ready_with(arch, &[])
}

/// The same, where a test needs more of the kit than guests do.
pub(crate) fn is_ready_with(arch: &str, more: &[&str]) -> bool {
    nothing_lacks(&lacks(arch, more))
}

/// Whether nothing is missing; skips the test otherwise.
pub(crate) fn nothing_lacks(lacks: &[String]) -> bool {
    if lacks.is_empty() {
        return true;
    }
    let name = std::thread::current().name().unwrap_or("a test").to_owned();
    let message =
        format!("\nSKIPPED {name}: the lab lacks {} (./dev lab-setup)\n", lacks.join(", "));
    assert!(std::env::var_os("CI").is_none(), "{message}CI is set, and does not let a test go");
    // The test harness swallows what passing tests print by its own means.
    std::io::stderr().write_all(message.as_bytes()).unwrap();
    false
}

fn lacks(arch: &str, more: &[&str]) -> Vec<String> {
    let Some(kit) = std::env::var_os("NEARFAR_LAB_KIT").map(PathBuf::from) else {
        return vec!["a kit: NEARFAR_LAB_KIT is not set".to_owned()];
    };
    let parts = PARTS
        .iter()
        .chain(more)
        .map(|part| format!("{arch}/{part}"))
        .chain(["plugin.so".to_owned()]);
    let mut lacks: Vec<String> = parts.filter(|part| !kit.join(part).exists()).collect();
    let emulator = format!("qemu-system-{arch}");
    if !kit.join("qemu").join(&emulator).exists()
        && Command::new(&emulator).arg("--version").output().is_err()
    {
        lacks.push(emulator);
    }
    lacks
}

/// A machine of the tests' own.
pub(crate) fn machine(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join(format!("tests/machines/{name}.toml"))
        .display()
        .to_string()
}

/// How often a guest boots that QEMU's faults kill. Of 20 guests that charge for accesses, one dies
/// before its command begins (`Threads` in guest/arguments.rs explains why). A kernel that patches
/// its code while another CPU runs it may meet a breakpoint that is already gone, and panic.
/// Nothing else makes a guest boot again.
const BOOTS: u32 = 3;

/// Guests read it while they run; who needs the host alone writes it.
static ALONE: RwLock<()> = RwLock::new(());

/// Runs the lab, beside other guests.
pub(crate) fn lab(words: &[&str]) -> Output {
    let _beside_others = ALONE.read().unwrap_or_else(PoisonError::into_inner);
    lab_alone(words)
}

/// Runs the lab for who holds [`ALONE`].
fn lab_alone(words: &[&str]) -> Output {
    let run = || Command::new(env!("CARGO_BIN_EXE_nearfar-lab")).args(words).output().unwrap();
    let died = |output: &Output| {
        let errors = String::from_utf8_lossy(&output.stderr);
        errors.contains("died before the command began") || errors.contains("Kernel panic")
    };
    let mut output = run();
    for boot in 2..=BOOTS {
        if !died(&output) {
            break;
        }
        report(&format!("boot {boot} of {}: the guest died of a race in QEMU", words.join(" ")));
        output = run();
    }
    output
}

/// Writes to stderr past the test harness, which hides what passing tests print.
pub(crate) fn report(line: &str) {
    std::io::stderr().write_all(format!("{line}\n").as_bytes()).unwrap();
}

/// A survey inside against what was charged; the exit status shows whether there are objections.
pub(crate) fn compared(machine: &str, words: &[&str]) -> Value {
    let output = lab(&[&["check", machine, "--json"], words].concat());
    let stderr = String::from_utf8_lossy(&output.stderr);
    let comparison: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{machine}: {stderr}"));
    let objects = comparison["objections"] != serde_json::json!([]);
    assert_eq!(output.status.code(), Some(i32::from(objects)), "{machine}: {stderr}");
    comparison
}

/// The same of a survey that found what the plugin charged, in one of three guests.
pub(crate) fn assert_survey_matches(machine: &str, words: &[&str]) -> Value {
    undisturbed(|| found_once(machine, words))
}

/// The same in one guest. A busy host moves figures, and nothing but these.
pub(crate) fn found_once(machine: &str, words: &[&str]) -> Result<Value, String> {
    let comparison = compared(machine, words);
    let objections = comparison["objections"].as_array().unwrap();
    assert!(
        objections.iter().all(|one| one.as_str().unwrap().contains("from what was charged")),
        "{machine}: {comparison:#}"
    );
    match objections.is_empty() {
        true => Ok(comparison),
        false => Err(format!("{machine}: {comparison:#}")),
    }
}

/// Costs that were measured well in one of three attempts: a host that is busy with much else
/// disturbs some of them, and what nearfar does wrong, it does wrong three times.
pub(crate) fn undisturbed<T>(mut attempt: impl FnMut() -> Result<T, String>) -> T {
    for _ in 0..2 {
        match attempt() {
            Ok(measured) => return measured,
            Err(why) => std::io::stderr()
                .write_all(format!("measured once more: {why}\n").as_bytes())
                .unwrap(),
        }
    }
    attempt().unwrap_or_else(|why| panic!("{why}"))
}

/// A measurement that its guest repeats while a busy host leaves it without an answer.
pub(crate) struct Measurement<'a> {
    pub(crate) machine: &'a str,
    pub(crate) slowdown: f64,
    /// nearfar's command, without `--seed` and `--json`.
    pub(crate) command: &'a str,
    /// Shell commands that succeed if the document (`$document`) has the answer.
    pub(crate) settled: &'a str,
}

impl Measurement<'_> {
    /// The last document of at most three, all of one boot.
    pub(crate) fn document(&self) -> Value {
        self.document_from(lab)
    }

    /// The same from a guest that runs while no other does.
    pub(crate) fn document_alone(&self) -> Value {
        let _alone = ALONE.write().unwrap_or_else(PoisonError::into_inner);
        self.document_from(lab_alone)
    }

    fn document_from(&self, lab: impl Fn(&[&str]) -> Output) -> Value {
        let Self { machine, slowdown, command, settled } = self;
        let script = format!(
            "document=/tmp/document.json
            settled() {{ {settled}; }}
            for seed in 1 2 3; do
                # Without any figure its status is 1, and there is a document.
                nearfar {command} --seed $seed --json >$document || [ -s $document ] || exit 1
                ! settled || break
                echo \"not settled with seed $seed\" >&2
            done
            cat $document"
        );
        let slow = slowdown.to_string();
        let options = ["--slowdown", &slow, "--no-wait", "--timeout", "1200"];
        let words = [&["run", machine], &options[..], &["--", "sh", "-c", &script]].concat();
        let output = lab(&words);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{machine}: {stderr}");
        let repeats = stderr.lines().filter(|line| line.starts_with("not settled"));
        repeats.for_each(|line| report(&format!("{machine}, {command}: {line}")));
        serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{machine}: {error}: {stderr}"))
    }
}
