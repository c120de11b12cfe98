//! Disks whose requests take a described time: Linux reads them, and the node of the buffer shows.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::lab::{is_ready_with, lab, undisturbed};

const MACHINE: &str = "disks-2s";
const SCRIPT: &str = include_str!("disks/read.sh");

/// The output of a guest.
#[derive(Default)]
struct Reads {
    /// Name and two words of content, by PCI address.
    disks: BTreeMap<String, (String, String)>,
    /// PCI address, handler and mode of each interrupt.
    interrupts: Vec<(String, String, String)>,
    /// Medians in microseconds, a round each, by name, node of the buffer, and bytes.
    times: BTreeMap<(String, usize, u64), Vec<f64>>,
}

impl Reads {
    fn parse(text: &str) -> Self {
        let mut reads = Self::default();
        for line in text.lines() {
            let owned = |word: &str| word.to_owned();
            match line.split_whitespace().collect::<Vec<_>>()[..] {
                ["disk", address, name, content] => {
                    reads.disks.insert(owned(address), (owned(name), owned(content)));
                }
                ["irq", address, handler, mode] => {
                    reads.interrupts.push((owned(address), owned(handler), owned(mode)));
                }
                ["time", name, node, bytes, us] => {
                    let key = (owned(name), node.parse().unwrap(), bytes.parse().unwrap());
                    reads.times.entry(key).or_default().push(us.parse().unwrap());
                }
                _ => panic!("{line}"),
            }
        }
        reads
    }

    /// Half of the rounds took no longer.
    fn median(&self, name: &str, node: usize, bytes: u64) -> f64 {
        median(self.times[&(name.to_owned(), node, bytes)].clone())
    }

    /// How much longer one kind of read took than another, in half of the rounds no more.
    fn longer(&self, name: &str, this: (usize, u64), than: (usize, u64)) -> f64 {
        let [this, than] =
            [this, than].map(|(node, bytes)| self.times[&(name.to_owned(), node, bytes)].iter());
        median(this.zip(than).map(|(this, than)| this - than).collect())
    }
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[(numbers.len() - 1) / 2]
}

#[test]
fn reads_take_the_described_time() {
    if !is_ready_with("x86_64", &["timed-read"]) {
        return;
    }
    let kit = std::env::var("NEARFAR_LAB_KIT").unwrap();
    let program = format!("{kit}/x86_64/timed-read");
    let truth: Value = serde_json::from_slice(&lab(&["show", MACHINE, "--json"]).stdout).unwrap();
    let options = ["--no-wait", "--timeout", "900", "--with", &program, "--"];
    undisturbed(|| {
        let output = lab(&[&["run", MACHINE][..], &options, &["sh", "-c", SCRIPT]].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let reads = Reads::parse(&String::from_utf8_lossy(&output.stdout));
        let devices = truth["devices"].as_array().unwrap();
        assert_eq!(reads.disks.len(), devices.len(), "{:?}", reads.disks);
        for device in devices {
            let (name, content) = &reads.disks[device["address"].as_str().unwrap()];
            assert_interrupts(&reads, device);
            assert_content(device, content);
            times_are_described(&reads, name, device)?;
        }
        // 2 GB/s are 7 ns a byte at a slowdown of 14: 124 KiB more take 889 us. The emulator's own
        // work for them comes on top.
        let transfer_us = reads.longer("vda", (1, 131_072), (1, 4096));
        let is_described = (620.0..3600.0).contains(&transfer_us);
        if is_described { Ok(()) } else { Err(format!("{transfer_us} {:?}", reads.times)) }
    });
}

/// The kernel shows by a file's mode which interrupts it manages.
fn assert_interrupts(reads: &Reads, device: &Value) {
    let own = reads.interrupts.iter().filter(|(address, _, _)| device["address"] == *address);
    // Not of the configuration, and not of NVMe's admin queue.
    let queues: Vec<_> =
        own.filter(|(_, name, _)| !name.ends_with("config") && name != "nvme0q0").collect();
    let mode = if device["interrupts"] == "managed" { "444" } else { "644" };
    assert!(!queues.is_empty() && queues.iter().all(|(_, _, shown)| shown == mode), "{queues:?}");
}

/// Disks that the lab serves count their own bytes; all others read as zeros.
fn assert_content(device: &Value, content: &str) {
    let served = device["kind"] == "vhost-user-blk";
    let words = if served { [0x3000_u64, 0x3008] } else { [0, 0] };
    assert_eq!(content, words.map(|word| format!("{word:016x}")).concat(), "{device:#}");
}

fn times_are_described(reads: &Reads, name: &str, device: &Value) -> Result<(), String> {
    let slowdown = 14.0;
    let latency_us = slowdown * device["latency_us"].as_f64().unwrap();
    for node in [0, 1] {
        let median_us = reads.median(name, node, 4096);
        assert!(median_us >= latency_us, "{name}: {:?}", reads.times);
    }
    let extra = |node: usize| device["buffer_us"][node].as_f64().unwrap_or(0.0);
    let charged_us = slowdown * (extra(0) - extra(1));
    let longer_us = reads.longer(name, (0, 4096), (1, 4096));
    // Half of what far buffers cost on this machine: a loaded host moves five reads by that much.
    let tolerance_us = if charged_us == 0.0 { 500.0 } else { 0.5 * charged_us };
    if (longer_us - charged_us).abs() <= tolerance_us {
        return Ok(());
    }
    Err(format!("{name}: {longer_us} us longer, {charged_us} charged; {:?}", reads.times))
}
