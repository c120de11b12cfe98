//! A shell script that sets measured latencies and bandwidths as memory attributes of hwloc.
//!
//! `hwloc-annotate` names a NUMA node by hwloc's logical index, a survey by the kernel's number.
//! `hwloc-calc` translates through CPU sets and so mixes up a CPU's memory with memory that has no
//! CPUs: the script reads both numbers from `lstopo --only numanode`.

use std::fmt::Write as _;

use nearfar_model::CpuSet;
use nearfar_survey::Survey;
use nearfar_terminal::printable;

use super::figures::{self, Determined, NodeFigure};

/// Bytes in a MiB: hwloc's unit of bandwidth is MiB/s.
const MIB: f64 = 1_048_576.0;

/// Checks its files, and finds hwloc's index of a node.
const PREAMBLE: &str = r#"set -eu
[ $# -eq 2 ] || { echo "usage: sh $0 MACHINE.xml ANNOTATED.xml" >&2; exit 2; }
xml=$1 draft=$2.draft
nodes=$(lstopo-no-graphics --only numanode --if xml -i "$xml")
trap 'rm -f -- "$draft"' EXIT

# known_cpus CPUS: the machine has all of them.
known_cpus() {
    [ "$(hwloc-calc -i "$xml" "$1" '~all')" = 0x0 ] ||
        { echo "$xml lacks CPUs of the survey: it is another machine" >&2; exit 1; }
}

# set_memattr NAME CPUS NODE VALUE: NODE is the kernel's number, hwloc-annotate takes hwloc's.
set_memattr() {
    index=$(echo "$nodes" | sed -n "s/^.*L#\([0-9]*\) (P#$3[ )].*/\1/p")
    [ -n "$index" ] || { echo "$xml has no node $3: it is another machine" >&2; exit 1; }
    hwloc-annotate "$draft" "$draft" -- "numanode:$index" -- memattr "$1" "$2" "$4"
}
"#;

/// The script; `None` if the survey has no determined figure from CPUs to a node's memory.
pub fn script(survey: &Survey) -> Option<String> {
    let (latency, bandwidth) = (figures::latency(survey), figures::bandwidth(survey));
    let mut determined = latency.iter().chain(&bandwidth).filter(|cell| cell.figure.is_ok());
    determined.next()?;
    let cpus: CpuSet =
        latency.iter().chain(&bandwidth).flat_map(|cell| cell.row.cpus.iter()).collect();
    let mut script = String::from("#!/bin/sh\n");
    comment(&mut script, &format!("Measured by nearfar on {}", survey.machine.model));
    comment(&mut script, &format!("Survey started {}", survey.provenance.started));
    comment(&mut script, "Usage: lstopo machine.xml; sh FILE machine.xml annotated.xml");
    script.push_str(PREAMBLE);
    let _ = write!(script, "\nknown_cpus {}\ncp -- \"$xml\" \"$draft\"\n", mask(&cpus));
    attributes(&mut script, "Latency", "ns, loads that wait for each other", &latency, ns);
    let about = "MiB/s, reading with as many threads as it takes";
    attributes(&mut script, "Bandwidth", about, &bandwidth, mib_per_s);
    script.push_str("\nmv -- \"$draft\" \"$2\"\n");
    Some(script)
}

fn ns(median: f64) -> f64 {
    median
}

fn mib_per_s(median: f64) -> f64 {
    median / MIB
}

/// The lines of one attribute. hwloc takes whole numbers.
fn attributes(
    script: &mut String,
    name: &str,
    about: &str,
    cells: &[NodeFigure<'_>],
    unit: impl Fn(f64) -> f64,
) {
    script.push('\n');
    if cells.is_empty() {
        return comment(script, &format!("{name}: the survey has none between nodes"));
    }
    comment(script, &format!("{name}: {about}"));
    for cell in cells {
        match &cell.figure {
            Ok(Determined { median, .. }) => {
                let (cpus, node) = (mask(&cell.row.cpus), cell.node);
                let value = unit(*median);
                let _ = writeln!(script, "set_memattr {name} {cpus} {node} {value:.0}");
            }
            Err(why) => {
                let from = format!("CPUs {} to node {}", cell.row.cpus, cell.node);
                comment(script, &format!("{name} from {from} is undetermined: {why}"));
            }
        }
    }
}

/// A comment on a line of its own, whatever the text.
fn comment(script: &mut String, text: &str) {
    let _ = writeln!(script, "# {}", printable::line(text));
}

/// hwloc's notation of a set: 32 bits at a time, each with its prefix.
fn mask(cpus: &CpuSet) -> String {
    format!("0x{}", cpus.to_mask().replace(',', ",0x"))
}
