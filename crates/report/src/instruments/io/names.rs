//! The names of targets and accesses.

use nearfar_model::Bytes;
use nearfar_survey::{Io, IoAccess, IoTargetFacts};

use nearfar_view::text::paragraph;

/// Each target, the disks below it, and how it was accessed.
pub(super) fn targets(io: &Io) -> String {
    let mut text: String = io.targets.iter().map(target).collect();
    let why = io.engine_why.as_ref().map_or_else(String::new, |why| format!(", because {why}"));
    text += &paragraph::of(&format!("Accesses by {}{why}.", io.engine), "", "  ");
    text
}

fn target(target: &IoTargetFacts) -> String {
    let mut facts = vec![Bytes(target.bytes).to_string()];
    for disk in &target.disks {
        let model = disk.model.as_ref().map_or_else(String::new, |model| format!(" ({model})"));
        let node = match disk.node {
            Some(node) => format!("node {node}"),
            None => "no node claimed".to_owned(),
        };
        facts.push(format!("{}{model}: {node}", disk.name));
    }
    facts.extend(target.disks_why.as_ref().map(|why| format!("disk unknown: {why}")));
    facts.extend(
        target.interrupts_why.as_ref().map(|why| format!("its interrupts were not set: {why}")),
    );
    facts.extend(
        target.cgroup_limit.as_ref().map(|limit| format!("limited by its cgroup to {limit}")),
    );
    for disk in &target.disks {
        facts.extend(
            disk.power_tolerance
                .as_ref()
                .filter(|tolerance| !["0", "auto"].contains(&tolerance.as_str()))
                .map(|tolerance| format!("power states of {} may add {tolerance} µs", disk.name)),
        );
    }
    paragraph::facts(&facts, &format!("{}: ", target.path), "  ")
}

/// "reads of 4 KiB, random, one at a time".
pub(super) fn workload(access: &IoAccess) -> String {
    let depth = match access.depth {
        1 => "one at a time".to_owned(),
        depth => format!("{depth} in flight"),
    };
    format!("{}s of {}, {}, {depth}", access.operation, Bytes(access.size_bytes), access.pattern)
}

/// "reads of 4 KiB, random, one at a time: /data/file, interrupts near".
pub(super) fn access(access: &IoAccess) -> String {
    let interrupts = access
        .interrupts
        .as_ref()
        .map_or_else(String::new, |interrupts| format!(", interrupts {interrupts}"));
    format!("{}: {}{interrupts}", workload(access), access.target)
}
