//! QEMU's machine with 2 GiB and four CPUs, and the tables injected into it.

use nearfar_firmware::linux::{
    Architecture, CommandLine, KernelVersion, MemoryMap, Prediction, PredictionInput, PresentCpu,
    predict,
};
use nearfar_firmware::{Firmware, TableFile};
use nearfar_model::CpuId;

pub(super) const LINUX_6_1: KernelVersion = KernelVersion::new(6, 1);
pub(super) const LINUX_6_12: KernelVersion = KernelVersion::new(6, 12);

/// RAM of a guest with `-m 2G`, first and last addresses.
const RAM: [(u64, u64); 2] = [(0, 0x9_fbff), (0x10_0000, 0x7ffd_ffff)];

/// Tables, a kernel and a command line.
pub(super) struct Board {
    firmware: Firmware,
    memory: MemoryMap,
    pub(super) kernel: KernelVersion,
    pub(super) command_line: CommandLine,
}

impl Board {
    pub(super) fn new(tables: &[Vec<u8>]) -> Self {
        let tables = tables.iter().map(|bytes| file(bytes.clone())).collect();
        Self {
            firmware: Firmware { tables, ..Firmware::default() },
            memory: MemoryMap::from_ram(&RAM),
            kernel: LINUX_6_1,
            command_line: CommandLine::default(),
        }
    }

    pub(super) fn with_kernel(self, kernel: KernelVersion) -> Self {
        Self { kernel, ..self }
    }

    pub(super) fn with_line(self, line: &str) -> Self {
        Self { command_line: CommandLine::parse(line), ..self }
    }

    pub(super) fn predict(&self) -> Prediction {
        predict(&PredictionInput {
            kernel: self.kernel,
            command_line: self.command_line.clone(),
            memory_map: Some(&self.memory),
            cpus: four_cpus(),
            ..PredictionInput::new(&self.firmware, Architecture::X86)
        })
    }
}

fn four_cpus() -> Vec<PresentCpu> {
    (0..4)
        .map(|id| PresentCpu { id: CpuId(id), hardware_id: id.into(), processor_uid: Some(id) })
        .collect()
}

/// A table with a file path.
pub(super) fn file(bytes: Vec<u8>) -> TableFile {
    let name = String::from_utf8_lossy(&bytes[..bytes.len().min(4)]).into_owned();
    TableFile::decode(&name, None, bytes)
}

/// The online nodes with their CPUs: "0:0-1 1:2-3".
pub(super) fn places(prediction: &Prediction) -> String {
    let nodes: Vec<String> =
        prediction.online().map(|node| format!("{}:{}", node.id, node.cpus)).collect();
    nodes.join(" ")
}

/// The codes of causes.
pub(super) fn causes(prediction: &Prediction) -> Vec<&'static str> {
    prediction.causes.iter().map(|cause| cause.code).collect()
}

/// The codes of doubts.
pub(super) fn doubts(prediction: &Prediction) -> Vec<&'static str> {
    prediction.doubts.iter().map(|doubt| doubt.code).collect()
}

/// The kernel's message about the deciding cause.
pub(super) fn message(prediction: &Prediction) -> Option<&str> {
    prediction.deciding()?.message.as_deref()
}
