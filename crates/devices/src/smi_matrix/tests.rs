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

#[test]
fn other_text_is_refused() {
    for text in ["", "No devices were found\n", "\tCPU Affinity\n", "GPU0\tX\n"] {
        assert_eq!(SmiMatrix::parse(text), Err(NotAMatrix::NoRows), "{text:?}");
    }
    // Found in random bytes.
    let noise = " q_\u{fffd}\nx_\u{fffd}z PIX\n";
    assert_eq!(SmiMatrix::parse(noise), Err(NotAMatrix::NoRows));
    assert_eq!(SmiMatrix::parse(" a_b\na_b PIX\n"), Err(NotAMatrix::NoDiagonal));
    let cut = "\tGPU0\tGPU1\nGPU0\t X \tPIX\n";
    assert_eq!(SmiMatrix::parse(cut), Err(NotAMatrix::NotSquare { rows: 1, columns: 2 }));
    let ragged = "\tGPU0\tGPU1\nGPU0\t X \tPIX\nGPU1\n";
    assert!(matches!(SmiMatrix::parse(ragged), Err(NotAMatrix::NotSquare { .. })));
}

proptest! {
    #[test]
    fn no_text_panics(text in "[GPUNIC0-9_XSY \t\n\x1b\\[m]{0,200}") {
        if let Ok(matrix) = SmiMatrix::parse(&text) {
            prop_assert_eq!(matrix.rows.len(), matrix.levels.len());
        }
    }
}
