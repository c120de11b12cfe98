//! Every reader of outside input, as data: its name, what it begins with, and what it does.
//!
//! A new reader is one entry here.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use nearfar_devices::SmiMatrix;
use nearfar_devices::irq::{SavedInterrupts, assess_saved};
use nearfar_diagnose::{Diagnosis, Witnesses, diagnose, performance};
use nearfar_firmware::acpi::AcpiTable;
use nearfar_firmware::device_tree::DeviceTree;
use nearfar_firmware::linux::{CommandLine, KernelLog, KernelVersion, MemoryMap};
use nearfar_firmware::parse_acpidump;
use nearfar_firmware::smbios::Smbios;
use nearfar_infer::response::LatencyRange;
use nearfar_live::Recording;
use nearfar_live::explain::{self, ForecastMachine, ResponseDocument};
use nearfar_machine::process::{NumaMaps, TaskStat, TaskStatus, parse_maps};
use nearfar_machine::{Inventory, InventoryScope, MachineDocument, PciNames, Source};
use nearfar_model::{Bytes, CpuSet, NodeSet};
use nearfar_process::ProcessSelector;
use nearfar_process::launch::{Dialect, LaunchRequest, size};
use nearfar_report::pictures::core_to_core;
use nearfar_report::survey::Verbosity;
use nearfar_survey::fleet::text::FleetDetail;
use nearfar_survey::fleet::{DocumentPlace, DocumentReader, FleetSettings, FleetSurveys};
use nearfar_survey::{PairMatrix, Survey};
use nearfar_sweep::recipe::Recipe;
use nearfar_sweep::{Metric, SweepPlacement};

use crate::tree;

/// A reader of input.
pub struct Reader {
    /// Its name on the command line, and of the folder of its seeds.
    pub name: &'static str,
    /// Texts it begins with, beside `seeds/NAME`.
    pub texts: &'static [&'static str],
    /// Files of the repository it begins with.
    pub files: &'static [&'static str],
    /// Peak memory allowed for each byte of input, beside 64 KiB. None where a small input may
    /// describe a large machine.
    pub bytes_per_byte: Option<u64>,
    /// Reads an input as a command does, and shows it.
    pub read: fn(&[u8]),
}

const fn reader(name: &'static str, read: fn(&[u8])) -> Reader {
    Reader { name, texts: &[], files: &[], bytes_per_byte: None, read }
}

const HWLOC: &str = "<topology version='2.0'><object type='Machine' cpuset='0x3'><object \
    type='NUMANode' os_index='0' cpuset='0x3' local_memory='9'/><object type='L2Cache' depth='2' \
    cpuset='0x1' cache_size='4096'/><object type='PU' os_index='0' cpuset='0x1'/></object></topology>";
const NCCL: &str = "<system><cpu numaid='0' affinity='3'><pci busid='0000:3b:00.0' \
    class='0x020000'><nic><net name='eth0'/></nic></pci></cpu></system>";
const INTERRUPTS: &str = "           CPU0       CPU1\n   0:         12          0   IO-APIC   \
    2-edge      timer\n  30:       7000          5   PCI-MSI 524288-edge      eth0-tx-0\n NMI:  \
    1 2   Non-maskable interrupts\n";
const KERNEL_LOG: &str = "[    0.000000] Linux version 6.1.0 (x)\n[    0.000000] Command line: \
    quiet numa=off\n[    0.010000] ACPI: SRAT: Node 0 PXM 0 [mem 0x00000000-0x7fffffff]\n\
    [    0.010000] NUMA: Initialized distance table, cnt=2\n<6>[    0.020000] BIOS-e820: [mem \
    0x0000000000000000-0x000000000009fbff] usable\n[    0.030000] No NUMA configuration found\n";
const NUMA_MAPS: &str = "7f0000000000 bind=static:0-1 anon=12 dirty=12 active=0 N0=6 N1=6 \
    kernelpagesize_kB=4\n00400000 default file=/bin/x\\040y mapped=3 N0=3 huge\n";
const MAPS: &str = "00400000-0040b000 r-xp 00000000 fe:01 123    /bin/cat (deleted)\n\
    7ffd0000-7ffd1000 rw-p 00000000 00:00 0    [stack]\n";
const STAT: &str = "12 (a (b) c) S 1 12 12 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 99 1000 20 \
    18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 3 0 0 0 0 0\n";
const SMI: &str = "\tGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\nGPU0\t X \tNV18\tPIX\t0-31\t\
    0\nGPU1\tNV18\t X \tSYS\t32-63\t1\nNIC0\tPIX\tSYS\t X \n\nLegend:\n";

const SENT: &str = "Architecture: x86_64\nOn-line CPU(s) list: 0-3\nThread(s) per core: 2\n\
    Core(s) per socket: 1\nSocket(s): 2\nL3 cache: 16 MiB (2 instances)\n\
    NUMA node0 CPU(s): 0,2\nFlags: fpu\navailable: 1 nodes (0)\nnode 0 cpus: 0 2\n\
    node 0 size: 9 MB\nnode distances:\nnode 0\n 0: 10\n# CPU,Core,Socket,Node,,L1d\n0,0,0,0,,0\n\
    CPU NODE SOCKET CORE L1d:L2 ONLINE\n0 0 0 0 0:0 yes\npolicy: default\nphyscpubind: 0 1\n\
    MemTotal: 9 kB\nNode 0, zone DMA32\nmanaged 9\nSRAT @ 0x0\n  0000: 53 52 41 54 08 00 00 00  SRAT....\n";
const LSCPU_JSON: &str = "{\"lscpu\":[{\"field\":\"CPU(s):\",\"data\":\"2\",\"children\":[]}]}";
const LSPCI: &str = "-[0000:00]-+-00.0  Intel [8086:1521]\n           \\-01.0-[01]----00.0  x\n\
    3b:00.0 3D controller [0302]: NVIDIA [10de:2330]\n\tNUMA node: 1\n\tBus: secondary=3c\n\
    # dmidecode 3.3\nHandle 0x1100, DMI type 17, 84 bytes\nMemory Device\n\tSize: 64 GB\n\
    GPU[0]\t\t: (Topology) Numa Node: 0\nACCESS TABLE:\n  0000:0c:00.0\n<nvidia_smi_log>\n\
    <pci_bus_id>00000000:07:00.0</pci_bus_id>\n</nvidia_smi_log>\n";

/// All readers.
pub const READERS: &[Reader] = &[
    Reader { bytes_per_byte: Some(48), ..reader("acpi", |bytes| drop(AcpiTable::decode(bytes))) },
    Reader { bytes_per_byte: Some(48), ..reader("text", |bytes| drop(parse_acpidump(bytes))) },
    Reader {
        bytes_per_byte: Some(96),
        ..reader("smbios", |bytes| {
            drop(Smbios::decode(bytes));
            drop(Smbios::decode_file(bytes));
        })
    },
    Reader {
        bytes_per_byte: Some(48),
        ..reader("device_tree", |bytes| drop(DeviceTree::decode(bytes)))
    },
    Reader {
        texts: &[KERNEL_LOG],
        ..reader("kernel-log", |bytes| {
            let log = KernelLog::parse(bytes);
            drop(MemoryMap::from_log(&log));
        })
    },
    Reader {
        texts: &[
            "BOOT_IMAGE=/v quiet numa=fake=2G mem=4G memmap=1G$4G numa=off acpi=off",
            "6.1.0-x",
        ],
        ..reader("parameters", |bytes| {
            let text = String::from_utf8_lossy(bytes);
            drop(CommandLine::parse(&text));
            let _ = KernelVersion::parse(&text);
        })
    },
    Reader {
        texts: &["0-3,8-11:2/4", "ffffffff,00000001", "+0-1", "4GiB"],
        ..reader("lists", |bytes| {
            let text = String::from_utf8_lossy(bytes);
            for set in [CpuSet::parse_list(&text), CpuSet::parse_mask(&text)].into_iter().flatten()
            {
                assert_eq!(CpuSet::parse_list(&set.to_string()).ok(), Some(set));
            }
            drop(NodeSet::parse_list(&text));
            drop(text.parse::<Bytes>());
            let _ = size::bytes(&text);
            drop(text.parse::<SweepPlacement>());
            drop(ProcessSelector::parse(&text));
        })
    },
    Reader {
        texts: &[INTERRUPTS],
        ..reader("interrupts", |bytes| {
            if let Ok(saved) = SavedInterrupts::parse(bytes) {
                shown(&nearfar_devices::irq::text::csv(&assess_saved(&saved, &[])));
            }
        })
    },
    Reader {
        texts: &[SMI],
        ..reader("nvidia-smi", |bytes| drop(SmiMatrix::parse(&String::from_utf8_lossy(bytes))))
    },
    Reader {
        texts: &["0,50,120\n50,0,120\n120,120,0\n", " 0 50\n 50 0\n"],
        ..reader("core-to-core", |bytes| {
            let text = String::from_utf8_lossy(bytes);
            drop(PairMatrix::parse(&text));
            drop(core_to_core(&text));
        })
    },
    Reader {
        texts: &["10de  NVIDIA Corporation\n\t2330  GH100 [H100 SXM5 80GB]\n\t\t10de 16c1  x\n"],
        ..reader("pci-names", |bytes| {
            let wanted = [(0x10de, 0x2330), (0x8086, 0)].into();
            drop(PciNames::parse(&String::from_utf8_lossy(bytes), &wanted));
        })
    },
    Reader {
        texts: &[NUMA_MAPS, MAPS, STAT, "Name:\tx\nUid:\t0\t0\t0\t0\nCpus_allowed_list:\t0-1\n"],
        ..reader("process", |bytes| {
            let text = String::from_utf8_lossy(bytes);
            drop(NumaMaps::parse(&text));
            drop(parse_maps(&text));
            drop(TaskStat::parse(&text));
            drop(TaskStatus::parse(&text));
        })
    },
    Reader {
        texts: &[
            "-N\n0\n-m\nall\nls\n-l",
            "--as\nsystemd\n--interleave\n0-1\n./a b",
            "--near\neth0\nx",
        ],
        ..reader("placements", |bytes| {
            let words: Vec<OsString> = bytes
                .split(|&byte| byte == b'\n')
                .map(|word| OsString::from_vec(word.to_vec()))
                .collect();
            for dialect in [Dialect::Run, Dialect::Numactl] {
                if let Ok(request) = LaunchRequest::parse(words.clone(), dialect) {
                    drop(request.check(&tree::two_nodes()));
                }
            }
        })
    },
    Reader {
        files: &[
            "crates/survey/src/sketch.json",
            "docs/gallery/documents/lab-hidden-2n.json",
            "docs/gallery/documents/lab-xeon-2s-before.json",
            "docs/gallery/documents/lab-epyc-7451-2p.json",
        ],
        ..reader("survey", |bytes| {
            let Ok(survey) = serde_json::from_slice::<Survey>(bytes) else { return };
            shown(&nearfar_report::survey::text(&survey, Verbosity::Verbose).plain());
            shown(&nearfar_report::survey::csv(&survey));
            let mut again = survey;
            if again.judge().is_ok() {
                shown(&nearfar_report::survey::text(&again, Verbosity::Verbose).plain());
            }
        })
    },
    Reader {
        files: &["crates/survey/src/sketch.json", "docs/gallery/documents/lab-hidden-2n.json"],
        ..reader("fleet", |bytes| {
            let mut surveys = FleetSurveys::default();
            for document in DocumentReader::new(bytes) {
                surveys.add(&DocumentPlace { number: 0, file: "a".into() }, document);
            }
            if let Ok(fleet) = surveys.judge(FleetSettings { floor: 0.03 }) {
                shown(
                    &nearfar_survey::fleet::text::text(&fleet, FleetDetail::Full, "FILES").text(),
                );
                shown(&nearfar_survey::fleet::text::csv(&fleet));
            }
        })
    },
    reader("fleet_table", |bytes| {
        if let Err(why) = nearfar_survey::fleet::table_rows(bytes) {
            shown(&why);
        }
    }),
    Reader {
        files: &["crates/sweep/src/sketch.json"],
        ..reader("sweep", |bytes| {
            tree::with_file(bytes, |path| {
                let Ok(sweep) = nearfar_sweep::read(path) else { return };
                shown(&nearfar_sweep::text::text(&sweep));
                shown(&nearfar_sweep::text::csv(&sweep));
            });
        })
    },
    Reader {
        texts: &[
            "tps=tps = ([0-9,.]+)\ntps = 1,234.5\n\x1e\ntps = 1\n\x1e\n",
            "p99=$.all[?@.name=='get'].p99\n{\"all\":[{\"name\":\"get\",\"p99\":\"1.5\"}]}\n",
        ],
        ..reader("metric", |bytes| {
            let text = String::from_utf8_lossy(bytes);
            let (metric, printed) = text.split_once('\n').unwrap_or((&text, ""));
            if let Ok(metric) = metric.parse::<Metric>() {
                assert!(metric.of(printed).is_none_or(f64::is_finite));
            }
        })
    },
    reader("diagnosis", |bytes| {
        if let Ok(diagnosis) = serde_json::from_slice::<Diagnosis>(bytes) {
            shown(&nearfar_diagnose::text::text(&diagnosis).text());
        }
    }),
    Reader {
        files: &["crates/sweep/recipes/redis.toml", "crates/sweep/tests/loop.toml"],
        ..reader("recipe", |bytes| {
            let _ = Recipe::parse("a", "a.toml", &String::from_utf8_lossy(bytes));
        })
    },
    Reader {
        files: &["crates/cli/tests/it/placing/response.json"],
        ..reader("response", |bytes| {
            let Ok(response) = serde_json::from_slice::<ResponseDocument>(bytes) else { return };
            shown(&explain::text::response_text(&response));
            shown(&explain::text::response_csv(&response));
            let machine = ForecastMachine { name: "a".into(), source: "b".into() };
            let node = |node| nearfar_model::NodeId(node);
            let latency = |ns| LatencyRange { ns, range: [ns, ns] };
            let cells = [((node(0), node(0)), latency(80.0)), ((node(0), node(1)), latency(140.0))];
            let forecast = explain::forecast_elsewhere(&response, machine, &cells.into());
            shown(&explain::text::forecast_text(&forecast));
        })
    },
    Reader {
        texts: &[
            "{\"schema\":\"nearfar.top/1\",\"recorded_by\":\"nearfar 0.2.0\",\"delay_s\":0.3}\n",
        ],
        ..reader("recording", |bytes| {
            let Ok(mut recording) = Recording::open(bytes) else { return };
            while let Ok(Some(tick)) = recording.next_tick() {
                drop(tick);
            }
        })
    },
    Reader {
        texts: &[HWLOC, NCCL],
        files: &["docs/captures/cloud-guest.tar.gz"],
        ..reader("archive", |bytes| {
            tree::with_file(bytes, |path| {
                if let Ok(source) = Source::open(path) {
                    machine(&source);
                }
            });
        })
    },
    Reader {
        texts: &[SENT, LSCPU_JSON, KERNEL_LOG, SMI, HWLOC, NCCL, INTERRUPTS, LSPCI],
        ..reader("sent", |bytes| {
            if let Ok(sent) = nearfar_machine::sent::parse(bytes) {
                nearfar_machine::text::sent::parts(&sent);
                machine(&sent.source);
            }
        })
    },
    Reader { texts: tree::SEEDS, ..reader("machine", |bytes| machine(&tree::machine(bytes))) },
];

/// Everything that is decided about a machine.
fn machine(source: &Source) {
    let witnesses = Witnesses::read(source);
    let diagnosis = diagnose(&witnesses);
    shown(&nearfar_diagnose::text::text(&diagnosis).text());
    performance(&witnesses);
    drop(Inventory::read(source, InventoryScope::All));
    if let Ok(document) = MachineDocument::read(source) {
        serde_json::to_string(&document).expect("it is shown as JSON");
    }
}

/// What is shown goes to terminals: lines, styles, and no other control character.
fn shown(text: &str) {
    for (index, part) in text.split("\x1b[").enumerate() {
        let style = part.find('m').filter(|_| index > 0);
        let (style, text) = style.map_or(("", part), |end| part.split_at(end));
        assert!(style.chars().all(|c| matches!(c, '0'..='9' | ';')), "{style:?}");
        let control = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
        assert_eq!(text.chars().find(|&c| control(c)), None, "{text:?}");
    }
}
