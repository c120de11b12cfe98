//! Core-to-core costs from CSV: what `nearfar core-to-core --csv` writes, or a bare matrix of
//! another tool.

use std::collections::BTreeSet;

use nearfar_infer::core_to_core::{HandoffCost, PairCost, who_shares};
use nearfar_model::{CpuId, CpuSet, PlaceLabel, is_cost};
use nearfar_survey::{
    CoreToCore, ExchangeTreatment, Matrix, MatrixCell, MatrixColumn, MatrixRow, NoMatrix,
    PairMatrix, Structure, Treatment, TreatmentMatrix,
};

use super::SurveyPictures;
use super::options::PictureOptions;
use super::scale::scale_each;
use crate::instruments::core_to_core::picture::{MAX_WITH_TEXTS, draw, draw_costs};

/// The title of a matrix whose exchange is unknown.
const UNKNOWN_EXCHANGE: &str = "Core to core";

/// One pair, measured one way.
struct TablePair {
    cpus: [CpuId; 2],
    exchange: ExchangeTreatment,
    median_ns: f64,
    ci95: Option<[f64; 2]>,
    samples: usize,
}

/// The maps of a table of core-to-core costs.
pub fn core_to_core(text: &str) -> Result<SurveyPictures, NoMatrix> {
    let (pairs, matrix) = match own_table(text) {
        Some(pairs) => {
            let matrix = matrix_of(&pairs);
            (pairs, matrix)
        }
        None => {
            let matrix = PairMatrix::parse(text)?;
            if matrix.cpus.len() > MAX_WITH_TEXTS {
                let drawn = draw_costs(
                    &part_of(vec![unknown_exchange()], Vec::new(), &matrix),
                    &matrix.costs,
                );
                return Ok(finished(drawn, &matrix));
            }
            (pairs_of(&matrix), matrix)
        }
    };
    if pairs.is_empty() {
        return Err(NoMatrix::NoNumbers);
    }
    let drawn = draw(&part(pairs, &matrix), &PictureOptions { changes: None, seed: 0 });
    Ok(finished(drawn, &matrix))
}

fn finished(mut drawn: SurveyPictures, matrix: &PairMatrix) -> SurveyPictures {
    scale_each(drawn.pictures.iter_mut());
    drawn.notes.extend(left_out(matrix));
    drawn
}

fn unknown_exchange() -> ExchangeTreatment {
    ExchangeTreatment { state: UNKNOWN_EXCHANGE.to_owned(), home: "any".to_owned() }
}

/// Records under nearfar's own header, also among those of other parts; none of another text.
fn own_table(text: &str) -> Option<Vec<TablePair>> {
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    let mut header: Option<Vec<String>> = None;
    let mut pairs = Vec::new();
    let mut is_own = false;
    for record in reader.records() {
        let record = record.ok()?;
        if record.iter().any(|field| field == "row") {
            let names: Vec<String> = record.iter().map(str::to_owned).collect();
            let needed = ["column", "state", "home", "median_ns"];
            header =
                needed.iter().all(|name| names.iter().any(|known| known == name)).then_some(names);
            is_own |= header.is_some();
        } else if let Some(names) = &header {
            pairs.extend(table_pair(names, &record));
        }
    }
    is_own.then_some(pairs)
}

/// The pair of a record; none where it has no cost.
fn table_pair(names: &[String], record: &csv::StringRecord) -> Option<TablePair> {
    let field = |name: &str| record.get(names.iter().position(|known| known == name)?);
    let number = |name: &str| field(name)?.parse::<f64>().ok().filter(|value| is_cost(*value));
    let cpu = |name: &str| match PlaceLabel::parse(field(name)?) {
        Some(PlaceLabel::Cpu(cpu)) => Some(cpu),
        _ => None,
    };
    let cost = HandoffCost { median_ns: number("median_ns")?, relative_se: 0.0 };
    Some(TablePair {
        cpus: [cpu("row")?, cpu("column")?],
        exchange: ExchangeTreatment {
            state: field("state")?.to_owned(),
            home: field("home")?.to_owned(),
        },
        median_ns: cost.is_sound().then_some(cost.median_ns)?,
        ci95: number("ci95_low_ns").zip(number("ci95_high_ns")).map(|(low, high)| [low, high]),
        samples: field("samples").and_then(|samples| samples.parse().ok()).unwrap_or_default(),
    })
}

/// The costs by which CPUs are ordered: those of the first exchange.
fn matrix_of(pairs: &[TablePair]) -> PairMatrix {
    let cpus: BTreeSet<CpuId> = pairs.iter().flat_map(|pair| pair.cpus).collect();
    let cpus: Vec<CpuId> = cpus.into_iter().collect();
    let first = pairs.first().map(|pair| &pair.exchange);
    let same = pairs.iter().filter(|pair| Some(&pair.exchange) == first);
    let costs = same.filter_map(|pair| {
        let [a, b] = pair.cpus.map(|cpu| cpus.binary_search(&cpu).ok());
        let cost = HandoffCost { median_ns: pair.median_ns, relative_se: 0.0 };
        Some(PairCost { cpus: (a?, b?), cost })
    });
    let costs = costs.filter(|pair| pair.cpus.0 != pair.cpus.1).collect();
    PairMatrix { cpus, costs, skipped_lines: 0, unreadable_cells: 0 }
}

fn pairs_of(matrix: &PairMatrix) -> Vec<TablePair> {
    let exchange = unknown_exchange();
    let pair = |pair: &PairCost| TablePair {
        cpus: [matrix.cpus[pair.cpus.0], matrix.cpus[pair.cpus.1]],
        exchange: exchange.clone(),
        median_ns: pair.cost.median_ns,
        ci95: None,
        samples: 0,
    };
    matrix.costs.iter().map(pair).collect()
}

/// The table as a survey would have it.
fn part(pairs: Vec<TablePair>, matrix: &PairMatrix) -> CoreToCore {
    let mut treatments: Vec<ExchangeTreatment> = Vec::new();
    for pair in &pairs {
        if !treatments.contains(&pair.exchange) {
            treatments.push(pair.exchange.clone());
        }
    }
    let index = |cpu: &CpuId| matrix.cpus.binary_search(cpu).unwrap_or_default();
    let cell = |pair: TablePair| MatrixCell {
        row: index(&pair.cpus[0]),
        column: index(&pair.cpus[1]),
        cpus: pair.cpus.into_iter().collect(),
        treatment: pair.exchange,
        median: Some(pair.median_ns),
        ci95: pair.ci95,
        samples: pair.samples,
        ..MatrixCell::default()
    };
    part_of(treatments, pairs.into_iter().map(cell).collect(), matrix)
}

/// The part of these cells, with the structure that all costs show.
fn part_of(
    treatments: Vec<ExchangeTreatment>,
    cells: Vec<MatrixCell<ExchangeTreatment>>,
    matrix: &PairMatrix,
) -> CoreToCore {
    let found = who_shares(&matrix.costs, matrix.cpus.len(), None);
    let structure = Structure::new(matrix, &found, None);
    let label = |cpu: &CpuId| PlaceLabel::Cpu(*cpu).to_string();
    let row = |cpu: &CpuId| MatrixRow {
        label: label(cpu),
        cpus: CpuSet::from_id(*cpu),
        node: None,
        ghz: None,
        drift: None,
    };
    let column =
        |cpu: &CpuId| MatrixColumn { label: label(cpu), node: None, pages: 0, backing: None };
    CoreToCore {
        part: TreatmentMatrix {
            matrix: Matrix {
                probe: ExchangeTreatment::INSTRUMENT.name().to_owned(),
                unit: ExchangeTreatment::UNIT,
                rows: matrix.cpus.iter().map(row).collect(),
                columns: matrix.cpus.iter().map(column).collect(),
                cells,
            },
            treatments,
            samples: None,
        },
        structure: structure.groups,
        contradictions: Vec::new(),
        classes: structure.classes,
        measured_pairs: structure.measured_pairs,
        all_pairs: structure.all_pairs,
        checks: 0,
        wrong_pairs_below: None,
        not_measured: std::collections::BTreeMap::new(),
        undetermined: Vec::new(),
    }
}

/// What the file holds beside numbers.
fn left_out(matrix: &PairMatrix) -> Option<String> {
    let (lines, cells) = (matrix.skipped_lines, matrix.unreadable_cells);
    (lines + cells > 0).then(|| {
        format!("Left out: lines that are no row ({lines}), cells without a cost ({cells}).")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instruments::PartView;

    /// Two cores of two CPUs, as core-to-core-latency writes them.
    const TRIANGLE: &str = ",,,\n10.1,,,\n50.2,51.0,,\n50.9,50.4,10.3,\n";

    #[test]
    fn a_bare_triangle_is_a_symmetric_map() {
        let drawn = core_to_core(TRIANGLE).unwrap();
        let [one] = &drawn.pictures[..] else { panic!("{drawn:?}") };
        let heading = one.picture().heading();
        assert_eq!(heading.title, "Core to core, ns");
        assert!(heading.description().contains("6 of 6 pairs"), "{heading:?}");
        let rows = one.picture().table().rows;
        assert_eq!(rows[0][1..], ["–", "10.1", "50.2", "50.9"].map(str::to_owned));
        assert_eq!(rows[3][1..], ["50.9", "50.4", "10.3", "–"].map(str::to_owned));
        assert_eq!(drawn.notes, Vec::<String>::new());
    }

    #[test]
    fn an_own_table_keeps_exchanges_and_intervals() {
        let survey = include_str!("../../tests/golden/several.json");
        let survey: nearfar_survey::Survey = serde_json::from_str(survey).unwrap();
        let pairs = survey.core_to_core.unwrap();
        let table = || pairs.csv().pop().expect("one table");
        for text in [
            table().text(),
            table().text_of_part("core-to-core"),
            format!("row,column,sizes\na,b,3\n{}", table().text()),
        ] {
            let drawn = core_to_core(&text).unwrap();
            let expected = draw(&pairs, &PictureOptions { changes: None, seed: 0 });
            let titles = |all: &SurveyPictures| -> Vec<String> {
                all.pictures
                    .iter()
                    .map(|picture| picture.picture().heading().title.clone())
                    .collect()
            };
            assert_eq!(titles(&drawn), titles(&expected));
            let tables = drawn.pictures.iter().zip(&expected.pictures);
            for (table, expected) in tables {
                assert_eq!(table.picture().table(), expected.picture().table());
            }
        }
    }

    #[test]
    fn text_without_numbers_is_refused() {
        for text in ["", "hello\n", "row,column,state,home,median_ns\nCPU 0,CPU 1,x,any,\n"] {
            assert!(core_to_core(text).is_err(), "{text:?}");
        }
        let drawn = core_to_core("title\n,,\n10,,\n50,oops,\n").unwrap();
        assert_eq!(drawn.notes, ["Left out: lines that are no row (1), cells without a cost (1)."]);
    }
}
