//! The output of `nvidia-smi topo -m`.
//!
//! Columns are separated by tabs: `GPU0`, `NIC0`, then `CPU Affinity`, `NUMA Affinity`,
//! `GPU NUMA ID`. A legend of levels follows, then `NIC Legend:` with the names of the NICs. Some
//! releases underline the header with escape sequences.

use nearfar_machine::DeviceKind;
use thiserror::Error;

use crate::document::Device;
use crate::level::Level;

/// More devices than a machine has.
const MOST_DEVICES: usize = 1024;

/// Levels of pairs as `nvidia-smi` reports them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SmiMatrix {
    /// Names of the rows: `GPU0`, `NIC0`, in older releases `mlx5_0`.
    pub rows: Vec<String>,
    /// A row for each name, a level for each column; `None` for words that are no level.
    pub levels: Vec<Vec<Option<Level>>>,
    /// Names of NICs by their label.
    pub nics: Vec<(String, String)>,
}

/// The text has no matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NotAMatrix {
    /// No line begins with a device.
    #[error("no line begins with GPU0 or a network card: give the output of nvidia-smi topo -m")]
    NoRows,
    /// Rows and columns differ.
    #[error("{rows} rows, but {columns} columns of devices")]
    NotSquare {
        /// Rows.
        rows: usize,
        /// Columns.
        columns: usize,
    },
    /// A device is not itself.
    #[error("the diagonal is not X")]
    NoDiagonal,
    /// More devices than a machine has.
    #[error("more than {MOST_DEVICES} devices")]
    TooMany,
}

impl SmiMatrix {
    /// Parses the output.
    ///
    /// # Errors
    ///
    /// [`NotAMatrix`].
    pub fn parse(text: &str) -> Result<Self, NotAMatrix> {
        let text = without_escapes(text);
        let mut lines = text.lines();
        let header = lines.by_ref().find(|line| line.starts_with('\t') || line.starts_with(' '));
        let header = header.unwrap_or_default();
        let columns: Vec<&str> = cells(header)
            .filter(|name| !name.is_empty())
            .take_while(|name| is_device(name))
            .collect();
        if columns.is_empty() {
            return Err(NotAMatrix::NoRows);
        }
        if columns.len() > MOST_DEVICES {
            return Err(NotAMatrix::TooMany);
        }
        let (mut rows, mut levels) = (Vec::new(), Vec::new());
        for line in lines.by_ref().take_while(|line| !line.trim().is_empty()) {
            let mut of = cells(line);
            let Some(name) = of.next().filter(|name| is_device(name)) else { break };
            rows.push(name.to_owned());
            levels.push(of.take(columns.len()).map(Level::of_smi).collect::<Vec<_>>());
        }
        let ragged = levels.iter().any(|row| row.len() != columns.len());
        if rows.len() != columns.len() || ragged {
            return Err(NotAMatrix::NotSquare { rows: rows.len(), columns: columns.len() });
        }
        let is_own = |(place, row): (usize, &Vec<_>)| row[place] == Some(Level::Same);
        if !levels.iter().enumerate().all(is_own) {
            return Err(NotAMatrix::NoDiagonal);
        }
        let nics = lines.filter_map(|line| {
            let (label, name) = line.trim().split_once(": ")?;
            label.starts_with("NIC").then(|| (label.to_owned(), name.trim().to_owned()))
        });
        Ok(Self { rows, levels, nics: nics.collect() })
    }

    /// The place of a row's device in a list: NICs by their name, GPUs by the order of addresses,
    /// in which `nvidia-smi` counts those of NVIDIA.
    pub(crate) fn place(&self, row: &str, devices: &[&Device]) -> Option<usize> {
        let named = self.nics.iter().find(|(label, _)| label == row).map(|(_, name)| name.as_str());
        if let Some(number) = row.strip_prefix("GPU") {
            let number: usize = number.parse().ok()?;
            let gpus: Vec<usize> =
                (0..devices.len()).filter(|&place| is_nvidia_gpu(devices[place])).collect();
            // In a container it may show some of the GPUs: which ones is unknown.
            let rows = self.rows.iter().filter(|row| row.starts_with("GPU")).count();
            return gpus.get(number).copied().filter(|_| gpus.len() == rows);
        }
        let name = named.unwrap_or(row);
        devices.iter().position(|device| device.names.iter().any(|one| one == name))
    }
}

/// "GPU0", "NIC0", "mlx5_0".
fn is_device(name: &str) -> bool {
    let is_word = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    is_word && (name.starts_with("GPU") || name.starts_with("NIC") || name.contains('_'))
}

fn is_nvidia_gpu(device: &Device) -> bool {
    let is_nvidias = device.id.as_deref().is_some_and(|id| id.starts_with("10de:"));
    // GPUs of other drivers, such as vfio-pci, are not shown.
    let is_shown = device.driver.as_deref().is_none_or(|driver| driver == "nvidia");
    device.kind == DeviceKind::Gpu && is_nvidias && is_shown
}

/// The cells of a line. Old releases align with blanks.
fn cells(line: &str) -> impl Iterator<Item = &str> {
    let by_tabs = line.contains('\t');
    line.split(move |c: char| if by_tabs { c == '\t' } else { c == ' ' })
        .map(str::trim)
        .filter(move |cell| by_tabs || !cell.is_empty())
}

/// The text without escape sequences of a terminal.
fn without_escapes(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if c == '\u{1b}' && rest.peek() == Some(&'[') {
            rest.next();
            while rest.next_if(|c| !c.is_ascii_alphabetic()).is_some() {}
            rest.next();
        } else {
            kept.push(c);
        }
    }
    kept
}

#[cfg(test)]
mod tests;
