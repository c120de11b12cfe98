//! The output of `nvidia-smi topo -m`, with levels.

use nearfar_machine::{DeviceKind, SmiTable};
pub use nearfar_machine::{NotAMatrix, SmiPlace};

use crate::document::Device;
use crate::level::Level;

/// Levels of pairs as `nvidia-smi` reports them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SmiMatrix {
    /// Names of the rows: `GPU0`, `NIC0`, in older releases `mlx5_0`.
    pub rows: Vec<String>,
    /// A row for each name, a level for each column; `None` for words that are no level.
    pub levels: Vec<Vec<Option<Level>>>,
    /// Where each row's device is.
    pub places: Vec<SmiPlace>,
    /// Names of NICs by their label.
    pub nics: Vec<(String, String)>,
}

impl SmiMatrix {
    /// Parses the output.
    ///
    /// # Errors
    ///
    /// [`NotAMatrix`]: of several lines that may be a header, why the longest matrix is none.
    pub fn parse(text: &str) -> Result<Self, NotAMatrix> {
        Ok(Self::of_table(SmiTable::parse(text)?))
    }

    fn of_table(table: SmiTable) -> Self {
        let levels = |row: &Vec<String>| row.iter().map(|word| Level::from_smi(word)).collect();
        Self {
            levels: table.cells.iter().map(levels).collect(),
            rows: table.rows,
            places: table.places,
            nics: table.nics,
        }
    }

    /// Its number of GPUs.
    pub(crate) fn gpus(&self) -> usize {
        self.rows.iter().filter(|row| is_numbered(row, "GPU")).count()
    }

    /// The place of a row's device in a list: NICs by their name, GPUs by the order of addresses,
    /// in which `nvidia-smi` counts those of NVIDIA.
    pub(crate) fn place(&self, row: &str, devices: &[&Device]) -> Option<usize> {
        if let Some(number) = row.strip_prefix("GPU") {
            return shown_gpus(devices).nth(number.parse().ok()?);
        }
        let named = self.nics.iter().find(|(label, _)| label == row).map(|(_, name)| name.as_str());
        let name = named.unwrap_or(row);
        devices.iter().position(|device| device.names.iter().any(|one| one == name))
    }
}

/// The GPUs that `nvidia-smi` shows outside of containers.
pub(crate) fn shown_gpus(devices: &[&Device]) -> impl Iterator<Item = usize> {
    let is_shown = |device: &Device| {
        let is_nvidias = device.id.as_deref().is_some_and(|id| id.starts_with("10de:"));
        // GPUs of other drivers, such as vfio-pci, are not shown.
        let has_driver = device.driver.as_deref().is_none_or(|driver| driver == "nvidia");
        device.kind == DeviceKind::Gpu && is_nvidias && has_driver
    };
    (0..devices.len()).filter(move |&place| is_shown(devices[place]))
}

fn is_numbered(name: &str, kind: &str) -> bool {
    name.strip_prefix(kind).is_some_and(|number| number.parse::<u32>().is_ok())
}

#[cfg(test)]
mod tests;
