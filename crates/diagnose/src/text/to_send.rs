//! What to send next, where only outputs of programs were sent.

use nearfar_view::text::fitted::ToDo;

use crate::{Diagnosis, DiagnosisVerdict, Witness, WitnessReport, WitnessStatement};

/// Lines of the log about nodes.
const LOG: &str = "sudo dmesg | grep -i -e 'linux version' -e 'command line' -e numa -e srat \
                   -e slit -e node -e DMI:";
const NODES: &str = "numactl -H";
const TABLES: &str = "sudo acpidump -n SRAT -n SLIT -n APIC";
const CPUS: &str = "lscpu";

/// What would decide the open questions: at most three commands, the best first.
pub(super) fn all(diagnosis: &Diagnosis) -> Vec<ToDo> {
    let is_open = |witness: Witness| {
        diagnosis.witnesses.iter().any(|report| report.witness == witness && is_not_sent(report))
    };
    let withheld = matches!(
        diagnosis.verdict,
        DiagnosisVerdict::WithheldByFirmware
            | DiagnosisVerdict::WithheldByHypervisor
            | DiagnosisVerdict::Unknown
            | DiagnosisVerdict::RefusedByKernel
    );
    let log = if withheld {
        "the log shows who withholds the nodes: send it too"
    } else {
        "the log shows what the kernel did with the tables: send it too"
    };
    let all = [
        (Witness::Sysfs, NODES, "shows the nodes that the kernel has: send it too"),
        (Witness::Kernel, LOG, log),
        (Witness::Cpus, CPUS, "shows packages, cores and caches: send it too"),
        (Witness::Firmware, TABLES, "firmware's own tables: send them too"),
    ];
    let open = all.into_iter().filter(|(witness, ..)| is_open(*witness));
    open.take(3).map(|(_, command, why)| ToDo::new(command, why)).collect()
}

fn is_not_sent(report: &WitnessReport) -> bool {
    report.statements.contains(&WitnessStatement::NothingSent)
}
