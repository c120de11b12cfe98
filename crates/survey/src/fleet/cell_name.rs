//! Which cell a figure is of: by names, never by index.

use std::collections::BTreeMap;
use std::fmt;

use nearfar_model::Unit;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A cell of an instrument's table, the same in each machine of a shape.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
pub struct FleetCellName {
    /// The instrument.
    pub instrument: String,
    /// The loop that ran. Figures of different loops are not compared.
    pub probe: String,
    /// The unit of figures.
    #[schemars(with = "String")]
    pub unit: Unit,
    /// The row's label: who reads. "all CPUs" is the geometric mean over all rows.
    pub row: String,
    /// The column's label: what is read.
    pub column: String,
    /// What the cell was visited with.
    pub treatment: BTreeMap<String, String>,
}

/// The row's label of a mean over all rows.
const ALL_ROWS: &str = "all CPUs";

impl FleetCellName {
    /// The name of the mean over all rows.
    pub(crate) fn for_all_rows(&self) -> Self {
        Self { row: ALL_ROWS.to_owned(), ..self.clone() }
    }

    /// Whether it is a mean over all rows.
    pub fn is_of_all_rows(&self) -> bool {
        self.row == ALL_ROWS
    }

    /// Cells with the same one are of one table.
    pub(crate) fn table(&self) -> (&str, &str, Unit) {
        (&self.instrument, &self.probe, self.unit)
    }
}

impl fmt::Display for FleetCellName {
    /// "node 0 to node 1, read, threads 4".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} to {}", self.row, self.column)?;
        for (name, value) in &self.treatment {
            match value.parse::<f64>() {
                Ok(_) => write!(f, ", {} {value}", name.replace('_', " "))?,
                Err(_) if name == "aggressors" => write!(f, ", load from {value}")?,
                Err(_) if name == "aggressors_column" => write!(f, " to {value}")?,
                Err(_) => write!(f, ", {value}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn treatments_are_part_of_the_name() {
        let treatment = [("kernel", "read"), ("threads", "4")];
        let name = FleetCellName {
            instrument: "bandwidth".to_owned(),
            probe: "bandwidth".to_owned(),
            unit: Unit::BytesPerSecond,
            row: "node 0".to_owned(),
            column: "node 1".to_owned(),
            treatment: treatment.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
        };
        assert_eq!(name.to_string(), "node 0 to node 1, read, threads 4");
    }
}
