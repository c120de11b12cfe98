//! `nearfar io` finds the truth: the factors of disks' times come apart as described.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::interrupts::sections::{sections_of, words};
use crate::lab::{is_ready, is_ready_with, lab, machine, undisturbed};

const SCRIPT: &str = include_str!("disks/io.sh");
const FIO: &str = include_str!("disks/fio.sh");
const FAILING: &str = include_str!("disks/failing.sh");
const WAITING: &str = include_str!("disks/waiting.sh");
const EVEN: &str = include_str!("disks/even.sh");

/// Microseconds of the emulator in one of the description.
const SLOWDOWN: f64 = 14.0;

/// What a level of a factor adds to each read, in microseconds of the description.
struct Added {
    disk: &'static str,
    factor: &'static str,
    level: &'static str,
    us: f64,
}

/// What the emulator itself may add to a level of a disk that the lab serves, as a fraction.
const SERVED: f64 = 0.03;
/// The same of other disks, which QEMU serves beside all else that it does.
const EMULATED: f64 = 0.1;

/// From `disks-2s.toml`. nvme0n1 is on node 0, all others are on node 1.
const ADDED: [Added; 9] = [
    Added { disk: "vda", factor: "program", level: "0", us: 0.0 },
    Added { disk: "vda", factor: "buffer", level: "0", us: 100.0 },
    Added { disk: "vdb", factor: "program", level: "0", us: 60.0 },
    Added { disk: "vdb", factor: "buffer", level: "0", us: 50.0 },
    Added { disk: "vdb", factor: "interrupts", level: "far", us: 0.0 },
    // The driver's store that ends a read, in the interrupt on the program's CPU. The one that
    // starts it adds nothing: the disk works meanwhile.
    Added { disk: "nvme0n1", factor: "program", level: "1", us: 5.0 },
    Added { disk: "nvme0n1", factor: "buffer", level: "1", us: 0.0 },
    Added { disk: "sda", factor: "buffer", level: "0", us: 0.0 },
    // For each interrupt, its driver loads three registers and stores to two, which cost 20 and 5
    // (`ahci_single_level_irq_intr` of Linux' libahci.c).
    Added { disk: "sda", factor: "interrupts", level: "far", us: 70.0 },
];

#[test]
fn factors_come_apart_as_described() {
    if !is_ready("x86_64") {
        return;
    }
    undisturbed(|| {
        let options = ["--no-wait", "--timeout", "900", "--", "sh", "-c", SCRIPT];
        let sections = sections_of(&lab(&[&["run", "disks-2s"][..], &options].concat()));
        // The CPUs of the queues that the description charges.
        assert_eq!(sections["queues"].split_whitespace().collect::<Vec<_>>(), ["2", "3", "0", "1"]);
        for added in ADDED {
            let survey: Value = serde_json::from_str(&sections[added.disk]).unwrap();
            added.is_found_in(&survey["io"]["latency"])?;
        }
        Ok(())
    });
}

impl Added {
    fn is_found_in(&self, latency: &Value) -> Result<(), String> {
        let factors = latency["factors"].as_array().unwrap();
        let is_own = |one: &&Value| one["factor"] == self.factor && one["level"] == self.level;
        let effect = factors.iter().find(is_own).unwrap_or_else(|| panic!("{latency:#}"));
        let without = self.without(latency, effect["reference"].as_str().unwrap());
        let ratios = without.iter().map(|us| 1.0 + SLOWDOWN * self.us / us);
        let expected = ratios.sum::<f64>() / without.len() as f64;
        let [low, high] = [0, 1].map(|end| effect["ci95"][end].as_f64().unwrap());
        // A tenth of what was added, and what the emulator may add.
        let emulator = if self.disk.starts_with("vd") { SERVED } else { EMULATED };
        let tolerance = 0.1 * (expected - 1.0) + emulator;
        let is_found = low - tolerance <= expected && expected <= high + tolerance;
        let is_far = (effect["ratio"].as_f64().unwrap() - 1.0).abs() > emulator;
        let is_right = match effect["verdict"].as_str().unwrap() {
            "slower" => self.us > 0.0 || !is_far,
            "faster" => self.us == 0.0 && !is_far,
            _ => expected < 1.1,
        };
        match is_found && is_right {
            true => Ok(()),
            false => Err(format!("{}: {expected} expected: {effect:#}", self.disk)),
        }
    }

    /// Microseconds in the guest of each cell at a level that adds nothing.
    fn without(&self, latency: &Value, level: &str) -> Vec<f64> {
        let level_of = |cell: &Value| match self.factor {
            "program" => {
                latency["rows"][cell["row"].as_u64().unwrap() as usize]["node"].to_string()
            }
            "buffer" => cell["node"].to_string(),
            _ => cell["interrupts"].as_str().unwrap().to_owned(),
        };
        let cells = latency["cells"].as_array().unwrap().iter();
        let own = cells.filter(|cell| cell["control"].is_null() && level_of(cell) == level);
        own.map(|cell| 1e-3 * cell["median"].as_f64().unwrap()).collect()
    }
}

/// A disk whose reads fail has no figure and the error; one beside it is measured.
#[test]
fn failing_reads_give_no_figure() {
    if !is_ready_with("x86_64", &["dmsetup"]) {
        return;
    }
    let kit = std::env::var("NEARFAR_LAB_KIT").unwrap();
    let dmsetup = format!("{kit}/x86_64/dmsetup");
    let options = ["--module", "dm_mod", "--with", &dmsetup];
    let sections = sections_of(&lab(&words("disks-2s", &options, FAILING)));
    let error = "/dev/mapper/failing: a read at byte ";
    let is_reported = |text: &str| {
        text.contains("No figures: the reason is below.")
            && text.contains(error)
            && text.contains(" failed: Input/output error")
    };
    assert_eq!(sections["alone-status"].trim(), "1");
    assert!(is_reported(&sections["alone"]), "{}", sections["alone"]);
    assert_eq!(sections["beside-status"].trim(), "0");
    assert!(is_reported(&sections["beside"]), "{}", sections["beside"]);
    let survey: Value = serde_json::from_str(&sections["document"]).unwrap();
    for cell in cells_of(&survey) {
        let fails = cell["target"] == "/dev/mapper/failing";
        assert_eq!(cell["median"].is_null(), fails, "{cell:#}");
        assert_eq!(cell["why"].as_str().is_some_and(|why| why.contains("failed")), fails);
    }
    let targets = survey["io"]["targets"].as_array().unwrap();
    let whys: Vec<_> = targets.iter().map(|target| target["interrupts_why"].as_str()).collect();
    assert!(whys[0].is_some_and(|why| why.contains("kernel")) && whys[1].is_none(), "{whys:?}");
    let far = cells_of(&survey).iter().filter(|cell| cell["interrupts"] == "far");
    assert!(far.clone().count() > 0 && far.clone().all(|cell| cell["target"] == "/dev/sda"));
    let disks = &targets[0]["disks"];
    assert_eq!((&disks[0]["name"], &disks[0]["node"]), (&"nvme0n1".into(), &0.into()));
}

/// The kernel cannot issue reads of such a disk while the program submits them. Its own threads
/// would, on other CPUs, and the disk's queue would not be that of the program's CPU.
#[test]
fn disks_that_cannot_refuse_to_wait_are_read_from_the_row() {
    if !is_ready_with("x86_64", &["dmsetup"]) {
        return;
    }
    let dmsetup = format!("{}/x86_64/dmsetup", std::env::var("NEARFAR_LAB_KIT").unwrap());
    let options = ["--module", "dm_mod", "--with", &dmsetup];
    let added = Added { disk: "vdb", factor: "program", level: "0", us: 60.0 };
    undisturbed(|| {
        let sections = sections_of(&lab(&words("disks-2s", &options, WAITING)));
        let survey: Value = serde_json::from_str(&sections["document"]).unwrap();
        let io = &survey["io"];
        assert_eq!(io["engine"], "pread in threads");
        let why = io["engine_why"].as_str().unwrap();
        assert!(why.starts_with("/dev/mapper/waiting ") && why.contains("RWF_NOWAIT"), "{why}");
        added.is_found_in(&io["latency"])
    });
}

/// Documents of the disks of `even-disks.toml`, each measured for this long.
fn even_disks(budget: &str, disks: &[&str]) -> BTreeMap<String, Value> {
    let machine = machine("even-disks");
    let words = [&words(&machine, &[], EVEN)[..], &["sh", budget], disks].concat();
    let parsed = |(disk, text): (String, String)| (disk, serde_json::from_str(&text).unwrap());
    sections_of(&lab(&words)).into_iter().map(parsed).collect()
}

fn cells_of(survey: &Value) -> &[Value] {
    survey["io"]["latency"]["cells"].as_array().unwrap()
}

/// The factors of a disk's latency.
fn factors(survey: &Value) -> &[Value] {
    survey["io"]["latency"]["factors"].as_array().unwrap()
}

#[test]
fn even_disks_are_not_called_different() {
    if !is_ready("x86_64") {
        return;
    }
    undisturbed(|| {
        let surveys = even_disks("15s", &["vda", "nvme0n1", "nvme1n1"]);
        let names: Vec<&Value> =
            factors(&surveys["vda"]).iter().map(|effect| &effect["factor"]).collect();
        assert_eq!(names, ["program", "buffer", "interrupts"]);
        let mut nodes = Vec::new();
        for (disk, survey) in &surveys {
            let emulator = if disk == "vda" { SERVED } else { EMULATED };
            for effect in factors(survey) {
                let differs = effect["verdict"] == "slower" || effect["verdict"] == "faster";
                if differs && (effect["ratio"].as_f64().unwrap() - 1.0).abs() > emulator {
                    return Err(format!("{disk}: {effect:#}"));
                }
            }
            if disk != "vda" {
                nodes.push(node_of_disk(survey));
            }
        }
        nodes.sort_unstable();
        assert_eq!(nodes, [0, 1]);
        Ok(())
    });
}

/// The node of a disk, as sysfs has it. The kernel numbers disks as they answer.
fn node_of_disk(survey: &Value) -> u64 {
    survey["io"]["targets"][0]["disks"][0]["node"].as_u64().unwrap()
}

/// Reads of an nvme take what is described for the one on its node.
fn assert_described(survey: &Value) -> Result<(), String> {
    let node = node_of_disk(survey);
    let described = SLOWDOWN * if node == 0 { 150.0 } else { 250.0 };
    for cell in cells_of(survey) {
        let us = 1e-3 * cell["median"].as_f64().unwrap();
        // The emulator adds 0.6 to 2 ms. The nodes' times are 1.4 ms apart.
        if !(described..described + 2_500.0).contains(&us) {
            return Err(format!("node {node}, {described} us described: {cell:#}"));
        }
    }
    Ok(())
}

#[test]
#[ignore = "long: minutes"]
fn an_even_disk_is_called_the_same() {
    if !is_ready("x86_64") {
        return;
    }
    undisturbed(|| {
        let surveys = even_disks("240s", &["vda", "nvme0n1", "nvme1n1"]);
        assert_described(&surveys["nvme0n1"])?;
        assert_described(&surveys["nvme1n1"])?;
        match factors(&surveys["vda"]).iter().all(|effect| effect["verdict"] == "same") {
            true => Ok(()),
            false => Err(format!("{:#?}", factors(&surveys["vda"]))),
        }
    });
}

/// Microseconds of one program's reads, by the nodes of program and buffer, sorted.
type Reads = BTreeMap<String, Vec<f64>>;

/// Both programs find what reads take from each node, within 5 % or with ranges that overlap.
#[test]
#[ignore = "long: minutes"]
fn fio_agrees() {
    if !is_ready_with("x86_64", &["fio"]) {
        return;
    }
    let fio = format!("{}/x86_64/fio", std::env::var("NEARFAR_LAB_KIT").unwrap());
    let options = ["--no-wait", "--timeout", "900", "--with", &fio, "--", "sh", "-c", FIO];
    undisturbed(|| {
        let output = lab(&[&["run", "disks-2s"][..], &options].concat());
        let (mut ours, mut theirs) = (Reads::new(), Reads::new());
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let (cell, us) = line.rsplit_once(' ').unwrap();
            let (program, cell) = cell.split_once(' ').unwrap();
            let of = if program == "nearfar" { &mut ours } else { &mut theirs };
            of.entry(cell.to_owned()).or_default().push(us.parse().unwrap());
        }
        for reads in ours.values_mut().chain(theirs.values_mut()) {
            reads.sort_by(f64::total_cmp);
        }
        assert_eq!((ours.len(), theirs.len()), (4, 4), "{ours:?} {theirs:?}");
        let agrees = |(ours, theirs): (&Vec<f64>, &Vec<f64>)| {
            let overlap = ours[0] <= theirs[4] && theirs[0] <= ours[4];
            overlap || (ours[2] / theirs[2] - 1.0).abs() <= 0.05
        };
        match ours.values().zip(theirs.values()).all(agrees) {
            true => Ok(()),
            false => Err(format!("{ours:?}, fio {theirs:?}")),
        }
    });
}
