//! Surveys and findings, appended to tables.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use nearfar_view::owned_files::{Folder, IfExists, WholeFile};

use crate::fleet::naming::{names, sources};
use crate::fleet::one_document::StableHash;
use crate::fleet::survey_figures::figure_of_cost;
use crate::fleet::surveys::{FleetSurvey, Settings};
use crate::fleet::tables::read::known_surveys;
use crate::fleet::tables::{
    CELLS, CellWords, DAY, FINDINGS, MACHINES, NO_DAY, RUNS, SETTINGS, Table, TableError, files_of,
    json, survey_name,
};
use crate::fleet::{FleetDirection, FleetDocument, FleetSurveys};
use crate::parquet::{ParquetWriter, Value};

type Rows = ParquetWriter<BufWriter<File>>;

/// What was appended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AppendedSurveys {
    /// Surveys that are new to the tables.
    pub new: usize,
    /// Surveys that were there.
    pub known: usize,
}

/// A survey with its machine's name and its source.
struct NamedSurvey<'s> {
    survey: &'s FleetSurvey,
    name: String,
    machine: &'s str,
    source: &'s str,
}

impl FleetSurveys {
    /// Appends surveys that the tables do not have yet, a part for each day.
    ///
    /// # Errors
    ///
    /// A file cannot be written. Parts that were written before it stay; the rest is new the next
    /// time.
    pub fn append_tables(&self, folder: &Path) -> Result<AppendedSurveys, TableError> {
        let (machines, sources) = (names(&self.surveys), sources(&self.surveys));
        let mut days: BTreeMap<String, Vec<NamedSurvey<'_>>> = BTreeMap::new();
        for ((survey, machine), source) in self.surveys.iter().zip(&machines).zip(&sources) {
            let name = survey_name(survey.bytes);
            let named = NamedSurvey { survey, name, machine, source };
            days.entry(day_of(survey)).or_default().push(named);
        }
        let mut appended = AppendedSurveys::default();
        for (day, mut surveys) in days {
            let known = known_in(&folder.join(MACHINES.folder).join(format!("{DAY}{day}")));
            surveys.sort_by(|one, other| one.name.cmp(&other.name));
            surveys.dedup_by(|one, other| one.name == other.name);
            let all = surveys.len();
            surveys.retain(|survey| !known.contains(&survey.name));
            appended.known += all - surveys.len();
            appended.new += surveys.len();
            surveys.sort_by_key(|one| (one.survey.place.number, one.survey.line));
            if !surveys.is_empty() {
                self.write_part(folder, &day, &surveys)?;
            }
        }
        Ok(appended)
    }

    fn write_part(
        &self,
        folder: &Path,
        day: &str,
        surveys: &[NamedSurvey<'_>],
    ) -> Result<(), TableError> {
        let mut hash = StableHash::default();
        let mut sets: HashMap<*const Settings, i64> = HashMap::new();
        let mut of_sets: Vec<&Settings> = Vec::new();
        // All writers of this part number them alike, in whichever order they have the surveys.
        let mut by_name: Vec<&NamedSurvey<'_>> = surveys.iter().collect();
        by_name.sort_by(|one, other| one.name.cmp(&other.name));
        by_name.iter().for_each(|one| hash.write(one.name.as_bytes()));
        let part = format!("{:016x}", hash.finish());
        let write = |table, rows: &dyn Fn(&mut Rows) -> io::Result<()>| {
            write_table(table, folder, day, &part, rows)
        };
        for one in by_name {
            let settings = &one.survey.statements;
            sets.entry(Arc::as_ptr(settings)).or_insert_with(|| {
                of_sets.push(settings);
                i64::try_from(of_sets.len()).unwrap_or(i64::MAX)
            });
        }
        write(&CELLS, &|rows| surveys.iter().try_for_each(|one| self.cells(&part, one, rows)))?;
        write(&SETTINGS, &|rows| {
            (1..).zip(&of_sets).try_for_each(|(set, of)| self.settings(&part, set, of, rows))
        })?;
        write(&MACHINES, &|rows| {
            surveys.iter().try_for_each(|one| {
                machine(&part, one, sets[&Arc::as_ptr(&one.survey.statements)], rows)
            })
        })
    }

    fn cells(&self, part: &str, of: &NamedSurvey<'_>, rows: &mut Rows) -> io::Result<()> {
        for (number, figure) in &of.survey.figures {
            let cell = self.cells.name(*number);
            let words = CellWords::new(cell);
            rows.row([
                Value::Text(part),
                Value::Text(&of.name),
                Value::Text(&cell.instrument),
                Value::Text(&cell.probe),
                Value::Text(&words.unit),
                Value::Text(&cell.row),
                Value::Text(&cell.column),
                Value::Text(&words.treatment),
                Value::Real(figure_of_cost(cell.unit, figure.log)),
                Value::Real(figure.log),
                Value::Real(figure.error),
            ])?;
        }
        Ok(())
    }

    fn settings(&self, part: &str, set: i64, of: &Settings, rows: &mut Rows) -> io::Result<()> {
        of.iter().try_for_each(|(setting, value)| {
            let value = value.map(|value| self.texts.name(value).as_str());
            rows.row([
                Value::Text(part),
                Value::Integer(set),
                Value::Text(self.texts.name(*setting)),
                Value::text(value),
            ])
        })
    }
}

fn machine(part: &str, of: &NamedSurvey<'_>, set: i64, rows: &mut Rows) -> io::Result<()> {
    let (survey, shape) = (of.survey, &of.survey.shape);
    let memory = shape.memory_bytes.and_then(|bytes| i64::try_from(bytes.0).ok());
    rows.row([
        Value::Text(part),
        Value::Text(&of.name),
        Value::Text(of.machine),
        Value::text(survey.host.as_deref()),
        Value::Text(of.source),
        Value::Text(&survey.started),
        Value::Integer(i64::from(survey.is_guest)),
        Value::Text(&shape.model),
        Value::count(shape.packages),
        Value::count(shape.nodes),
        Value::count(shape.cpus),
        memory.map_or(Value::None, Value::Integer),
        Value::Text(&json(&shape.node_cpus)),
        Value::Integer(set),
        Value::text(survey.board.as_deref()),
        Value::real(survey.duration_s),
    ])
}

/// Appends what a run found: each outlier, and the run.
///
/// # Errors
///
/// A file cannot be written.
pub fn append_findings(
    folder: &Path,
    fleet: &FleetDocument,
    appended: AppendedSurveys,
    now: Timestamp,
) -> Result<(), TableError> {
    let run = format!("{}-{:08x}", now.strftime("%Y%m%dT%H%M%SZ"), fastrand::u32(..));
    let day = now.strftime("%Y-%m-%d").to_string();
    let judged = now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    let findings = |rows: &mut Rows| {
        fleet.findings.iter().try_for_each(|finding| {
            let words = CellWords::new(&finding.cell);
            let slower = finding.direction == FleetDirection::Slower;
            rows.row([
                Value::Text(&run),
                Value::Text(&judged),
                Value::Text(&finding.machine),
                Value::count(finding.group + 1),
                Value::Text(&finding.cell.instrument),
                Value::Text(&finding.cell.probe),
                Value::Text(&words.unit),
                Value::Text(&finding.cell.row),
                Value::Text(&finding.cell.column),
                Value::Text(&words.treatment),
                Value::Text(if slower { "slower" } else { "faster" }),
                Value::real(finding.figure),
                Value::Real(finding.ratio),
                Value::Real(finding.ci95[0]),
                Value::Real(finding.ci95[1]),
                Value::Real(finding.p),
                Value::Real(finding.q),
            ])
        })
    };
    write_table(&FINDINGS, folder, &day, &run, &findings)?;
    write_table(&RUNS, folder, &day, &run, &|rows| {
        rows.row([
            Value::Text(&run),
            Value::Text(&judged),
            Value::count(fleet.machines().count()),
            Value::count(appended.new),
            Value::count(fleet.findings.len()),
            Value::Real(fleet.floor),
        ])
    })
}

fn day_of(survey: &FleetSurvey) -> String {
    survey.began.map_or(NO_DAY.to_owned(), |time| time.strftime("%Y-%m-%d").to_string())
}

/// Surveys that a day of the tables has. A part without a file, or with one that is no table, has
/// none: its surveys are written again.
fn known_in(day: &Path) -> HashSet<String> {
    let files = files_of(day).unwrap_or_default();
    files.iter().flat_map(|file| known_surveys(file).unwrap_or_default()).collect()
}

fn write_table(
    table: &Table,
    folder: &Path,
    day: &str,
    name: &str,
    rows: &dyn Fn(&mut Rows) -> io::Result<()>,
) -> Result<(), TableError> {
    let folder = folder.join(table.folder).join(format!("{DAY}{day}"));
    Folder::create(&folder)
        .map_err(|source| TableError::Folder { path: folder.clone(), source })?;
    let path = folder.join(format!("{name}.parquet"));
    write_file(table, &path, rows).map_err(|source| TableError::File { path, source })
}

fn write_file(
    table: &Table,
    path: &Path,
    rows: &dyn Fn(&mut Rows) -> io::Result<()>,
) -> io::Result<()> {
    // A part of this name has the same surveys.
    let mut file = WholeFile::create(path, IfExists::Replace)?;
    let out = BufWriter::new(file.file().try_clone()?);
    let mut writer = ParquetWriter::new(out, table.schema, table.columns)?;
    rows(&mut writer)?;
    writer.finish()?.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.keep()?;
    Ok(())
}
