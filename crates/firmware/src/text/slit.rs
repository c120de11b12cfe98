//! SLIT and CDIT: claimed distances between domains.

use crate::acpi::{Cdit, Slit};

use super::matrix;

pub(super) fn slit(slit: &Slit) -> Vec<String> {
    let title =
        "Distances between proximity domains, from row to column (10 is local, 255 out of reach)";
    vec![distances(title, slit.distances.size(), slit.distances.rows())]
}

pub(super) fn cdit(cdit: &Cdit) -> Vec<String> {
    let title = "Distances between the domains of the CRAT, from row to column (10 is local)";
    vec![distances(title, cdit.distances.size(), cdit.distances.rows())]
}

fn distances<'a>(title: &str, size: usize, rows: impl Iterator<Item = &'a [u8]>) -> String {
    if size == 0 {
        return "It holds no distance.\n".to_owned();
    }
    let columns = (0..size).map(|column| column.to_string());
    let rows = rows
        .enumerate()
        .map(|(row, cells)| (row.to_string(), cells.iter().map(u8::to_string).collect()));
    format!("{title}\n{}", matrix::text("domain", columns, rows))
}
