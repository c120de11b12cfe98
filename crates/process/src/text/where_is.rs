//! Where a process's memory is: a table by kind of mapping and node, with its threads in the same
//! columns; policies, mappings and advice.

use nearfar_machine::process::NumaPolicy;
use nearfar_model::{Bytes, NodeId};
use nearfar_view::terminal::printable;
use nearfar_view::terminal::screen::Screen;
use nearfar_view::terminal::table::{Align, Table, headed};
use nearfar_view::text::count;
use nearfar_view::text::first_lines;
use nearfar_view::text::named_nodes;
use nearfar_view::text::or_dash;
use nearfar_view::text::paragraph;
use nearfar_view::text::sections;
use nearfar_view::text::{IN_A_TABLE, short_list};

use super::cut::{cut, cut_front};
use super::devices;
use super::gpu_memory;
use crate::worker::on_one_line;
use crate::{
    BytesByNode, MappingMemory, ProcessDevices, ProcessMemory, Subtotal, ThreadNode, ThreadPlace,
    UnreadableProcess, advise,
};

/// What the text shows.
#[derive(Clone, Copy, Debug, Default)]
pub struct WhereText {
    /// Every mapping, not only the largest.
    pub mappings: bool,
    /// Every thread, not only their number on each node.
    pub threads: bool,
}

/// Mappings and policies at most, unless all are requested.
const MAX_MAPPINGS: usize = 8;
const MAX_POLICIES: usize = 6;
/// Characters of a command line at most.
const MAX_OF_A_COMMAND: usize = 100;

/// One process: whether anything is remote and what to do, its kinds of mappings; details below.
fn one(memory: &ProcessMemory, devices: &ProcessDevices, options: WhereText) -> Screen {
    let advice = paragraph::of(&advise(memory).text, "", "");
    let mut rest = vec![policies(memory)];
    rest.extend(options.threads.then(|| threads(memory)));
    rest.push(mappings(memory, options.mappings));
    rest.push(devices::text(devices, options.mappings));
    rest.push(memory.oddities.iter().map(|odd| paragraph::of(odd, "odd: ", "  ")).collect());
    Screen {
        first: sections([heading(memory) + &advice, by_kind(memory)]),
        rest: sections(rest),
        last: paragraph::bold(&in_short(memory)),
    }
}

/// A head with a column for each node.
pub(super) fn titled(first: &[&str], nodes: &[NodeId], last: &[&str]) -> Vec<String> {
    let titles =
        |titles: &[&str]| titles.iter().map(|title| (*title).to_owned()).collect::<Vec<_>>();
    [titles(first), nodes.iter().map(|node| format!("node {node}")).collect(), titles(last)]
        .concat()
}

/// Each process, with an empty line between them; unreadable ones below.
pub fn each(
    processes: &[(ProcessMemory, ProcessDevices)],
    unreadable: &[UnreadableProcess],
    options: WhereText,
) -> Screen {
    let mut all = processes.iter().map(|(memory, devices)| one(memory, devices, options));
    let Screen { first, rest, last } = all.next().unwrap_or_default();
    let others = all.map(|screen| screen.text());
    let more = others.chain([unreadable_lines(unreadable)]);
    Screen { first, rest: sections([rest].into_iter().chain(more)), last }
}

pub(super) fn unreadable_lines(unreadable: &[UnreadableProcess]) -> String {
    let lines = unreadable.iter().map(|one| format!("{} ({}): {}", one.pid, one.name, one.why));
    lines.map(|line| paragraph::of(&line, "", "  ")).collect()
}

/// Where its memory is, and how much of it is remote.
fn in_short(memory: &ProcessMemory) -> String {
    let sizes = memory.by_node();
    let place = match sizes.nodes().len() {
        0 => "nothing in memory".to_owned(),
        1 => format!("{} on node {}", sizes.total(), sizes.nodes()),
        _ => format!("{} on nodes {}", sizes.total(), sizes.nodes()),
    };
    let remote =
        memory.remote_share().map(|share| format!(", {} remote to its threads", percent(share)));
    format!("{} (process {}): {place}{}", memory.name, memory.pid, remote.unwrap_or_default())
}

fn heading(memory: &ProcessMemory) -> String {
    let mut lines = vec![in_short(memory)];
    lines.extend(
        Some(cut(&on_one_line(&memory.command), MAX_OF_A_COMMAND))
            .filter(|command| !command.is_empty()),
    );
    if let Some(swapped) = memory.swapped.filter(|swapped| swapped.0 > 0) {
        lines.push(format!("{swapped} more in swap"));
    }
    lines.extend(gpu_memory::lines(&memory.by_node(), &memory.around));
    let everywhere = memory.around.with_memory();
    if let Some(nodes) = memory.allowed_nodes.as_ref().filter(|nodes| !everywhere.is_subset(nodes))
    {
        lines.push(format!("its cpuset allows memory of {} only", named_nodes(nodes)));
    }
    lines.iter().map(|line| paragraph::of(line, "", "  ")).collect()
}

/// Kinds of mappings, and threads, by node.
fn by_kind(memory: &ProcessMemory) -> String {
    let nodes = columns([memory].into_iter());
    let mut table = Table::default();
    table.line(titled(&["", "mappings"], &nodes, &["all", "remote"]));
    let mut line = |name: &str, mappings: usize, sizes: &BytesByNode| {
        let first = [name.to_owned(), mappings.to_string()];
        let last = [sizes.total().to_string(), share(memory.threads.remote_share(sizes))];
        table.line(first.into_iter().chain(on_each(sizes, &nodes)).chain(last));
    };
    for kind in memory.kinds() {
        line(kind.of.name(), kind.mappings, &kind.by_node);
    }
    line("total", memory.mappings.len(), &memory.by_node());
    for line in thread_lines(&memory.threads.by_node(), &nodes, memory.threads.0.len()) {
        table.line(line);
    }
    table.text(&[Align::Left, Align::Right])
}

/// The number of threads on each node, and their share of CPU time.
fn thread_lines(threads: &[ThreadNode], nodes: &[NodeId], all: usize) -> [Vec<String>; 2] {
    let on = |node: &NodeId| threads.iter().find(|on| on.node == *node);
    let counts = nodes.iter().map(|node| or_dash(on(node).map(|on| on.threads)));
    let shares = nodes.iter().map(|node| or_dash(on(node).map(|on| percent(on.share))));
    let start = |name: &str| [name.to_owned(), String::new()];
    [
        start("threads").into_iter().chain(counts).chain([all.to_string()]).collect(),
        start("their CPU time").into_iter().chain(shares).collect(),
    ]
}

fn policies(memory: &ProcessMemory) -> String {
    let all = memory.policies();
    if let [only] = &all[..] {
        return paragraph::of(&in_words(&only.of), "policy of all mappings: ", "  ");
    }
    let line = |Subtotal { of, mappings, by_node }: &Subtotal<_>| {
        let mappings = count(*mappings, "mapping");
        let line = format!("{}: {} in {mappings}", in_words(of), by_node.total());
        paragraph::of(&line, "  ", "    ")
    };
    "policies\n".to_owned() + &first_lines(all.iter().map(line), MAX_POLICIES, "  ")
}

/// As the kernel writes it; "default" is explained.
fn in_words(policy: &NumaPolicy) -> String {
    match policy.text() {
        "default" => "default (the node of the CPU that first touches a page)".to_owned(),
        other => printable::line(other).into_owned(),
    }
}

fn threads(memory: &ProcessMemory) -> String {
    let sizes = memory.by_node();
    let or_unknown = |number: Option<String>| number.unwrap_or_else(|| "?".to_owned());
    let line = |thread: &ThreadPlace| {
        [
            thread.tid.to_string(),
            thread.name.clone(),
            or_unknown(thread.cpu.map(|cpu| cpu.to_string())),
            or_unknown(thread.node.map(|node| node.to_string())),
            share(thread.remote_share(&sizes)),
            or_unknown(thread.allowed.as_ref().map(|cpus| short_list(cpus, IN_A_TABLE))),
        ]
    };
    let head = ["thread", "name", "CPU", "node", "remote", "may run on CPUs"];
    let aligns = [Align::Right, Align::Left, Align::Right, Align::Right, Align::Right, Align::Left];
    headed(head, memory.threads.0.iter().map(line), &aligns)
}

fn mappings(memory: &ProcessMemory, all: bool) -> String {
    let largest = memory.largest();
    let shown: Vec<&MappingMemory> = if all {
        memory.mappings.iter().collect()
    } else {
        largest.iter().take(MAX_MAPPINGS).copied().collect()
    };
    if shown.is_empty() {
        return String::new();
    }
    let nodes = columns([memory].into_iter());
    let lines = shown.iter().map(|mapping| {
        let first = [format!("{:x}", mapping.start), mapping.kind.name().to_owned()];
        let last = [
            share(memory.threads.remote_share(&mapping.by_node)),
            mapping.policy.text().to_owned(),
            cut_front(mapping.name.as_deref().unwrap_or(""), 60),
        ];
        first.into_iter().chain(on_each(&mapping.by_node, &nodes)).chain(last)
    });
    let mut aligns = vec![Align::Right, Align::Left];
    aligns.extend(nodes.iter().map(|_| Align::Right));
    aligns.extend([Align::Right, Align::Left]);
    let rest = match largest.len().saturating_sub(shown.len()) {
        0 => String::new(),
        more => {
            let more = count(more, "smaller mapping");
            paragraph::of(&format!("and {more} with memory: --mappings shows all"), "", "  ")
        }
    };
    headed(titled(&["address", "kind"], &nodes, &["remote", "policy", "name"]), lines, &aligns)
        + &rest
}

/// The nodes with memory or threads, ascending.
fn columns<'m>(processes: impl Iterator<Item = &'m ProcessMemory>) -> Vec<NodeId> {
    let nodes = processes.fold(nearfar_model::NodeSet::new(), |nodes, memory| {
        nodes.union(&memory.by_node().nodes()).union(&memory.threads.nodes())
    });
    nodes.iter().collect()
}

pub(super) fn on_each(sizes: &BytesByNode, nodes: &[NodeId]) -> Vec<String> {
    let shown = |size: Bytes| if size.0 == 0 { "-".to_owned() } else { size.to_string() };
    nodes.iter().map(|node| shown(sizes.on(*node))).collect()
}

pub(super) fn share(share: Option<f64>) -> String {
    or_dash(share.map(percent))
}

pub(super) fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

#[cfg(test)]
mod tests {
    use nearfar_machine::Source;
    use nearfar_view::terminal::screen::MAX_LINES;
    use nearfar_view::terminal::width;

    use super::*;

    fn text(memory: &ProcessMemory, options: WhereText) -> String {
        let devices = ProcessDevices::read(&Source::from_files([("/proc/51/comm", "")]), memory);
        one(memory, &devices, options).text()
    }

    fn memory() -> ProcessMemory {
        let source = Source::from_files([
            ("/sys/devices/system/node/online", "0,8"),
            ("/sys/devices/system/node/node0/cpulist", "0-3"),
            ("/sys/devices/system/node/node8/cpulist", "4-7"),
            ("/proc/51/comm", "d\u{1b}b"),
            ("/proc/51/cmdline", "db\0--fast\0"),
            ("/proc/51/status", "VmSwap: 12 kB\n"),
            (
                "/proc/51/numa_maps",
                "00400000 default file=/usr/bin/db mapped=16 N0=16 kernelpagesize_kB=4\n01a00000 \
                 bind:8 heap anon=8192 N0=4096 N8=4096 kernelpagesize_kB=4\n7f0000000000 default \
                 huge anon=2 N8=2 kernelpagesize_kB=2048\n",
            ),
            (
                "/proc/51/task/51/stat",
                "51 (db) R 1 0 0 0 0 0 0 0 0 0 90 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 \
                 1",
            ),
            ("/proc/51/task/51/status", "Cpus_allowed_list: 0-3\n"),
        ]);
        ProcessMemory::read(&source, 51).unwrap()
    }

    #[test]
    fn the_text_shows_memory_by_node_and_advice() {
        let shown = text(&memory(), WhereText::default());
        assert!(
            shown.starts_with(
                "d\u{fffd}b (process 51): 36.1 MiB on nodes 0,8, 55 % remote to its threads\n\
                 db --fast\n"
            ),
            "{shown}"
        );
        for part in [
            "12 KiB more in swap\n",
            "threads",
            "100 %",
            "  bind:8: 32 MiB in 1 mapping\n",
            "nearfar move 51 --nodes 0",
            "1a00000  heap",
        ] {
            assert!(shown.contains(part), "{part} in\n{shown}");
        }
        let plain = shown.replace("\u{1b}[1m", "").replace("\u{1b}[0m", "");
        assert!(!plain.contains('\u{1b}'), "{shown}");
    }

    #[test]
    fn options_show_all_threads_and_mappings() {
        let shown = text(&memory(), WhereText { mappings: true, threads: true });
        assert!(
            shown.contains(
                "thread  name  CPU  node  remote  may run on CPUs\n    51  db      1     0"
            ),
            "{shown}"
        );
        assert!(shown.contains("  400000  file"), "{shown}");
    }

    #[test]
    fn the_first_screen_fits_80x24_and_no_line_is_too_wide() {
        let devices = ProcessDevices::read(&Source::from_files([("/proc/51/comm", "")]), &memory());
        let screen = |options| one(&memory(), &devices, options);
        for columns in [40, 60, 80, 120] {
            let all = WhereText { mappings: true, threads: true };
            let text = width::with(columns, || screen(all).text());
            let plain = text.replace("\u{1b}[1m", "").replace("\u{1b}[0m", "");
            for line in plain.lines() {
                assert!(line.chars().count() <= columns, "{columns}: {line}");
            }
        }
        let Screen { first, last, .. } = width::with(80, || screen(WhereText::default()));
        let lines = first.lines().count() + last.lines().count() + 1;
        assert!(lines <= MAX_LINES, "{lines}:\n{first}");
        let answer: Vec<&str> = first.lines().take(3).collect();
        assert!(answer[0].ends_with("55 % remote to its threads"), "{answer:?}");
    }
}
