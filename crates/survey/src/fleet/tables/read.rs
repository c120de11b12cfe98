//! Parts of tables, read back as the surveys that they were.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use nearfar_infer::fleet::FleetFigure;
use nearfar_model::Bytes;

use crate::fleet::one_document::DocumentBytes;
use crate::fleet::surveys::{FleetSurvey, Settings, read_time};
use crate::fleet::tables::{
    CELLS, FINDINGS, MACHINES, MAX_BYTES, RUNS, SETTINGS, Table, cell_name, of_json, survey_of,
};
use crate::fleet::{DocumentFault, DocumentPlace, FleetShape, FleetSurveys};
use crate::parquet::{ColumnValues, ParquetFault, ParquetReader};

use nearfar_view::input::{Input, open_entry};

/// The place of the words among a cell's columns, and of its numbers.
const FIRST_WORD: usize = 2;
const COST_LOG: usize = 9;
const ERROR: usize = 10;

/// A file of a part that is not read.
struct PartFault {
    file: PathBuf,
    why: ParquetFault,
}

/// A row of the machines' table.
struct PartSurvey {
    bytes: DocumentBytes,
    machine: String,
    host: Option<String>,
    board: Option<String>,
    source: String,
    started: String,
    duration_s: Option<f64>,
    is_guest: bool,
    shape: FleetShape,
    setting_set: i64,
    figures: Vec<(u32, FleetFigure)>,
}

/// Adds the surveys of a part, or why it is not used. `machines` is the file of its machines, the
/// `number`th of the command.
pub(crate) fn read_part(number: usize, machines: &Path, surveys: &Mutex<FleetSurveys>) {
    if let Err(PartFault { file, why }) = read(number, machines, surveys) {
        let place = DocumentPlace { number, file: Arc::from(file.to_string_lossy()) };
        let fault = DocumentFault::Unreadable { why: why.to_string() };
        surveys.lock().unwrap_or_else(PoisonError::into_inner).skip(&place, None, fault);
    }
}

fn read(number: usize, file: &Path, surveys: &Mutex<FleetSurveys>) -> Result<(), PartFault> {
    let fault = |file: &Path| {
        let file = file.to_owned();
        move |why| PartFault { file, why }
    };
    let beside = |table: &Table| beside(file, table).ok_or(ParquetFault::Other);
    let cells = beside(&CELLS).map_err(fault(file))?;
    let settings = beside(&SETTINGS).map_err(fault(file))?;
    let mut found = part_surveys(file).map_err(fault(file))?;
    let sets = setting_sets(&settings, surveys).map_err(fault(&settings))?;
    read_cells(&cells, &mut found, surveys).map_err(fault(&cells))?;
    let mut all = surveys.lock().unwrap_or_else(PoisonError::into_inner);
    let shared = |(set, of)| (set, all.shared_settings(of));
    let sets: HashMap<i64, Arc<Settings>> = sets.into_iter().map(shared).collect();
    for (row, survey) in found.into_iter().enumerate() {
        let place = DocumentPlace { number: number + row, file: Arc::from(&*survey.source) };
        if survey.figures.is_empty() {
            all.skip(&place, None, DocumentFault::NoFigure);
            continue;
        }
        let shape = all.shared_shape(survey.shape);
        let (started, began) = read_time(survey.started);
        all.surveys.push(FleetSurvey {
            place,
            line: 1,
            bytes: survey.bytes,
            kept_name: survey.host.is_none().then_some(survey.machine),
            host: survey.host,
            board: survey.board,
            is_guest: survey.is_guest,
            started,
            began,
            duration_s: survey.duration_s,
            built: None,
            shape,
            statements: sets.get(&survey.setting_set).map(Arc::clone).unwrap_or_default(),
            figures: survey.figures,
        });
    }
    Ok(())
}

/// The file of another table of the same part: `FOLDER/TABLE/DAY/PART`.
fn beside(machines: &Path, table: &Table) -> Option<PathBuf> {
    let (day, part) = (machines.parent()?, machines.file_name()?);
    let folder = day.parent()?.parent()?;
    Some(folder.join(table.folder).join(day.file_name()?).join(part))
}

fn open(file: &Path, table: &Table) -> Result<ParquetReader<Input>, ParquetFault> {
    ParquetReader::new(open_entry(file, MAX_BYTES)?, table.schema, table.columns)
}

/// Names of a part's surveys, if it has all of its files.
pub(super) fn known_surveys(machines: &Path) -> Result<Vec<String>, ParquetFault> {
    for table in [&CELLS, &SETTINGS] {
        open(&beside(machines, table).ok_or(ParquetFault::Other)?, table)?;
    }
    let columns = &MACHINES.columns[1..2];
    let table = ParquetReader::new(open_entry(machines, MAX_BYTES)?, MACHINES.schema, columns)?;
    let mut names = Vec::new();
    for group in 0..table.groups() {
        let (rows, columns) = table.group(group)?;
        names.extend((0..rows).filter_map(|row| columns[0].text(row).map(str::to_owned)));
    }
    Ok(names)
}

fn part_surveys(file: &Path) -> Result<Vec<PartSurvey>, ParquetFault> {
    let table = open(file, &MACHINES)?;
    let mut found = Vec::new();
    for group in 0..table.groups() {
        let (rows, columns) = table.group(group)?;
        for row in 0..rows {
            let survey = part_survey(&columns, row);
            found.push(survey.ok_or(ParquetFault::Damaged("a machine's row is not understood"))?);
        }
    }
    Ok(found)
}

fn part_survey(columns: &[ColumnValues], row: usize) -> Option<PartSurvey> {
    let [
        _,
        survey,
        machine,
        host,
        source,
        started,
        guest,
        model,
        packages,
        nodes,
        cpus,
        memory,
        of_nodes,
        set,
        board,
        duration,
    ] = columns
    else {
        return None;
    };
    let text = |column: &ColumnValues| column.text(row).map(str::to_owned);
    let count = |column: &ColumnValues| usize::try_from(column.integer(row)?).ok();
    let memory_bytes = match memory.integer(row) {
        Some(bytes) => Some(Bytes(u64::try_from(bytes).ok()?)),
        None => None,
    };
    Some(PartSurvey {
        bytes: survey_of(survey.text(row)?)?,
        machine: text(machine)?,
        host: text(host),
        board: text(board),
        source: text(source)?,
        started: text(started)?,
        duration_s: duration.real(row).filter(|it| it.is_finite() && *it > 0.0),
        is_guest: guest.integer(row)? != 0,
        shape: FleetShape {
            model: text(model)?,
            packages: count(packages)?,
            nodes: count(nodes)?,
            cpus: count(cpus)?,
            memory_bytes,
            node_cpus: of_json(of_nodes.text(row)?)?,
        },
        setting_set: set.integer(row)?,
        figures: Vec::new(),
    })
}

fn setting_sets(
    file: &Path,
    surveys: &Mutex<FleetSurveys>,
) -> Result<HashMap<i64, Settings>, ParquetFault> {
    let table = open(file, &SETTINGS)?;
    let mut sets: HashMap<i64, Settings> = HashMap::new();
    for group in 0..table.groups() {
        let (rows, columns) = table.group(group)?;
        let mut all = surveys.lock().unwrap_or_else(PoisonError::into_inner);
        let mut number = |text: &str| all.texts.number(text.to_owned());
        for row in 0..rows {
            let (Some(set), Some(name)) = (columns[1].integer(row), columns[2].text(row)) else {
                continue;
            };
            let setting = (number(name), columns[3].text(row).map(&mut number));
            sets.entry(set).or_default().push(setting);
        }
    }
    Ok(sets)
}

/// Reads figures of these surveys, in the order of the file.
fn read_cells(
    file: &Path,
    found: &mut [PartSurvey],
    surveys: &Mutex<FleetSurveys>,
) -> Result<(), ParquetFault> {
    let table = open(file, &CELLS)?;
    let key = |bytes: DocumentBytes| (bytes.hash, bytes.bytes);
    let by_name: HashMap<(u64, u64), usize> =
        found.iter().enumerate().map(|(at, survey)| (key(survey.bytes), at)).collect();
    for group in 0..table.groups() {
        let (rows, columns) = table.group(group)?;
        let ColumnValues::Text { words, .. } = &columns[1] else { continue };
        let survey_of_word: Vec<Option<usize>> =
            words.iter().map(|name| by_name.get(&key(survey_of(name)?)).copied()).collect();
        let mut cells: HashMap<[Option<u32>; 6], u32> = HashMap::new();
        for row in 0..rows {
            let survey = columns[1].word(row).and_then(|word| survey_of_word[word as usize]);
            let Some(survey) = survey else { continue };
            let words: [usize; 6] = std::array::from_fn(|word| FIRST_WORD + word);
            let cell = match cells.get(&words.map(|column| columns[column].word(row))) {
                Some(cell) => *cell,
                None => {
                    let name = cell_name(words.map(|column| columns[column].text(row)));
                    let name =
                        name.ok_or(ParquetFault::Damaged("a cell's row is not understood"))?;
                    let mut all = surveys.lock().unwrap_or_else(PoisonError::into_inner);
                    let cell = all.cells.number(name);
                    cells.insert(words.map(|column| columns[column].word(row)), cell);
                    cell
                }
            };
            let figure = columns[COST_LOG].real(row).zip(columns[ERROR].real(row));
            let figure = figure.map(|(log, error)| FleetFigure { log, error });
            let figure = figure.filter(|figure| figure.log.is_finite() && figure.error >= 0.0);
            let figure = figure.filter(|figure| figure.error.is_finite());
            found[survey]
                .figures
                .push((cell, figure.ok_or(ParquetFault::Damaged("a figure is no number"))?));
        }
    }
    Ok(())
}

/// How many rows a file of any of the tables has, all of them read.
///
/// # Errors
///
/// Why it is no table.
pub fn table_rows(bytes: &[u8]) -> Result<usize, String> {
    let mut fault = ParquetFault::Other;
    for table in [MACHINES, CELLS, SETTINGS, FINDINGS, RUNS] {
        let counted = ParquetReader::new(bytes, table.schema, table.columns).and_then(|table| {
            (0..table.groups()).try_fold(0, |rows, group| Ok(rows + table.group(group)?.0))
        });
        match counted {
            Ok(rows) => return Ok(rows),
            Err(foreign @ ParquetFault::Foreign { .. }) => fault = foreign,
            Err(other) => return Err(other.to_string()),
        }
    }
    Err(fault.to_string())
}
