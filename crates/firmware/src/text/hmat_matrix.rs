//! One matrix of the HMAT: as Linux reads it, and as it is written where that differs.

use crate::acpi::{Locality, LocalityData};

use super::fields::or_dash;
use super::matrix;

const NO_VALUE: [u16; 2] = [0, u16::MAX];

pub(super) fn text(locality: &Locality, offset: usize) -> String {
    let memory = match locality.hierarchy {
        0 => "memory".to_owned(),
        level => format!("memory-side cache {level}"),
    };
    let title = format!("{} of {memory}, in {}", name(locality), unit(locality));
    let mut text = format!("{title} (offset {offset}; rows initiators, columns memory)\n");
    if locality.initiators.is_empty() || locality.targets.is_empty() {
        return text + "it has no cell\n";
    }
    if locality.data() != LocalityData::Unknown {
        text += &cells(locality, |row, column| or_dash(locality.value(row, column)));
    }
    if differs(locality) {
        let unit = format!("{} {}", locality.base_unit, written_unit(locality));
        text += &format!("as written, to be multiplied by {}\n", unit.trim_end());
        text += &cells(locality, |row, column| {
            locality.raw(row, column).unwrap_or_default().to_string()
        });
    }
    text
}

fn cells(locality: &Locality, cell: impl Fn(usize, usize) -> String) -> String {
    let columns = locality.targets.iter().map(ToString::to_string);
    let row = |row| (0..locality.targets.len()).map(|column| cell(row, column)).collect();
    let rows =
        locality.initiators.iter().enumerate().map(|(at, domain)| (domain.to_string(), row(at)));
    matrix::text("domain", columns, rows)
}

/// Whether an entry with information needs a unit to be read.
fn differs(locality: &Locality) -> bool {
    let cells = locality.rows().enumerate().flat_map(|(row, cells)| {
        cells.iter().enumerate().map(move |(column, &raw)| (raw, locality.value(row, column)))
    });
    cells.filter(|(raw, _)| !NO_VALUE.contains(raw)).any(|(raw, value)| value != Some(raw.into()))
}

fn name(locality: &Locality) -> String {
    let name = match locality.data() {
        LocalityData::AccessLatency => "Latency",
        LocalityData::ReadLatency => "Read latency",
        LocalityData::WriteLatency => "Write latency",
        LocalityData::AccessBandwidth => "Bandwidth",
        LocalityData::ReadBandwidth => "Read bandwidth",
        LocalityData::WriteBandwidth => "Write bandwidth",
        LocalityData::Unknown => {
            return format!("Something unknown (data type {})", locality.data_type);
        }
    };
    name.to_owned()
}

fn unit(locality: &Locality) -> &'static str {
    match locality.data() {
        LocalityData::Unknown => "an unknown unit",
        data if data.is_latency() => "ns as Linux reads it",
        _ => "MB/s as Linux reads it",
    }
}

fn written_unit(locality: &Locality) -> &'static str {
    match (locality.revision, locality.data()) {
        (_, LocalityData::Unknown) => "",
        (1, data) if data.is_latency() => "tenths of a ns",
        (1, _) => "tenths of a MB/s",
        (_, data) if data.is_latency() => "ps",
        _ => "MB/s",
    }
}
