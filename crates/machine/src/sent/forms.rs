//! The forms that are known, as data: how a text begins, and what reads it.
//!
//! A new form is a line here, and a file with its reader.

use crate::error::MachineError;
use crate::source::{MachineFiles, RefusedText, Source};

use super::{
    cpu_table, dmidecode, gpu_lists, kernel_tables, lscpu, lscpu_json, lspci, lspci_tree, numactl,
    own_document, smi_places, zone_info,
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
    /// Whether it has a line for each CPU.
    pub(super) has_a_line_for_each_cpu: bool,
    /// Which nodes it lists.
    pub(super) nodes: NodeList,
    /// Whether its text is kept for another reader.
    pub(super) keeps_text: bool,
    /// Whether any of its lines may be the first: then a further one begins nothing.
    pub(super) goes_on: bool,
    /// Whether it is JSON: until its brackets are closed, nothing else begins.
    pub(super) is_json: bool,
    reader: Reader,
}

/// Which nodes a form lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum NodeList {
    /// Those of devices or of a process: how many the machine has is not in it.
    Near,
    /// Those with CPUs.
    WithCpus,
    /// All.
    All,
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
        has_a_line_for_each_cpu: false,
        nodes: NodeList::Near,
        keeps_text: false,
        goes_on: false,
        is_json: false,
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
        nodes: NodeList::All,
        ..xml("XML of hwloc", 1, |line| line.starts_with("<topology"), "</topology>")
    },
    xml("XML of NCCL", 6, |line| line.starts_with("<system"), "</system>"),
    Form {
        has_all_cpus: true,
        nodes: NodeList::All,
        is_json: true,
        ..form("lscpu -J", 3, lscpu_json::begins, lscpu_json::read)
    },
    Form {
        has_all_cpus: true,
        has_a_line_for_each_cpu: true,
        nodes: NodeList::WithCpus,
        ..form("lscpu -p", 2, cpu_table::begins_commas, cpu_table::read_commas)
    },
    Form {
        has_all_cpus: true,
        has_a_line_for_each_cpu: true,
        nodes: NodeList::WithCpus,
        ..form("lscpu -e", 2, cpu_table::begins, cpu_table::read)
    },
    Form {
        has_all_cpus: true,
        nodes: NodeList::All,
        ..form("lscpu", 3, lscpu::begins, lscpu::read)
    },
    Form {
        has_all_cpus: true,
        nodes: NodeList::All,
        ..form("numactl -H", 4, numactl::begins_hardware, numactl::read_hardware)
    },
    form("numactl -s", 8, numactl::begins_policy, numactl::read_policy),
    Form {
        keeps_text: true,
        ..form("nvidia-smi topo -m", 7, smi_places::begins, smi_places::read)
    },
    form("npu-smi info -t topo", 7, smi_places::begins_npus, smi_places::read),
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

/// A captured machine beside outputs of programs: the kernel's own files.
pub(super) static CAPTURE: &Form = &Form {
    has_all_cpus: true,
    nodes: NodeList::All,
    ..form("capture", 0, |_| false, |_, _| false)
};

/// Firmware's tables in their own format.
pub(super) static TABLES: &Form = &form("firmware tables", 5, |_| false, |_, _| false);

static OWN_TOPOLOGY: &Form = &Form {
    has_all_cpus: true,
    nodes: NodeList::All,
    ..form("nearfar topology --json", 1, |_| false, own_document::read)
};

static OWN_DOCUMENT: &Form = &Form {
    has_all_cpus: true,
    nodes: NodeList::All,
    ..form("nearfar survey", 6, |_| false, own_document::read)
};

static CPUS_JSON: &Form = &Form {
    has_all_cpus: true,
    nodes: NodeList::WithCpus,
    ..form("lscpu -J -e", 2, |_| false, lscpu_json::read)
};

/// A kernel log; also what nothing else claims may be one.
pub(super) static KERNEL_LOG: &Form = &LOG;

/// The form of kernel logs.
pub const LOG_FORM: &str = "kernel log";

const LOG: Form =
    Form { goes_on: true, ..form(LOG_FORM, 5, kernel_tables::begins_log, kernel_tables::log) };

impl Form {
    /// The form of a whole text: its first line may be that of any JSON.
    pub(super) fn of_text(&'static self, text: &str) -> &'static Self {
        match own_document::schema(text).filter(|_| self.is_json) {
            Some(schema) if schema.starts_with("nearfar.topology/") => OWN_TOPOLOGY,
            Some(_) => OWN_DOCUMENT,
            None if self.is_json && lscpu_json::is_table(text) => CPUS_JSON,
            None => self,
        }
    }

    /// What ends it within a line, if anything does.
    pub(super) fn end(&self) -> Option<&'static str> {
        match self.reader {
            Reader::Xml(end) => Some(end),
            Reader::Files(_) => None,
        }
    }

    /// The machine of a text from this line of a file on; `None` if the text has none of its facts.
    pub(super) fn read(
        &self,
        text: &str,
        line: usize,
        name: &str,
    ) -> Result<Option<Source>, MachineError> {
        match self.reader {
            Reader::Xml(_) => Source::from_topology_xml(text, name).map(Some),
            Reader::Files(read) => {
                let mut files = MachineFiles::new();
                let is_known = read(text, &mut files);
                if let Some(refused) = files.refused {
                    return Err(self.refusal(refused, line, name));
                }
                for table in files.tables.values_mut() {
                    name.clone_into(&mut table.file);
                    table.line = table.line.map(|own| line - 1 + own);
                }
                if files.is_full() {
                    return Err(MachineError::TooLarge { path: name.into() });
                }
                Ok(is_known.then(|| Source::sent(files, name)))
            }
        }
    }

    fn refusal(&self, refused: RefusedText, first: usize, name: &str) -> MachineError {
        let (path, of) = (name.into(), self.name);
        let in_file = |line: usize| (first - 1).saturating_add(line);
        match refused {
            RefusedText::CutAfter(line) => MachineError::CutOff { path, of, line: in_file(line) },
            RefusedText::Damaged(line) => {
                MachineError::DamagedText { path, of, line: in_file(line) }
            }
            RefusedText::OtherLanguage => MachineError::OtherLanguage { path, of },
            RefusedText::NoMachine(schema) => MachineError::NoMachineIn { path, schema },
        }
    }
}
