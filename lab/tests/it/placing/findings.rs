//! What a script found in a guest.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{cpuset, moving, process, shared, twins};
use crate::lab::{is_ready_with, lab, machine};

const PRELUDE: &str = include_str!("prelude.sh");

/// A boot of one machine with one script: started by whichever test comes first.
pub(crate) struct Theme {
    pub(crate) arch: &'static str,
    /// A machine of the tests' own, or of the lab's.
    pub(crate) machine: &'static str,
    pub(crate) script: &'static str,
    /// Whether a test has begun to boot it.
    begun: AtomicBool,
    /// Or why the boot failed, which is not tried again.
    found: OnceLock<Result<Findings, String>>,
}

/// All themes of x86_64, the longest first.
static THEMES: [&Theme; 5] =
    [&twins::THEME, &process::THEME, &moving::THEME, &cpuset::THEME, &shared::THEME];

impl Theme {
    pub(crate) const fn on_four_nodes(script: &'static str) -> Self {
        Self::new("x86_64", "four-nodes", script)
    }

    pub(crate) const fn new(
        arch: &'static str,
        machine: &'static str,
        script: &'static str,
    ) -> Self {
        Self { arch, machine, script, begun: AtomicBool::new(false), found: OnceLock::new() }
    }

    /// What was found; `None`, with a loud report, where the kit is incomplete.
    pub(crate) fn found(&self) -> Option<&Findings> {
        if !is_ready_with(self.arch, &["numactl"]) {
            return None;
        }
        if !self.begins() && self.found.get().is_none() {
            // Another test boots it. A CPU of the host is free meanwhile for a theme of later
            // tests.
            let next = THEMES.iter().find(|theme| theme.arch == self.arch && theme.begins());
            next.map(|theme| theme.found.get_or_init(|| theme.boot()));
        }
        let found = self.found.get_or_init(|| self.boot());
        Some(found.as_ref().unwrap_or_else(|stderr| panic!("{}: {stderr}", self.machine)))
    }

    /// Whether this is the first test that wants it booted.
    fn begins(&self) -> bool {
        !self.begun.swap(true, Ordering::Relaxed)
    }

    fn boot(&self) -> Result<Findings, String> {
        let kit = PathBuf::from(std::env::var_os("NEARFAR_LAB_KIT").unwrap());
        let numactl = kit.join(self.arch).join("numactl").display().to_string();
        let own = machine(self.machine);
        let on = if fs::exists(&own).unwrap() { &own } else { self.machine };
        let out = tempfile::tempdir().unwrap();
        let kept = out.path().to_str().unwrap();
        let script = format!("{PRELUDE}{}touch whole\n", self.script);
        let words = [
            "run",
            on,
            "--no-plugin",
            "--no-wait",
            "--timeout",
            "900",
            "--with",
            &numactl,
            "--out",
            kept,
        ];
        let output = lab(&[&words[..], &["--", "sh", "-c", &script]].concat());
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        let files = fs::read_dir(out.path()).unwrap().map(|file| {
            let file = file.unwrap();
            (file.file_name().into_string().unwrap(), fs::read_to_string(file.path()).unwrap())
        });
        Ok(Findings(files.collect()))
    }
}

pub(crate) struct Findings(BTreeMap<String, String>);

/// One mapping, as the kernel's `numa_maps` shows it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Mapping {
    pub(crate) policy: String,
    pub(crate) pages: Vec<(u32, u64)>,
}

impl Findings {
    pub(crate) fn text(&self, name: &str) -> &str {
        self.0.get(name).unwrap_or_else(|| panic!("the script left no {name}"))
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// What a command printed.
    pub(crate) fn out(&self, name: &str) -> &str {
        self.text(&format!("{name}.out"))
    }

    /// What it complained about.
    pub(crate) fn err(&self, name: &str) -> &str {
        self.text(&format!("{name}.err"))
    }

    pub(crate) fn status(&self, name: &str) -> i32 {
        self.text(&format!("{name}.code")).trim().parse().unwrap()
    }

    /// A command that went well, and what it printed.
    pub(crate) fn well(&self, name: &str) -> &str {
        assert_eq!(self.status(name), 0, "{name}: {}{}", self.err(name), self.out(name));
        self.out(name)
    }

    /// The one line with which a command failed.
    pub(crate) fn complaint(&self, name: &str) -> &str {
        assert_eq!((self.status(name), self.out(name)), (1, ""), "{name}");
        let stderr = self.err(name);
        assert_eq!(stderr.lines().count(), 1, "{name}: {stderr}");
        stderr.trim_end()
    }

    /// The mapping with most pages of its own.
    pub(crate) fn largest(&self, name: &str) -> Mapping {
        let mappings = self.text(&format!("{name}.maps")).lines();
        let (_, line) = mappings.map(|line| (anonymous(line), line)).max().unwrap();
        mapping(line)
    }

    /// The CPUs that a process may use.
    pub(crate) fn cpus(&self, name: &str) -> &str {
        let status = self.text(&format!("{name}.status"));
        status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap().trim()
    }

    /// How far a counter of a node rose.
    pub(crate) fn rise(&self, name: &str, node: u32, counter: &str) -> i64 {
        let read = |when: &str| -> i64 {
            let start = format!("{node} {counter} ");
            let text = self.text(&format!("{name}.{when}"));
            text.lines().find_map(|line| line.strip_prefix(&start)).unwrap().parse().unwrap()
        };
        read("after") - read("before")
    }

    /// How much shared memory came to each of the four nodes, in kB.
    pub(crate) fn shared_kb(&self, name: &str) -> Vec<i64> {
        let read = |when: &str| -> Vec<i64> {
            let text = self.text(&format!("{name}.{when}"));
            text.lines().map(|line| line.split_once(' ').unwrap().1.parse().unwrap()).collect()
        };
        read("after")
            .into_iter()
            .zip(read("before"))
            .map(|(after, before)| after - before)
            .collect()
    }
}

fn anonymous(line: &str) -> u64 {
    line.split(' ')
        .find_map(|word| word.strip_prefix("anon="))
        .map_or(0, |pages| pages.parse().unwrap())
}

/// "7f00 prefer (many):1,3 anon=2048 dirty=2048 N1=2048 kernelpagesize_kB=4"
fn mapping(line: &str) -> Mapping {
    let (_, rest) = line.split_once(' ').unwrap();
    let facts = ["anon=", "dirty=", "file=", "heap", "stack"];
    let policy =
        rest.split(' ').take_while(|word| !facts.iter().any(|fact| word.starts_with(fact)));
    let pages = rest.split(' ').filter_map(|word| word.strip_prefix('N')?.split_once('='));
    Mapping {
        policy: policy.collect::<Vec<_>>().join(" "),
        pages: pages.map(|(node, pages)| (node.parse().unwrap(), pages.parse().unwrap())).collect(),
    }
}
