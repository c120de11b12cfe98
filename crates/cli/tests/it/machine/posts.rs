//! Kinds of posts: each form of one input gets the right answer, or is refused with a reason. The
//! table of kinds and forms is printed.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};

use serde_json::Value;

use crate::user::{User, stderr, stdout};

/// What became of a form.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Right,
    Refused,
    Wrong,
}

/// The forms of a kind, judged.
struct Kind {
    name: &'static str,
    judged: Vec<(String, Verdict)>,
}

impl Kind {
    /// Runs the command for each form. An answer is right as the judge finds, a status other than
    /// 0 with one line is a refusal.
    fn new(
        name: &'static str,
        forms: impl IntoIterator<Item = (String, Vec<String>)>,
        is_right: impl Fn(&str) -> bool,
    ) -> Self {
        let user = User::new();
        let judged = forms.into_iter().map(|(form, args)| {
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            let output = user.run(&args);
            let verdict = match output.status.code() {
                Some(0) if is_right(&stdout(&output)) => Verdict::Right,
                Some(0) => Verdict::Wrong,
                Some(1) if stderr(&output).lines().count() >= 1 => Verdict::Refused,
                _ => Verdict::Wrong,
            };
            let shown = if verdict == Verdict::Right { form } else { form + &stderr(&output) };
            (shown, verdict)
        });
        Self { name, judged: judged.collect() }
    }

    fn count(&self, verdict: Verdict) -> usize {
        self.judged.iter().filter(|(_, one)| *one == verdict).count()
    }
}

fn words(args: &[&str]) -> Vec<String> {
    args.iter().map(|&word| word.to_owned()).collect()
}

const LOG: &str = "Linux version 5.4.0-90-generic (x@y) (gcc) #1 SMP
Command line: BOOT_IMAGE=/vmlinuz ro numa=off
ACPI: SRAT: Node 0 PXM 0 [mem 0x00000000-0x7fffffff]
ACPI: SRAT: Node 1 PXM 1 [mem 0x1840000000-0x303fffffff]
NUMA turned off
Faking a node at [mem 0x0000000000000000-0x000000303fffffff]
";

/// What programs print and people leave before each line of a log.
const HEADS: [&str; 40] = [
    "",
    "[    0.000000] ",
    "kern  :info  : [    0.000000] ",
    "kern  :info  : [Fri Apr  7 00:04:12 2023] ",
    "[Fri Apr  7 00:04:12 2023] ",
    "[  +0.000000] ",
    "[Apr 7 00:04] ",
    "[    0.000000 <    0.000000>] ",
    "\u{1b}[32m[    0.000000] \u{1b}[0m\u{1b}[33m",
    "2023-04-07T00:04:12,123456+02:00 ",
    "[    0.000000][    T0] ",
    "<6>[    0.000000] ",
    "6,42,0,-;",
    "Apr 07 00:04:12 host kernel: ",
    "[    0.000000] host kernel: ",
    "Fri 2023-04-07 00:04:12 CEST host kernel: ",
    "1680818652.123456 host kernel: ",
    "2023-04-07T00:04:12+0200 host kernel: ",
    "Apr  7 00:04:12 host kernel: [    0.000000] ",
    "Apr  7 00:04:12 kernel: ",
    "kernel: ",
    "kernel[0]: ",
    "<6>Apr  7 00:04:12 host kernel: ",
    "<6>1 2023-04-07T00:04:12.123456+02:00 host kernel - - - ",
    "2023-04-07T00:04:12.123Z kern.info: [    0.000000] ",
    "192.168.1.1: kern:    info: [2023-04-07T00:04:12.123456789Z]: ",
    "Jan  1 00:00:04 host kern.info kernel: [    0.000000] ",
    "Fri Apr  7 00:04:12 2023 kern.info kernel: [    0.000000] ",
    "[2023-04-07 00:04:12] [    0.000000] ",
    "2023-04-07 00:04:12 [    0.000000] ",
    "00:04:12.123 ",
    "> [    0.000000] ",
    "> > ",
    "| [    0.000000] ",
    "12:[    0.000000] ",
    "dmesg.txt:12:[    0.000000] ",
    "(XEN) ",
    "(XEN) [    0.000000] ",
    "MESSAGE=",
    "    ",
];

fn logs(user: &User) -> Kind {
    let forms = HEADS.iter().enumerate().map(|(number, head)| {
        let text: String = LOG.lines().map(|line| format!("{head}{line}\n")).collect();
        let path = user.write(&format!("log{number}.txt"), text);
        (format!("{head:?}"), words(&["diagnose", "--json", "--log", &path]))
    });
    Kind::new("K2b forms of a log", forms.collect::<Vec<_>>(), |shown| {
        let document: Value = serde_json::from_str(shown).unwrap();
        document["verdict"] == "turned-off" && document["cause"]["code"] == "numa-off"
    })
}

/// A core-to-core matrix of 12 CPUs in groups of four, 25 ns inside and 100 ns beyond.
fn cost(a: usize, b: usize) -> f64 {
    let spread = ((a * 7 + b * 3) % 5) as f64 / 10.0;
    if a / 4 == b / 4 { 25.0 + spread } else { 100.0 + spread }
}

fn matrices(user: &User) -> Kind {
    const CPUS: usize = 12;
    let triangle = |separator: &str, label: &dyn Fn(usize) -> String| -> String {
        (0..CPUS).fold(String::new(), |mut text, row| {
            let cells: Vec<String> =
                (0..row).map(|column| format!("{:.1}", cost(column, row))).collect();
            let _ = writeln!(text, "{}{}", label(row), cells.join(separator));
            text
        })
    };
    let square = |separator: &str, diagonal: &str, label: &dyn Fn(usize) -> String| -> String {
        (0..CPUS).fold(String::new(), |mut text, row| {
            let cell = |column: usize| match column == row {
                true => diagonal.to_owned(),
                false => format!("{:.1}", cost(column.min(row), column.max(row))),
            };
            let cells: Vec<String> = (0..CPUS).map(cell).collect();
            let _ = writeln!(text, "{}{}", label(row), cells.join(separator));
            text
        })
    };
    let none = |_: usize| String::new();
    let numbered = |row: usize| format!("{row:>4}  ");
    let header: String = (0..CPUS).map(|cpu| format!("{cpu:>7}")).collect();
    let named: Vec<String> = (0..CPUS).map(|cpu| format!("CPU {cpu}")).collect();
    let whole = "CPU: Some 12-Core Processor\nNum cores: 12\nNum iterations per samples: 1000\n\n\
                 1) CAS latency on a single shared cache line\n\n";
    let tail = "\n    Min  latency: 25.0ns \u{b1}0.1 cores: (1,0)\n    Mean latency: 77.7ns\n";
    let labelled = format!("      {header}\n{}", triangle("   ", &numbered));
    let forms = [
        ("CSV triangle", triangle(",", &none)),
        ("CSV square", square(",", "", &none)),
        ("square with zeros", square(" ", "0", &none)),
        ("square with dashes", square("\t", "-", &none)),
        ("semicolons", square(";", "0", &none)),
        ("header and row labels, no corner", labelled.clone()),
        ("the whole output", format!("{whole}{labelled}{tail}")),
        ("quoted", labelled.lines().map(|line| format!("> {line}\n")).collect()),
        ("CRLF", triangle(",", &none).replace('\n', "\r\n")),
        ("plus and minus", format!("      {header}\n{}", triangle("\u{b1}0.1  ", &numbered))),
        (
            "CSV with names",
            format!(",{}\n{}", named.join(","), square(",", "", &|row| format!("CPU {row},"))),
        ),
        ("Markdown", square(" | ", "-", &|row| format!("| {row} | ")).replace('\n', " |\n")),
        ("half of it", labelled.chars().take(labelled.chars().count() / 2).collect()),
        ("no matrix", "milk, eggs\nbread\n".to_owned()),
    ];
    let forms = forms.into_iter().enumerate().map(|(number, (form, text))| {
        let path = user.write(&format!("matrix{number}.txt"), text);
        (form.to_owned(), words(&["structure", "--json", &path]))
    });
    Kind::new("K1 matrices", forms.collect::<Vec<_>>(), |shown| {
        let document: Value = serde_json::from_str(shown).unwrap();
        let text = document.to_string();
        ["\"0-3\"", "\"4-7\"", "\"8-11\""].iter().all(|group| text.contains(group))
    })
}

/// A folder of files that stands for a machine, for --root.
fn root(user: &User, name: &str, files: &[(&str, &str)]) -> String {
    const BASE: [(&str, &str); 16] = [
        ("sys/devices/system/cpu/online", "0-3"),
        ("sys/devices/system/cpu/present", "0-3"),
        ("sys/devices/system/cpu/cpu0/topology/physical_package_id", "0"),
        ("sys/devices/system/cpu/cpu1/topology/physical_package_id", "0"),
        ("sys/devices/system/cpu/cpu2/topology/physical_package_id", "1"),
        ("sys/devices/system/cpu/cpu3/topology/physical_package_id", "1"),
        ("sys/devices/system/node/online", "0-1"),
        ("sys/devices/system/node/node0/cpulist", "0-1"),
        ("sys/devices/system/node/node0/meminfo", "Node 0 MemTotal: 8388608 kB\n"),
        ("sys/devices/system/node/node0/distance", "10 21"),
        ("sys/devices/system/node/node1/cpulist", "2-3"),
        ("sys/devices/system/node/node1/meminfo", "Node 1 MemTotal: 8388608 kB\n"),
        ("sys/devices/system/node/node1/distance", "21 10"),
        ("proc/meminfo", "MemTotal: 16777216 kB\nMemFree: 8388608 kB\n"),
        ("proc/cmdline", "ro quiet\n"),
        ("proc/version", "Linux version 6.1.0-28-amd64 (x)\n"),
    ];
    let folder = user.folder().join(name);
    let kept = BASE.iter().filter(|(path, _)| files.iter().all(|(other, _)| other != path));
    for (path, text) in kept.chain(files) {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder.to_str().unwrap().to_owned()
}

/// Machines of one kind: all have the finding, and the healthy one does not.
fn machines(
    user: &User,
    name: &'static str,
    code: &'static str,
    forms: &[&[(&'static str, &'static str)]],
) -> Kind {
    let healthy: &[(&str, &str)] = &[];
    let all = forms.iter().chain([&healthy]).enumerate().map(|(number, files)| {
        let is_healthy = files.is_empty();
        let root = root(user, &format!("{code}{number}"), files);
        let form = if is_healthy { "healthy" } else { files[0].0 };
        (form.to_owned(), words(&["diagnose", "--json", "--root", &root]))
    });
    let healthy_at = forms.len();
    let asked = std::cell::Cell::new(0);
    Kind::new(name, all.collect::<Vec<_>>(), |shown| {
        let document: Value = serde_json::from_str(shown).unwrap();
        let findings = document["findings"].as_array().unwrap();
        let is_there = findings.iter().any(|finding| finding["code"] == code);
        let number = asked.replace(asked.get() + 1);
        is_there == (number != healthy_at)
    })
}

#[test]
fn no_form_of_a_post_gets_a_wrong_answer() {
    let user = User::new();
    let node0 = "sys/devices/system/node/node0/cpulist";
    let node1 = "sys/devices/system/node/node1/cpulist";
    let block = ("sys/devices/system/memory/block_size_bytes", "80000000");
    let tier = ("sys/devices/virtual/memory_tiering/memory_tier4/nodelist", "0-1");
    let demotion = ("sys/kernel/mm/numa/demotion_enabled", "true");
    let kinds = [
        matrices(&user),
        logs(&user),
        machines(
            &user,
            "K3 nodes that cross hardware",
            "nodes-cross-cpus",
            &[&[(node0, "0,2"), (node1, "1,3")], &[(node0, "0,2-3"), (node1, "1")]],
        ),
        machines(
            &user,
            "K4 distance 255",
            "slit-unreachable",
            &[&[("sys/devices/system/node/node1/distance", "255 10")]],
        ),
        machines(
            &user,
            "K8 offline memory",
            "memory-offline",
            &[&[block, ("sys/devices/system/node/node1/memory7/state", "offline")]],
        ),
        machines(
            &user,
            "K14 one tier",
            "one-memory-tier",
            &[&[tier, demotion, (node0, "0-3"), (node1, "")]],
        ),
        machines(
            &user,
            "K16 memory in one node",
            "cpu-only-node",
            &[&[("sys/devices/system/node/node1/meminfo", "Node 1 MemTotal: 0 kB\n")]],
        ),
    ];
    let mut table = String::from("\nkind                            forms right refused wrong\n");
    for kind in &kinds {
        let [right, refused, wrong] =
            [Verdict::Right, Verdict::Refused, Verdict::Wrong].map(|verdict| kind.count(verdict));
        let _ = writeln!(
            table,
            "{:30} {:>6} {right:>5} {refused:>7} {wrong:>5}",
            kind.name,
            kind.judged.len()
        );
    }
    io::stderr().write_all(table.as_bytes()).unwrap();
    for kind in &kinds {
        let wrong: Vec<&String> = kind
            .judged
            .iter()
            .filter(|(_, verdict)| *verdict == Verdict::Wrong)
            .map(|(form, _)| form)
            .collect();
        assert!(wrong.is_empty(), "{}: {wrong:#?}", kind.name);
        assert!(kind.count(Verdict::Right) * 2 > kind.judged.len(), "{}: {:#?}", kind.name, {
            kind.judged.iter().map(|(form, _)| form).collect::<Vec<_>>()
        });
    }
}
