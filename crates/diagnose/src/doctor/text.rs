//! What a machine allows, what each refusal disables and how to allow it: in sentences.

mod reasons;
mod remedies;

use nearfar_machine::ProcessRights;
use nearfar_view::terminal::printable;
use nearfar_view::text::paragraph;
use nearfar_view::text::sections;
use nearfar_view::text::table;

use crate::doctor::{CheckState, DoctorDocument, Facility, FacilityCheck};

/// Under a facility's line.
const INDENT: &str = "    ";

/// The list, then each facility that is not available.
pub fn text(document: &DoctorDocument) -> String {
    let obstructed = document.checks.iter().filter_map(obstructed);
    sections(std::iter::once(list(document)).chain(obstructed))
}

fn process(process: &ProcessRights) -> String {
    let user = match process.user {
        Some(0) => "root".to_owned(),
        Some(user) => format!("user {user}"),
        None => "an unknown user".to_owned(),
    };
    let place = match (&process.container, process.has_seccomp_filter) {
        (Some(engine), _) => format!(" in a container ({})", printable::line(engine)),
        (None, Some(true)) => " under a seccomp filter, as in containers".to_owned(),
        (None, _) => String::new(),
    };
    format!("This process runs as {user}{place}.")
}

fn list(document: &DoctorDocument) -> String {
    let line = |check: &FacilityCheck| {
        [
            name(check.facility).to_owned(),
            state(check.state).to_owned(),
            uses(check.facility).to_owned(),
        ]
    };
    table(
        &process(&document.process),
        ["facility", "state", "for"],
        document.checks.iter().map(line).collect(),
    )
}

/// A facility that is not available: why, what that disables, how to allow it.
fn obstructed(check: &FacilityCheck) -> Option<String> {
    let reason = check.reason.as_ref()?;
    let heading = format!("{}: {}", name(check.facility), state(check.state));
    let mut text = paragraph::with_bold_head(&heading, "", "");
    let mut labelled = |label: &str, sentence: &str| {
        text += &paragraph::of(sentence, &format!("{INDENT}{label:<12}"), &" ".repeat(16));
    };
    labelled("Reason", &reasons::reason(reason));
    if !check.disables.is_empty() {
        labelled("Disables", &check.disables.join(", "));
    }
    if !check.limits.is_empty() {
        labelled("Limits", &check.limits.join(", "));
    }
    for remedy in &check.remedies {
        labelled(remedies::label(remedy), &remedies::sentence(remedy));
    }
    Some(text)
}

fn name(facility: Facility) -> &'static str {
    match facility {
        Facility::MemoryPolicy => "memory policies",
        Facility::NewerPolicies => "newer policies",
        Facility::PageQuery => "location of pages",
        Facility::PageMigration => "migration of pages",
        Facility::CpuAffinity => "CPU affinity",
        Facility::Cpusets => "cpusets",
        Facility::LockedMemory => "locked memory",
        Facility::HugePages => "huge pages",
        Facility::HugePagePool => "huge page pool",
        Facility::ThreadEvents => "PMU, own thread",
        Facility::CpuEvents => "PMU, all CPUs",
        Facility::MemoryTraffic => "resctrl",
        Facility::CpuRegisters => "CPU registers",
        Facility::PhysicalAddresses => "physical addresses",
        Facility::FirmwareTables => "firmware tables",
        Facility::KernelLog => "kernel log",
        Facility::OtherProcesses => "other processes",
        Facility::KernelSettings => "kernel settings",
        Facility::InterruptAffinity => "interrupt affinity",
        Facility::AsyncIo => "io_uring",
        Facility::Disks => "disks",
        Facility::Gpus => "GPUs",
    }
}

/// What it is used for.
fn uses(facility: Facility) -> &'static str {
    match facility {
        Facility::MemoryPolicy => "memory on chosen nodes (mbind)",
        Facility::NewerPolicies => "weighted interleave, preferred-many, home nodes",
        Facility::PageQuery => "proof where pages are (move_pages)",
        Facility::PageMigration => "moving memory of a process (migrate_pages)",
        Facility::CpuAffinity => "threads on chosen CPUs",
        Facility::Cpusets => "programs that set their own affinity",
        Facility::LockedMemory => "memory that is not swapped out (mlock)",
        Facility::HugePages => "latency without TLB misses",
        Facility::HugePagePool => "shared memory of huge pages",
        Facility::ThreadEvents => "where loads were served from",
        Facility::CpuEvents => "remote accesses of each node",
        Facility::MemoryTraffic => "memory traffic of each node",
        Facility::CpuRegisters => "state of the prefetchers",
        Facility::PhysicalAddresses => "nodes that the kernel does not show",
        Facility::FirmwareTables => "why the kernel shows these nodes",
        Facility::KernelLog => "why the kernel shows these nodes",
        Facility::OtherProcesses => "memory of other users' processes",
        Facility::KernelSettings => "huge pages and balancing, varied",
        Facility::InterruptAffinity => "interrupts on near CPUs",
        Facility::AsyncIo => "disks at depth, by one thread",
        Facility::Disks => "disks without a file system",
        Facility::Gpus => "copies to and from GPUs",
    }
}

fn state(state: CheckState) -> &'static str {
    match state {
        CheckState::Allowed => "ok",
        CheckState::Limited => "limited",
        CheckState::Off => "off",
        CheckState::Refused => "refused",
        CheckState::Unreadable => "unreadable",
        CheckState::Absent => "absent",
    }
}
