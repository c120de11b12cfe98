//! `nearfar io` finds what was put in: the factors of disks' times come apart.

use serde_json::Value;

use crate::interrupts::sections::sections_of;
use crate::lab::{is_ready, lab, undisturbed};

const SCRIPT: &str = include_str!("disks/io.sh");

/// Milliseconds of the emulator a microsecond of the description.
const SLOWDOWN: f64 = 14.0;

/// What a level of a factor adds to each read, in microseconds of the description.
struct Added {
    disk: &'static str,
    factor: &'static str,
    level: &'static str,
    us: f64,
}

/// From `disks-2s.toml`. A far load of a register is 20 µs, a far store 5 µs.
const ADDED: [Added; 7] = [
    // Its back end waits for far buffers; the driver stores to one register for each read.
    Added { disk: "vda", factor: "buffer", level: "0", us: 100.0 },
    Added { disk: "vda", factor: "program", level: "0", us: 5.0 },
    // Both ends of its queue are stored by the CPU that asked, for its interrupt runs there.
    Added { disk: "nvme0n1", factor: "buffer", level: "1", us: 0.0 },
    Added { disk: "nvme0n1", factor: "program", level: "1", us: 10.0 },
    Added { disk: "sda", factor: "buffer", level: "0", us: 0.0 },
    // Its driver stores to two registers for each read (SActive, command issue), and each interrupt
    // loads three and stores to two.
    Added { disk: "sda", factor: "program", level: "0", us: 10.0 },
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
        for added in ADDED {
            let survey: Value = serde_json::from_str(&sections[added.disk]).unwrap();
            added.assert_found(&survey["io"])?;
        }
        Ok(())
    });
}

impl Added {
    fn assert_found(&self, io: &Value) -> Result<(), String> {
        let latency = &io["latency"];
        let factors = latency["factors"].as_array().unwrap();
        let is_own = |one: &&Value| one["factor"] == self.factor && one["level"] == self.level;
        let effect = factors.iter().find(is_own).unwrap_or_else(|| panic!("{latency:#}"));
        let without = self.without(latency, effect["reference"].as_str().unwrap());
        let ratios = without.iter().map(|us| 1.0 + SLOWDOWN * self.us / us);
        let expected = ratios.sum::<f64>() / without.len() as f64;
        let [low, high] = [0, 1].map(|end| effect["ci95"][end].as_f64().unwrap());
        // A fifth of what was added, and 3 % of a read.
        let tolerance = 0.2 * (expected - 1.0) + 0.03;
        let is_found = low - tolerance <= expected && expected <= high + tolerance;
        let verdict = effect["verdict"].as_str().unwrap();
        let is_decided = expected < 1.1 || verdict == "slower";
        let is_silent = self.us > 0.0 || !["slower", "faster"].contains(&verdict);
        match is_found && is_decided && is_silent {
            true => Ok(()),
            false => Err(format!("{}: {expected} was put in: {effect:#}", self.disk)),
        }
    }

    /// Microseconds in the guest of each cell at a level that adds nothing.
    fn without(&self, latency: &Value, level: &str) -> Vec<f64> {
        let level_of = |cell: &Value| match self.factor {
            "program" => latency["rows"][cell["row"].as_u64().unwrap() as usize]["node"].to_string(),
            "buffer" => cell["node"].to_string(),
            _ => cell["interrupts"].as_str().unwrap().to_owned(),
        };
        let cells = latency["cells"].as_array().unwrap().iter();
        let own = cells.filter(|cell| cell["control"].is_null() && level_of(cell) == level);
        own.map(|cell| 1e-3 * cell["median"].as_f64().unwrap()).collect()
    }
}
