//! What to send next, where only outputs of programs were sent.

use nearfar_view::text::fitted::ToDo;

use crate::{Diagnosis, DiagnosisVerdict, Witness, WitnessReport, WitnessStatement};

/// Lines of the log about nodes.
const LOG: &str = "sudo dmesg | grep -i -e 'linux version' -e 'command line' -e numa -e srat \
                   -e slit -e node -e DMI:";
const NODES: &str = "numactl -H";
const TABLES: &str = "sudo acpidump -n SRAT -n SLIT -n APIC";
const DEVICES: &str = "lspci -nnv";
const CPUS: &str = "lscpu";

/// What would decide the open questions: at most three commands, the best first.
pub(super) fn all(diagnosis: &Diagnosis, lacks_pci_functions: bool) -> Vec<ToDo> {
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
        "the log shows whether nodes are withheld, and by whom: send it too"
    } else {
        "the log shows what the kernel did with the tables: send it too"
    };
    let all = [
        (is_open(Witness::Sysfs), NODES, "shows the nodes that the kernel has: send it too"),
        (lacks_pci_functions, DEVICES, "shows the node of each GPU: send it too"),
        (is_open(Witness::Kernel), LOG, log),
        (is_open(Witness::Cpus), CPUS, "shows packages, cores and caches: send it too"),
        (is_open(Witness::Firmware), TABLES, "firmware's own tables: send them too"),
    ];
    let open = all.into_iter().filter(|(is_open, ..)| *is_open);
    open.take(3).map(|(_, command, why)| ToDo::new(command, why)).collect()
}

fn is_not_sent(report: &WitnessReport) -> bool {
    report.statements.contains(&WitnessStatement::NothingSent)
}
