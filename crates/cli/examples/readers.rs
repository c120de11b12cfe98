//! Reads made texts by one reader: `readers` lists the readers, `readers NAME BYTES` reads a text
//! of about this size of each kind. A test counts the instructions (`tests/it/growth.rs`).

use std::fs;
use std::hint::black_box;
use std::path::Path;

use nearfar_devices::SmiMatrix;
use nearfar_devices::irq::SavedInterrupts;
use nearfar_diagnose::Diagnosis;
use nearfar_firmware::device_tree::DeviceTree;
use nearfar_firmware::linux::{CommandLine, KernelLog};
use nearfar_firmware::smbios::Smbios;
use nearfar_firmware::{TableFile, parse_acpidump};
use nearfar_live::Recording;
use nearfar_machine::capture::{Capture, Privacy};
use nearfar_machine::process::{NumaMaps, TaskStatus, parse_maps};
use nearfar_machine::{PciNames, Source, Topology, sent};
use nearfar_model::{Bytes, CpuSet};
use nearfar_process::ProcessSelector;
use nearfar_process::launch::{Dialect, LaunchRequest, size};
use nearfar_report::pictures::core_to_core;
use nearfar_survey::PairMatrix;
use nearfar_survey::fleet::DocumentReader;
use nearfar_sweep::recipe::Recipe;
use nearfar_sweep::{Metric, SweepPlacement};

/// What was read is not optimised away.
fn hold<T>(value: T) {
    drop(black_box([value]));
}

type Reader = (&'static str, fn(&str));

/// A new reader is a line.
const READERS: &[Reader] = &[
    ("acpidump", |text| hold(parse_acpidump(text.as_bytes()))),
    ("table", |text| hold(TableFile::decode("t", None, text.as_bytes().to_vec()))),
    ("smbios", |text| hold(Smbios::decode_file(text.as_bytes()))),
    ("device tree", |text| hold(DeviceTree::decode(text.as_bytes()))),
    ("kernel log", |text| hold(KernelLog::parse(text.as_bytes()))),
    ("command line", |text| hold(CommandLine::parse(text))),
    ("CPU list", |text| hold(CpuSet::parse_list(text))),
    ("CPU mask", |text| hold(CpuSet::parse_mask(text))),
    ("bytes", |text| hold(text.parse::<Bytes>())),
    ("size", |text| hold(size::bytes(text))),
    ("interrupts", |text| hold(SavedInterrupts::parse(text.as_bytes()))),
    ("maps", |text| hold(parse_maps(text))),
    ("numa_maps", |text| hold(NumaMaps::parse(text))),
    ("status", |text| hold(TaskStatus::parse(text))),
    ("pci.ids", |text| hold(PciNames::parse(text, &[(0, 0)].into()))),
    ("machine", |text| hold(Topology::read(&machine(text)))),
    ("capture", |text| {
        hold(Capture::read(machine(text), Privacy::Removed, |_| {}).manifest());
    }),
    ("archive", |text| hold(from_file(text, Source::open))),
    ("sent", |text| hold(sent::parse(text.as_bytes()))),
    ("nvidia-smi", |text| hold(SmiMatrix::parse(text))),
    ("pair matrix", |text| hold(PairMatrix::parse(text))),
    ("map of pairs", |text| hold(core_to_core(text))),
    ("survey", |text| hold(from_file(text, nearfar_survey::read))),
    ("fleet", |text| hold(DocumentReader::new(text.as_bytes()).count())),
    ("sweep", |text| hold(from_file(text, nearfar_sweep::read))),
    ("recipe", |text| hold(Recipe::parse("a", "a.toml", text))),
    ("recording", |text| hold(Recording::open(text.as_bytes()))),
    ("metric", |text| hold(text.parse::<Metric>())),
    ("figure", |text| {
        let metrics = ["a=([0-9.]+)", "a=$..a"].map(|metric| metric.parse::<Metric>().unwrap());
        hold(metrics.map(|metric| metric.of(text)));
    }),
    ("diagnosis", |text| hold(serde_json::from_str::<Diagnosis>(text))),
    ("placement", |text| hold(text.parse::<SweepPlacement>())),
    ("process", |text| hold(ProcessSelector::parse(text))),
    ("run", |text| {
        let words = ["-m", text, "--", "true"].map(Into::into).to_vec();
        hold(LaunchRequest::parse(words, Dialect::Run));
    }),
];

/// What texts repeat: a start, a piece, an end.
const TEXTS: &[[&str; 3]] = &[
    ["", "a", ""],
    ["", "0", ""],
    ["", "aa:", "aaa"],
    ["", "aa-", "aaa"],
    ["", "0-1,", ""],
    ["", ",", ""],
    ["", " ", ""],
    ["", "\n", ""],
    ["", "0,1\n", ""],
    ["", "1,2,3", ""],
    ["", "a b=c ", ""],
    ["", "(", ""],
    ["", "[", ""],
    ["", "{\"a\":", ""],
    ["{\"schema\":\"nearfar.survey/2\",\"environment\":[", "0,", "0]}"],
    ["", "{\n", ""],
    ["\"", "\\u0041", "\""],
    ["           CPU0\n", "  1:  0  PCI-MSI 1-edge  eth0\n", ""],
    ["<6>[    0.000000] ", "node 0 ", "\n"],
    ["", "<6>[    0.000000] ACPI: SRAT: Node 0 PXM 0 [mem 0x0-0xff]\n", ""],
    ["", "7f0000000000-7f0000001000 rw-p 00000000 00:00 0 [heap]\n", ""],
    ["", "7f0000000000 default file=/a anon=1 N0=1 N1=2\n", ""],
    ["", "node 0 cpus: 0 1 2\n", ""],
    [
        "available: 1 nodes (0)\n",
        "node 0 cpus: 0 1 2\n",
        "node 0 size: 9 MB\nnode distances:\n 0: 10\n",
    ],
    ["Architecture: x\nCPU(s): 2\n", "NUMA node0 CPU(s): 0-1\n", ""],
    ["# CPU,Core\n", "0,0\n", ""],
    ["", "3b:00.0 PCI bridge: x\n\tBus: secondary=3b\n", ""],
    ["-[0000:00]-", "-00.0-[01]-", ""],
    ["", "Handle 0x0, DMI type 17, 84 bytes\n\tSize: 1 GB\n", ""],
    ["", "    GPU0 GPU1\n", ""],
    ["", "Architecture: x\nCPU(s): 2\n", ""],
    ["DSDT @ 0x0\n", "    0000: 44 53 44 54 00 00 00 00 44 53 44 54 00 00 00 00  DSDT\n", "\n"],
];

/// The files of a machine, with this text in each.
fn machine(text: &str) -> Source {
    const PATHS: [&str; 12] = [
        "/proc/cmdline",
        "/proc/cpuinfo",
        "/proc/version",
        "/proc/interrupts",
        "/proc/meminfo",
        "/proc/iomem",
        "/sys/devices/system/cpu/online",
        "/sys/devices/system/cpu/possible",
        "/sys/devices/system/node/online",
        "/sys/devices/system/node/node0/cpulist",
        "/sys/devices/system/node/node0/distance",
        "/sys/class/dmi/id/product_name",
    ];
    Source::from_files(PATHS.map(|path| (path, text)))
}

fn from_file<T>(text: &str, read: impl Fn(&Path) -> T) -> T {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    fs::write(file.path(), text).expect("it is written");
    read(file.path())
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [name, bytes] = &words[..] else {
        READERS.iter().for_each(|(name, _)| println!("{name}"));
        return;
    };
    let (_, read) = READERS.iter().find(|(known, _)| known == name).expect("a reader");
    let bytes: usize = bytes.parse().expect("a number of bytes");
    for [start, piece, end] in TEXTS {
        read(&[*start, &piece.repeat(bytes / piece.len()), end].concat());
    }
}
