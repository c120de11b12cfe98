//! Tables of vendors' programs, as their documentation shows them: whole, and cut.

use super::{SMI, forms, sent};
use crate::sent::parse;

/// Huawei: npu-smi info -t topo.
const NPU: &str = "\
\t   NPU0       NPU1       NPU2       NPU3       CPU Affinity
\tNPU0       X          HCCS       PHB        SYS        0-23
\tNPU1       HCCS       X          SYS        PHB        0-23
\tNPU2       PHB        SYS        X          HCCS       24-47
\tNPU3       SYS        PHB        HCCS       X          24-47

Legend:

  X    = Self
  SYS  = Path traversing PCIe and NUMA nodes. Nodes are connected through SMP, such as QPI, UPI.
  PHB  = Path traversing PCIe and the PCIe host bridge of a CPU.
  HCCS = Connection traversing HCCS.
";
/// AMD: rocm-smi --showtopo.
const ROCM: &str = "\
============================ ROCm System Management Interface ============================
================================ Weight between two GPUs =================================
       GPU0         GPU1
GPU0   0            40
GPU1   40           0

================================= Hops between two GPUs ==================================
       GPU0         GPU1
GPU0   0            2
GPU1   2            0

=============================== Link Type between two GPUs ===============================
       GPU0         GPU1
GPU0   0            PCIE
GPU1   PCIE         0

======================================= Numa Nodes =======================================
GPU[0]\t\t: (Topology) Numa Node: 0
GPU[0]\t\t: (Topology) Numa Affinity: 0
GPU[1]\t\t: (Topology) Numa Node: 1
GPU[1]\t\t: (Topology) Numa Affinity: 1
================================== End of ROCm SMI Log ===================================
";
/// AMD: amd-smi topology.
const AMD: &str = "\
ACCESS TABLE:
             0000:03:00.0  0000:83:00.0
0000:03:00.0 ENABLED       ENABLED
0000:83:00.0 ENABLED       ENABLED

WEIGHT TABLE:
             0000:03:00.0  0000:83:00.0
0000:03:00.0 0             40
0000:83:00.0 40            0

NUMA BW TABLE:
             0000:03:00.0  0000:83:00.0
0000:03:00.0 N/A           N/A
0000:83:00.0 N/A           N/A
";
/// NVIDIA: nvidia-smi -q -x.
const NVIDIA: &str = "\
<?xml version=\"1.0\" ?>
<!DOCTYPE nvidia_smi_log SYSTEM \"nvsmi_device_v12.dtd\">
<nvidia_smi_log>
\t<gpu id=\"00000000:3B:00.0\">
\t\t<pci>
\t\t\t<pci_device_id>233010DE</pci_device_id>
\t\t\t<pci_bus_id>00000000:3B:00.0</pci_bus_id>
\t\t</pci>
\t</gpu>
\t<gpu id=\"00000000:86:00.0\">
\t\t<pci>
\t\t\t<pci_device_id>233010DE</pci_device_id>
\t\t\t<pci_bus_id>00000000:86:00.0</pci_bus_id>
\t\t</pci>
\t</gpu>
</nvidia_smi_log>
";

/// CPUs, nodes and devices of a text.
fn facts(text: &str) -> (Option<usize>, Option<usize>, usize) {
    let facts = &sent(text).parts[0].facts;
    (facts.cpus, facts.nodes, facts.devices)
}

#[test]
fn each_table_is_known_by_its_content() {
    for (text, form) in [
        (NPU, "npu-smi info -t topo"),
        (SMI, "nvidia-smi topo -m"),
        (ROCM, "rocm-smi --showtopo"),
        (AMD, "amd-smi topology"),
        (NVIDIA, "nvidia-smi -q -x"),
    ] {
        assert_eq!(forms(&sent(text)), [form], "{text}");
        let quoted = format!("Hello,\n> {}", text.replace('\n', "\r\n> "));
        assert_eq!(forms(&sent(&quoted)), [form], "{quoted}");
    }
    assert_eq!(facts(ROCM), (None, Some(2), 0));
}

#[test]
fn xml_without_its_end_is_cut_off() {
    let whole = NVIDIA.trim_end();
    for end in [200, whole.len() / 2, whole.len() - 1] {
        let error = parse(&whole.as_bytes()[..end]).unwrap_err().to_string();
        assert!(error.contains("nvidia-smi -q -x is cut off after line"), "{end}: {error}");
    }
}

#[test]
fn a_cut_table_has_no_node_too_many() {
    for text in [NPU, SMI, ROCM, AMD, NVIDIA] {
        let all = sent(text).source.named_nodes();
        let ends = text.char_indices().map(|(at, _)| at).step_by(5);
        for end in ends {
            let Ok(sent) = parse(&text.as_bytes()[..end]) else { continue };
            assert!(sent.source.named_nodes().is_subset(&all), "{}", &text[..end]);
        }
    }
}
