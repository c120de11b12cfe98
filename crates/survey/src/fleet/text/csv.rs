//! A fleet for a spreadsheet: a line for each machine and cell.

use std::collections::HashMap;

use nearfar_view::text::csv_text::under;
use nearfar_view::text::{ends, or_empty};

use crate::fleet::text::figure_of;
use crate::fleet::{FleetCellName, FleetDirection, FleetDocument, FleetFinding};

/// Every cell of every machine; the last columns are those of outliers.
pub fn csv(fleet: &FleetDocument) -> String {
    const HEADER: &str = "group,machine,instrument,unit,row,column,treatment,figure,center,spread,\
                          ratio,ci95_low,ci95_high,p,q,outlier,other_cells";
    let found: HashMap<(&str, &FleetCellName), &FleetFinding> = fleet
        .findings
        .iter()
        .map(|finding| ((&*finding.machine, &finding.cell), finding))
        .collect();
    let records = (1..).zip(&fleet.groups).flat_map(|(number, group): (usize, _)| {
        let found = &found;
        group.machines.iter().flat_map(move |machine| {
            let cells = group.cells.iter().zip(&machine.ratios);
            cells.enumerate().filter_map(move |(at, (cell, ratio))| {
                let (ratio, center) = ((*ratio)?, group.center(machine, at)?);
                let name = &cell.name;
                let finding = found.get(&(&*machine.name, name)).copied();
                let [low, high] = ends(finding.map(|finding| finding.ci95));
                let with: Vec<String> =
                    name.treatment.iter().map(|(name, value)| format!("{name}={value}")).collect();
                Some([
                    number.to_string(),
                    machine.name.clone(),
                    name.instrument.clone(),
                    name.unit.to_string(),
                    name.row.clone(),
                    name.column.clone(),
                    with.join(" "),
                    or_empty(
                        finding.map_or(Some(figure_of(name.unit, center, ratio)), |finding| {
                            finding.figure
                        }),
                    ),
                    center.to_string(),
                    or_empty(cell.spread),
                    ratio.to_string(),
                    low,
                    high,
                    or_empty(finding.map(|finding| finding.p)),
                    or_empty(finding.map(|finding| finding.q)),
                    or_empty(finding.map(|finding| match finding.direction {
                        FleetDirection::Slower => "slower",
                        FleetDirection::Faster => "faster",
                    })),
                    or_empty(finding.and_then(|finding| finding.other_cells)),
                ])
            })
        })
    });
    under(HEADER, records)
}
