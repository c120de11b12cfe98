//! How long does `nearfar irq` take on a machine of 512 CPUs with 4,096 interrupts? The aim is a
//! fifth of a second.
//!
//! The machine is a folder with the files that a kernel has for each interrupt in `/proc/irq` and
//! `/sys/kernel/irq`: eight network cards with 256 interrupts and their queues, and 16 disks with
//! 128. `nearfar irq` of a live machine reads the same files twice, the second time without the
//! devices.
//!
//!     ./dev bench irq

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

const CPUS: u32 = 512;
const NODES: u32 = 8;
const CARDS: u32 = 8;
const OF_A_CARD: u32 = 256;
const DISKS: u32 = 16;
const OF_A_DISK: u32 = 128;
const INTERRUPTS: u32 = CARDS * OF_A_CARD + DISKS * OF_A_DISK;
const RUNS: usize = 11;
const AIM: Duration = Duration::from_millis(200);
/// The unit of CPU time in `/proc/self/stat`, of all kernels for x86 and Arm.
const TICKS_A_SECOND: f64 = 100.0;

fn main() -> ExitCode {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let machine = MadeFolder(folder.path());
    machine.nodes();
    machine.interrupts();
    (0..CARDS).for_each(|card| machine.card(card));
    (0..DISKS).for_each(|disk| machine.disk(disk));
    let root = folder.path().to_str().expect("a name in UTF-8");
    println!("{INTERRUPTS} interrupts, {CPUS} CPUs, load {}", load());
    let mut is_fast = true;
    for format in [&[][..], &["--json"]] {
        let before = cpu_seconds();
        let times = times(&[&["irq", "--root", root], format].concat());
        let each = (cpu_seconds() - before) / RUNS as f64;
        println!(
            "{:>6}: median {} ms, fastest {} ms, slowest {} ms of {RUNS}; {:.0} ms of CPU time",
            format.first().unwrap_or(&"text"),
            times[RUNS / 2].as_millis(),
            times[0].as_millis(),
            times[RUNS - 1].as_millis(),
            1e3 * each,
        );
        is_fast &= times[RUNS / 2] <= AIM;
    }
    if is_fast {
        return ExitCode::SUCCESS;
    }
    println!("slower than the {} ms it should take", AIM.as_millis());
    ExitCode::FAILURE
}

fn load() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().unwrap_or_default().to_owned()
}

/// CPU time of the programs that ended: fields 16 and 17 of `/proc/self/stat`.
fn cpu_seconds() -> f64 {
    let text = fs::read_to_string("/proc/self/stat").expect("/proc/self/stat");
    let after = text.rsplit_once(") ").expect("a name in brackets").1;
    let ticks = after.split(' ').skip(13).take(2).map(|ticks| ticks.parse::<f64>().expect("ticks"));
    ticks.sum::<f64>() / TICKS_A_SECOND
}

/// How long the command takes, ascending.
fn times(args: &[&str]) -> Vec<Duration> {
    let once = |_| {
        let begun = Instant::now();
        let status =
            Command::new(env!("CARGO_BIN_EXE_nearfar")).args(args).stdout(Stdio::null()).status();
        let taken = begun.elapsed();
        assert!(status.expect("nearfar starts").success());
        taken
    };
    let mut times: Vec<Duration> = (0..RUNS).map(once).collect();
    times.sort_unstable();
    times
}

struct MadeFolder<'a>(&'a Path);

impl MadeFolder<'_> {
    fn file(&self, path: &str, text: &str) {
        let path = self.0.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    fn link(&self, link: &str, target: &str) {
        let link = self.0.join(link);
        fs::create_dir_all(link.parent().expect("a folder")).expect("a folder");
        symlink(Path::new("/").join(target), link).expect("a link");
    }

    fn nodes(&self) {
        let each = CPUS / NODES;
        for cpu in 0..CPUS {
            let folder = format!("sys/devices/system/cpu/cpu{cpu}/topology");
            self.file(&format!("{folder}/physical_package_id"), &(cpu / 256).to_string());
            self.file(&format!("{folder}/core_id"), &cpu.to_string());
        }
        self.file("sys/devices/system/cpu/online", &format!("0-{}", CPUS - 1));
        self.file("sys/devices/system/node/online", &format!("0-{}", NODES - 1));
        for node in 0..NODES {
            let folder = format!("sys/devices/system/node/node{node}");
            let cpus = format!("{}-{}", node * each, node * each + each - 1);
            let other = |one: u32| if one == node { "10" } else { "20" };
            self.file(&format!("{folder}/cpulist"), &cpus);
            self.file(
                &format!("{folder}/distance"),
                &(0..NODES).map(other).collect::<Vec<_>>().join(" "),
            );
        }
        self.file("proc/version", "Linux version 6.12.1 (x)");
        self.file("proc/sys/kernel/osrelease", "6.12.1");
    }

    /// The table, and the files of each interrupt.
    fn interrupts(&self) {
        let mut table = "     ".to_owned();
        (0..CPUS).for_each(|cpu| {
            let _ = write!(table, "CPU{cpu:<8}");
        });
        table.push('\n');
        for number in 0..INTERRUPTS {
            let (cpu, is_managed) = (number % CPUS, number >= CARDS * OF_A_CARD);
            let counts = (0..CPUS).map(|one| if one == cpu { 1_234_567_890_u32 } else { 0 });
            let counts: Vec<String> = counts.map(|count| count.to_string()).collect();
            let _ = write!(table, "{number:>4}:");
            counts.iter().for_each(|count| {
                let _ = write!(table, " {count:>10}");
            });
            let action = action(number);
            let _ = writeln!(table, "  IR-PCI-MSIX {number}-edge      {action}");
            let mask = vec!["ffffffff"; CPUS as usize / 32].join(",");
            for (file, text) in [
                ("affinity_hint", mask.as_str()),
                ("effective_affinity", &mask),
                ("effective_affinity_list", &cpu.to_string()),
                ("node", "0"),
                ("smp_affinity", &mask),
                ("smp_affinity_list", "0-511"),
                ("spurious", "count 0\nunhandled 0\nlast_unhandled 0 ms\n"),
            ] {
                self.file(&format!("proc/irq/{number}/{file}"), text);
            }
            if is_managed {
                let path = self.0.join(format!("proc/irq/{number}/smp_affinity_list"));
                fs::set_permissions(path, PermissionsExt::from_mode(0o444)).expect("a mode");
            }
            for (file, text) in [
                ("actions", action.as_str()),
                ("chip_name", "IR-PCI-MSIX"),
                ("hwirq", &number.to_string()),
                ("name", "edge"),
                ("per_cpu_count", &counts.join(",")),
                ("type", "edge"),
                ("wakeup", "disabled"),
            ] {
                self.file(&format!("sys/kernel/irq/{number}/{file}"), text);
            }
        }
        self.file("proc/interrupts", &table);
    }

    fn card(&self, card: u32) {
        let first = card * OF_A_CARD;
        let folder = self.function(card, "20000", card % NODES, first..first + OF_A_CARD);
        let queues = format!("{folder}/net/eth{card}/queues");
        for queue in 0..OF_A_CARD - 1 {
            self.file(&format!("{queues}/rx-{queue}/rps_cpus"), "00000000");
            self.file(&format!("{queues}/rx-{queue}/rps_flow_cnt"), "0");
            self.file(&format!("{queues}/tx-{queue}/xps_cpus"), "00000001");
            self.file(&format!("{queues}/tx-{queue}/xps_rxqs"), "0");
        }
        self.link(&format!("sys/class/net/eth{card}"), &format!("{folder}/net/eth{card}"));
    }

    fn disk(&self, disk: u32) {
        let first = CARDS * OF_A_CARD + disk * OF_A_DISK;
        let folder = self.function(CARDS + disk, "10802", disk % NODES, first..first + OF_A_DISK);
        let block = format!("{folder}/nvme/nvme{disk}/nvme{disk}n1");
        for queue in 0..OF_A_DISK - 1 {
            self.file(&format!("{block}/mq/{queue}/cpu_list"), "0, 1, 2, 3");
        }
        self.link(&format!("sys/block/nvme{disk}n1"), &block);
        self.link(&format!("sys/class/nvme/nvme{disk}"), &format!("{folder}/nvme/nvme{disk}"));
    }

    fn function(
        &self,
        bus: u32,
        class: &str,
        node: u32,
        interrupts: std::ops::Range<u32>,
    ) -> String {
        let address = format!("0000:{:02x}:00.0", bus + 1);
        let folder = format!("sys/devices/pci0000:00/{address}");
        let uevent = format!("DRIVER=driver\nPCI_CLASS={class}\nPCI_ID=8086:1521\n");
        self.file(&format!("{folder}/uevent"), &uevent);
        self.file(&format!("{folder}/numa_node"), &node.to_string());
        interrupts
            .for_each(|interrupt| self.file(&format!("{folder}/msi_irqs/{interrupt}"), "msix"));
        self.link(&format!("sys/bus/pci/devices/{address}"), &folder);
        folder
    }
}

/// The name that the driver gives.
fn action(number: u32) -> String {
    match number.checked_sub(CARDS * OF_A_CARD) {
        None => format!("eth{}-TxRx-{}", number / OF_A_CARD, number % OF_A_CARD),
        Some(number) => format!("nvme{}q{}", number / OF_A_DISK, number % OF_A_DISK),
    }
}
