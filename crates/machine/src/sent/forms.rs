//! The forms that are known, as data: how a text begins, and what reads it.
//!
//! A new form is a line here, and a file with its reader.

use crate::error::MachineError;
use crate::source::{MachineFiles, Source};

use super::{
    cpu_table, dmidecode, gpu_lists, kernel_tables, lscpu, lscpu_json, lspci, lspci_tree, numactl,
    smi_places, zone_info,
};

/// A form of text.
#[derive(Debug)]
pub(super) struct Form {
    /// The command, or the file, that it is of.
    pub(super) name: &'static str,
    /// Whether a part may begin with this line, without surrounding blanks.
    pub(super) begins: fn(&str) -> bool,
    /// How exact its facts are: of two forms the one with the lower rank counts.
    pub(super) rank: u8,
    /// Whether it has all CPUs that are online; others may have a part.
    pub(super) has_all_cpus: bool,
    /// Whether it has all nodes.
    pub(super) has_all_nodes: bool,
    /// Whether its text is kept for another reader.
    pub(super) keeps_text: bool,
    /// Whether any of its lines may be the first: then a further one begins nothing.
    pub(super) goes_on: bool,
    reader: Reader,
}

#[derive(Debug)]
enum Reader {
    /// Puts files, and returns whether it understood.
    Files(fn(&str, &mut MachineFiles) -> bool),
    /// A topology file, up to this element's end.
    Xml(&'static str),
}

const fn form(
    name: &'static str,
    rank: u8,
    begins: fn(&str) -> bool,
    reader: fn(&str, &mut MachineFiles) -> bool,
) -> Form {
    let reader = Reader::Files(reader);
    Form {
        name,
        begins,
        rank,
        has_all_cpus: false,
        has_all_nodes: false,
        keeps_text: false,
        goes_on: false,
        reader,
    }
}

const fn xml(name: &'static str, rank: u8, begins: fn(&str) -> bool, end: &'static str) -> Form {
    let base = form(name, rank, begins, |_, _| false);
    Form { reader: Reader::Xml(end), ..base }
}

/// All forms; of two that a line may begin, the first.
pub(super) static FORMS: &[Form] = &[
    Form {
        has_all_cpus: true,
        has_all_nodes: true,
        ..xml("XML of hwloc", 1, |line| line.starts_with("<topology"), "</topology>")
    },
    xml("XML of NCCL", 6, |line| line.starts_with("<system"), "</system>"),
    Form {
        has_all_cpus: true,
        has_all_nodes: true,
        ..form("lscpu -J", 3, lscpu_json::begins, lscpu_json::read)
    },
    Form {
        has_all_cpus: true,
        has_all_nodes: true,
        ..form("lscpu -p", 2, cpu_table::begins_commas, cpu_table::read_commas)
    },
    Form {
        has_all_cpus: true,
        has_all_nodes: true,
        ..form("lscpu -e", 2, cpu_table::begins, cpu_table::read)
    },
    Form {
        has_all_cpus: true,
        has_all_nodes: true,
        ..form("lscpu", 3, lscpu::begins, lscpu::read)
    },
    Form {
        has_all_cpus: true,
        has_all_nodes: true,
        ..form("numactl -H", 2, numactl::begins_hardware, numactl::read_hardware)
    },
    form("numactl -s", 8, numactl::begins_policy, numactl::read_policy),
    Form {
        keeps_text: true,
        ..form("nvidia-smi topo -m", 7, smi_places::begins, smi_places::read)
    },
    Form {
        has_all_cpus: true,
        ..form("/proc/interrupts", 5, kernel_tables::begins_interrupts, kernel_tables::interrupts)
    },
    form("/proc/meminfo", 5, kernel_tables::begins_meminfo, kernel_tables::meminfo),
    form("/proc/zoneinfo", 8, zone_info::begins, zone_info::read),
    form("lspci -tv", 2, lspci_tree::begins, lspci_tree::read),
    Form { goes_on: true, ..form("lspci", 4, lspci::begins, lspci::read) },
    form("nvidia-smi -q -x", 6, gpu_lists::begins_nvidia, gpu_lists::nvidia),
    Form {
        goes_on: true,
        ..form("rocm-smi --showtopo", 8, gpu_lists::begins_rocm, gpu_lists::rocm)
    },
    form("amd-smi topology", 8, gpu_lists::begins_amd, gpu_lists::amd),
    Form { goes_on: true, ..form("dmidecode", 4, dmidecode::begins, dmidecode::read) },
    form("acpidump", 5, kernel_tables::begins_acpidump, kernel_tables::acpidump),
    LOG,
];

/// A kernel log; also what nothing else claims may be one.
pub(super) static KERNEL_LOG: &Form = &LOG;

/// The form of kernel logs.
pub const LOG_FORM: &str = "kernel log";

const LOG: Form =
    Form { goes_on: true, ..form(LOG_FORM, 5, kernel_tables::begins_log, kernel_tables::log) };

impl Form {
    /// What ends it within a line, if anything does.
    pub(super) fn end(&self) -> Option<&'static str> {
        match self.reader {
            Reader::Xml(end) => Some(end),
            Reader::Files(_) => None,
        }
    }

    /// The machine of a text; `None` if the text has none of its facts.
    pub(super) fn read(&self, text: &str, name: &str) -> Result<Option<Source>, MachineError> {
        match self.reader {
            Reader::Xml(_) => Source::from_topology_xml(text, name).map(Some),
            Reader::Files(read) => {
                let mut files = MachineFiles::new();
                let is_known = read(text, &mut files);
                if files.is_full() {
                    return Err(MachineError::TooLarge { path: name.into() });
                }
                Ok(is_known.then(|| Source::sent(files, name)))
            }
        }
    }
}
