//! A shell script that sets measured latencies and bandwidths as memory attributes of hwloc.
//!
//! `hwloc-annotate` names a NUMA node by hwloc's logical index, a survey by the kernel's number.
//! `hwloc-calc` translates through CPU sets and so mixes up a CPU's memory with memory that has no
//! CPUs: the script reads both numbers from `lstopo --only numanode`.

use std::fmt::Write as _;

use nearfar_model::CpuSet;
use nearfar_survey::{ClaimedNode, Survey};
use nearfar_view::terminal::printable;

use super::figures::{self, Determined, RowFigure};

/// Bytes in a MiB: hwloc's unit of bandwidth is MiB/s.
const MIB: f64 = 1_048_576.0;

/// Reads its file, and finds hwloc's index of a node. Nothing is written before all checks.
const PREAMBLE: &str = r#"set -eu
[ $# -eq 2 ] || { echo "usage: sh $0 MACHINE.xml ANNOTATED.xml" >&2; exit 2; }
[ ! -e "$2" ] || { echo "$2 already exists" >&2; exit 1; }
xml=$1
nodes=$(lstopo-no-graphics --only numanode --if xml -i "$xml")

refuse() {
    echo "$xml $1: it is another machine" >&2
    exit 1
}

# has_cpus OBJECT CPUS: the object has these CPUs and no others.
has_cpus() {
    [ "$(hwloc-calc -i "$xml" "$1" "^$2")" = 0x0 ]
}

# find_node NODE: $index is hwloc's number of the kernel's node.
find_node() {
    index=$(echo "$nodes" | sed -n "s/^.*L#\([0-9]*\) (P#$1[ )].*/\1/p")
    [ -n "$index" ] || refuse "has no node $1"
}

check_node() {
    find_node "$1"
    has_cpus "numanode:$index" "$2" || refuse "has other CPUs in node $1 than the survey"
}

# set_memattr NAME CPUS NODE VALUE
set_memattr() {
    find_node "$3"
    hwloc-annotate "$draft" "$draft" -- "numanode:$index" -- memattr "$1" "$2" "$4"
}
"#;

/// Makes the file to annotate, in a folder of its own.
const DRAFT: &str = r#"
folder=$(mktemp -d -- "$2.XXXXXX")
draft=$folder/annotated.xml
trap 'rm -f -- "$draft"; rmdir -- "$folder"' EXIT
cp -- "$xml" "$draft"
"#;

/// The script; `None` if the survey has no determined figure from CPUs to a node's memory.
pub fn script(survey: &Survey) -> Option<String> {
    let (latency, bandwidth) = (figures::latency(survey), figures::bandwidth(survey));
    let mut determined = latency.iter().chain(&bandwidth).filter(|cell| cell.figure.is_ok());
    determined.next()?;
    let mut script = String::from("#!/bin/sh\n");
    comment(&mut script, &format!("Measured by nearfar on {}", survey.machine.model));
    comment(&mut script, &format!("Survey started {}", survey.provenance.started));
    comment(&mut script, "Usage: lstopo machine.xml; sh FILE machine.xml annotated.xml");
    script.push_str(PREAMBLE);
    checks(&mut script, &survey.claims.nodes);
    script.push_str(DRAFT);
    attributes(&mut script, "Latency", "ns, loads that wait for each other", &latency, ns);
    let about = "MiB/s, reading with as many threads as it takes";
    attributes(&mut script, "Bandwidth", about, &bandwidth, mib_per_s);
    script.push_str("\nmv -- \"$draft\" \"$2\"\n");
    Some(script)
}

/// Comparisons with the nodes of the survey's machine. hwloc shows nodes without CPUs below those
/// of other nodes: only their existence is checked, where they get a value.
fn checks(script: &mut String, nodes: &[ClaimedNode]) {
    let all: CpuSet = nodes.iter().flat_map(|node| node.cpus.iter()).collect();
    let why = "has other CPUs than the survey";
    let _ = writeln!(script, "\nhas_cpus all {} || refuse \"{why}\"", mask(&all));
    for node in nodes.iter().filter(|node| !node.cpus.is_empty()) {
        let _ = writeln!(script, "check_node {} {}", node.id, mask(&node.cpus));
    }
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
    cells: &[RowFigure<'_>],
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
