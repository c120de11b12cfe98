//! A disk as the kernel shows it: how it is driven, and its counters.

use serde::Serialize;

use crate::source::Source;

/// A disk by its kernel name, for example `nvme0n1`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Disk {
    /// The kernel name.
    pub name: String,
    /// The model, where the driver has one.
    pub model: Option<String>,
    /// The smallest unit of an access, in bytes.
    pub logical_block: Option<u64>,
    /// Whether it has moving parts, as the driver claims.
    pub is_rotational: Option<bool>,
    /// The scheduler of its requests: `none`, `mq-deadline`, ...
    pub scheduler: Option<String>,
    /// Requests that a queue may hold.
    pub requests: Option<u64>,
    /// Hardware queues; 0 if the kernel shows none.
    pub queues: usize,
    /// The latency in microseconds that its power states may add (`pm_qos_latency_tolerance_us`):
    /// a number, `auto` or `any`.
    pub power_tolerance: Option<String>,
}

impl Disk {
    /// Reads what sysfs has of a disk.
    ///
    /// # References
    ///
    /// Documentation/ABI/stable/sysfs-block, Documentation/ABI/testing/sysfs-devices-power
    pub fn read(source: &Source, name: &str) -> Self {
        let folder = folder(name);
        let text = |file: &str| source.text(&format!("{folder}/{file}"));
        let number = |file: &str| text(file).and_then(|text| text.parse().ok());
        let scheduler = text("queue/scheduler").map(|text| chosen(&text).to_owned());
        // A namespace's device is the controller, or its subsystem.
        let power = ["device/power", "device/device/power"]
            .iter()
            .find_map(|below| text(&format!("{below}/pm_qos_latency_tolerance_us")));
        Self {
            name: name.to_owned(),
            model: text("device/model").filter(|model| !model.is_empty()),
            logical_block: number("queue/logical_block_size"),
            is_rotational: number("queue/rotational").map(|rotational| rotational != 0),
            scheduler,
            requests: number("queue/nr_requests"),
            queues: source.numbered(&format!("{folder}/mq"), "").len(),
            power_tolerance: power,
        }
    }
}

/// What a disk has read and written since it appeared, by any program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DiskCounters {
    /// Finished reads.
    pub reads: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Finished writes.
    pub writes: u64,
    /// Bytes written.
    pub written_bytes: u64,
}

/// The kernel counts in these, whatever the disk's block is.
const SECTOR: u64 = 512;

impl DiskCounters {
    /// Reads a disk's counters; `None` if it has none.
    ///
    /// # References
    ///
    /// Documentation/block/stat.rst
    pub fn read(source: &Source, name: &str) -> Option<Self> {
        Self::parse(&source.text(&format!("{}/stat", folder(name)))?)
    }

    /// Parses the kernel's line.
    pub fn parse(text: &str) -> Option<Self> {
        let fields: Vec<u64> =
            text.split_whitespace().map(|field| field.parse().ok()).collect::<Option<_>>()?;
        let field = |index: usize| fields.get(index).copied();
        Some(Self {
            reads: field(0)?,
            read_bytes: field(2)?.saturating_mul(SECTOR),
            writes: field(4)?,
            written_bytes: field(6)?.saturating_mul(SECTOR),
        })
    }

    /// The sum with another disk's.
    pub fn plus(self, other: Self) -> Self {
        Self {
            reads: self.reads.saturating_add(other.reads),
            read_bytes: self.read_bytes.saturating_add(other.read_bytes),
            writes: self.writes.saturating_add(other.writes),
            written_bytes: self.written_bytes.saturating_add(other.written_bytes),
        }
    }

    /// What was done since an earlier reading.
    pub fn since(self, earlier: Self) -> Self {
        Self {
            reads: self.reads.saturating_sub(earlier.reads),
            read_bytes: self.read_bytes.saturating_sub(earlier.read_bytes),
            writes: self.writes.saturating_sub(earlier.writes),
            written_bytes: self.written_bytes.saturating_sub(earlier.written_bytes),
        }
    }
}

/// The folder of a disk; `!` stands for `/` in its name.
fn folder(name: &str) -> String {
    format!("/sys/class/block/{}", name.replace('/', "!"))
}

/// The word in brackets of a list of choices, or the only one.
fn chosen(text: &str) -> &str {
    let in_brackets = text.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
    in_brackets.map_or(text, |(chosen, _)| chosen).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disks_are_described() {
        let folder = "/sys/class/block/nvme0n1";
        let source = Source::from_files([
            (format!("{folder}/queue/scheduler"), "mq-deadline [none]\n"),
            (format!("{folder}/queue/rotational"), "0\n"),
            (format!("{folder}/queue/logical_block_size"), "512\n"),
            (format!("{folder}/queue/nr_requests"), "1023\n"),
            (format!("{folder}/mq/0/cpu_list"), "0\n"),
            (format!("{folder}/mq/1/cpu_list"), "1\n"),
            (format!("{folder}/device/model"), "QEMU NVMe Ctrl  \n"),
            (format!("{folder}/device/power/pm_qos_latency_tolerance_us"), "100000\n"),
            (format!("{folder}/stat"), "10 0 80 5 4 0 16 9 0 7 14\n"),
        ]);
        let disk = Disk::read(&source, "nvme0n1");
        assert_eq!(
            disk,
            Disk {
                name: "nvme0n1".to_owned(),
                model: Some("QEMU NVMe Ctrl".to_owned()),
                logical_block: Some(512),
                is_rotational: Some(false),
                scheduler: Some("none".to_owned()),
                requests: Some(1023),
                queues: 2,
                power_tolerance: Some("100000".to_owned()),
            }
        );
        let counters = DiskCounters::read(&source, "nvme0n1").unwrap();
        assert_eq!((counters.reads, counters.read_bytes), (10, 40_960));
        assert_eq!((counters.writes, counters.written_bytes), (4, 8_192));
        assert_eq!(Disk::read(&source, "sda").queues, 0);
        assert_eq!(DiskCounters::read(&source, "sda"), None);
    }

    #[test]
    fn short_or_odd_lines_are_no_counters() {
        for text in ["", "1 2 3", "1 2 3 4 5 6", "a b c d e f g"] {
            assert_eq!(DiskCounters::parse(text), None, "{text}");
        }
        assert_eq!(chosen("none"), "none");
    }
}
