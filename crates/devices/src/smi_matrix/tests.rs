use nearfar_model::{CpuSet, NodeId, NodeSet};
use proptest::prelude::*;

use super::*;

const H100: &str = "\t\x1b[4mGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\x1b[0m\n\
    GPU0\t X \tNV18\tPIX\t0-55,112-167\t0\t\tN/A\n\
    GPU1\tNV18\t X \tSYS\t56-111\t1\t\tN/A\n\
    NIC0\tPIX\tSYS\t X \t\t\t\t\n\
    \n\
    Legend:\n\
    \n\
    \x20 X    = Self\n\
    \x20 SYS  = Connection traversing PCIe as well as the SMP interconnect\n\
    \n\
    NIC Legend:\n\
    \n\
    \x20 NIC0: mlx5_0\n";

#[test]
fn levels_and_names_are_read() {
    let matrix = SmiMatrix::parse(H100).unwrap();
    assert_eq!(matrix.rows, ["GPU0", "GPU1", "NIC0"]);
    assert_eq!(matrix.levels[0], [Level::Same, Level::NvLink(18), Level::Pix].map(Some));
    assert_eq!(matrix.levels[2][1], Some(Level::Sys));
    assert_eq!(matrix.nics, [("NIC0".to_owned(), "mlx5_0".to_owned())]);
}

#[test]
fn older_releases_name_nics_in_rows() {
    let text = "\tGPU0\tmlx5_0\tCPU Affinity\nGPU0\t X \tSOC\t0-7\nmlx5_0\tSOC\t X \t\n";
    let matrix = SmiMatrix::parse(text).unwrap();
    assert_eq!(matrix.rows, ["GPU0", "mlx5_0"]);
    assert_eq!(matrix.levels[0][1], Some(Level::Sys));
}

/// The matrix without the names of its NICs.
fn shape(text: &str) -> (Vec<Vec<Option<Level>>>, Vec<SmiPlace>) {
    let matrix = SmiMatrix::parse(text).unwrap_or_else(|why| panic!("{why}: {text}"));
    (matrix.levels, matrix.places)
}

#[test]
fn pasted_forms_are_read_alike() {
    let expected = shape(H100);
    let place = |cpus, node| SmiPlace {
        cpus: CpuSet::parse_list(cpus).ok(),
        nodes: NodeSet::parse_list(node).ok(),
        memory: None,
    };
    assert_eq!(expected.1[..2], [place("0-55,112-167", "0"), place("56-111", "1")]);
    assert_eq!(expected.1[2], SmiPlace::default());
    let plain = H100.replace("\u{1b}[4m", "").replace("\u{1b}[0m", "");
    let quoted = |mark: &str| format!("{mark}{}", plain.replace('\n', &format!("\n{mark}")));
    for text in [
        plain.trim_start().to_owned(),
        plain.replace('\t', "        "),
        plain.replace("\t\t", "\t").replace('\t', "  ").trim_start().to_owned(),
        H100.replace('\u{1b}', ""),
        H100.replace('\u{1b}', "^["),
        plain.replace('\n', "\r\n"),
        plain.replace('\n', "\n\n"),
        format!("user@host:~$ nvidia-smi topo -m\n{plain}user@host:~$\n"),
        format!("GPU0 and GPU1 are slow\n\n```\n{plain}```\n"),
        quoted("> "),
        quoted("| "),
        quoted("    "),
        quoted("12:"),
        quoted("[pod/gpu] 10:02:03 "),
        "| | GPU0 | GPU1 | NIC0 | CPU Affinity | NUMA Affinity | GPU NUMA ID |\n|---|---|---|\n\
         | GPU0 | X | NV18 | PIX | 0-55,112-167 | 0 | N/A |\n\
         | GPU1 | NV18 | X | SYS | 56-111 | 1 | N/A |\n| NIC0 | PIX | SYS | X | | | |\n"
            .to_owned(),
    ] {
        assert_eq!(shape(&text), expected, "{text}");
    }
}

#[test]
fn columns_may_be_missing() {
    let places = |head: &str, cells: &str| {
        shape(&format!("\tGPU0\t{head}\nGPU0\t X \t{cells}\n")).1.remove(0)
    };
    let cpus = || CpuSet::parse_list("0-3").ok();
    let (none, nodes) = (SmiPlace::default, || NodeSet::parse_list("1").ok());
    assert_eq!(places("", ""), none());
    assert_eq!(places("CPU Affinity", "0-3"), SmiPlace { cpus: cpus(), ..none() });
    let both = SmiPlace { cpus: cpus(), nodes: nodes(), memory: None };
    assert_eq!(places("CPU Affinity\tNUMA Affinity", "0-3\t1"), both);
    let all = "CPU Affinity\tNUMA Affinity\tGPU NUMA ID";
    assert_eq!(places(all, "0-3\t1\t\tN/A"), both);
    assert_eq!(places(all, "0-3\t1\t\t2"), SmiPlace { memory: Some(NodeId(2)), ..both });
    assert_eq!(places(all, "N/A\tN/A\t\tN/A"), none());
    assert_eq!(places(all, "0-3\t\t\tN/A"), SmiPlace { cpus: cpus(), ..none() });
}

#[test]
fn other_text_is_refused() {
    use NotAMatrix::{Folded, NoDiagonal, NoHeader, NotSquare, Short};
    for (text, expected) in [
        ("", NoHeader),
        ("No devices were found\n", NoHeader),
        ("\tCPU Affinity\n", NoHeader),
        ("GPU0\tX\n", NoHeader),
        ("GPU 0: NVIDIA H100 (UUID: GPU-1)\n", NoHeader),
        (" a_b\na_b X\n", NoHeader),
        (" GPU0\nGPU0 PIX\n", NoDiagonal),
        ("\tGPU0\tGPU1\nGPU0\t X \tPIX\n", NotSquare { rows: 1, columns: 2 }),
        ("\tGPU0\tGPU1\nGPU0\t X \tPIX\nGPU1\n", Short("GPU1".to_owned())),
        ("GPU0 GPU1\nGPU2\nGPU0 X PIX\nPIX\n", Folded("GPU0".to_owned())),
        ("GPU0 GPU1\nGPU0 X\nPIX 0-3\nGPU1 PIX\nX 0-3\n", Folded("GPU1".to_owned())),
        ("GPU0 GPU1 CPU\nAffinity\nGPU0 X PIX 0-3\nGPU1 PIX X 0-3\n", Folded("GPU0".to_owned())),
    ] {
        assert_eq!(SmiMatrix::parse(text), Err(expected), "{text:?}");
    }
}

proptest! {
    #[test]
    fn no_text_panics(text in "[GPUNIC0-9_XSY \t\n\x1b\\[m]{0,200}") {
        if let Ok(matrix) = SmiMatrix::parse(&text) {
            prop_assert_eq!(matrix.rows.len(), matrix.levels.len());
        }
    }
}
