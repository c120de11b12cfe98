//! The kinds of JSON documents that nearfar prints or keeps: the one list of them, each with its
//! schema.
//!
//! A schema is made of a document's type, by a test, and kept in `schema/`; the program contains
//! these files, compressed by `build.rs`: a tenth of the code that makes them.

use flate2::read::ZlibDecoder;
use nearfar_devices::irq::IrqDocument;
use nearfar_devices::irq_set::{IrqSetDocument, UndoNote};
use nearfar_devices::{DevicesDocument, irq};
use nearfar_diagnose::Diagnosis;
use nearfar_diagnose::doctor::{self, DoctorDocument};
use nearfar_live::Tick;
use nearfar_live::explain::{
    self, ExplainDocument, ForecastDocument, ObjectsDocument, ResponseDocument,
};
use nearfar_machine::guard::SettingNote;
use nearfar_machine::{FIRMWARE_SCHEMA, FirmwareDocument, MachineDocument};
use nearfar_process::launch::{
    Explanation, HARDWARE_SCHEMA, Hardware, SHOW_SCHEMA, ThreadPolicy, Translation, Watched,
};
use nearfar_process::moving::{MOVE_SCHEMA, MoveDocument};
use nearfar_process::{
    COUNTERS_SCHEMA, Counters, FILE_MOVE_SCHEMA, FileMoveDocument, LayoutNote, MIGRATION_SCHEMA,
    Migration, OBJECT_MOVE_SCHEMA, ObjectMoveDocument, PAGE_CACHE_SCHEMA, PageCacheDocument,
    WHERE_SCHEMA, WhereDocument,
};
use nearfar_report::health::{self, HealthReport};
use nearfar_survey::atlas::{self, AtlasDocument};
use nearfar_survey::compare::SurveyComparison;
use nearfar_survey::fleet::{self, FleetDocument};
use nearfar_survey::{STRUCTURE_SCHEMA, Structure, Survey, compare};
use nearfar_sweep::Sweep;
use nearfar_sweep::compare::{COMPARE_SCHEMA, SweepComparison};
use nearfar_view::owned_files::Note;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::commands::run::{SharedDocument, WeightsDocument};
use crate::commands::saved::SurveysDocument;

/// A kind of document.
#[derive(Debug, Serialize)]
pub(crate) struct DocumentKind {
    /// Its name: `nearfar.survey/2`.
    pub(crate) schema: &'static str,
    /// The commands that print it, and the files that have it.
    pub(crate) found_in: &'static str,
    #[cfg(test)]
    #[serde(skip)]
    of_type: fn() -> Value,
}

/// An object with the text of each file of `schema/`.
const SCHEMAS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/schemas.json.zz"));

/// All kinds, in the order of the commands' help.
pub(crate) const KINDS: &[DocumentKind] = &[
    kind::<Survey>(
        nearfar_survey::SCHEMA,
        "survey, latency and the other instruments, show: --json; files of surveys",
    ),
    kind::<MachineDocument>(nearfar_machine::SCHEMA, "topology --json"),
    kind::<DevicesDocument>(nearfar_devices::SCHEMA, "devices --json"),
    kind::<IrqDocument>(irq::SCHEMA, "irq --json"),
    kind::<IrqSetDocument>(IrqSetDocument::SCHEMA, "irq set --json"),
    kind::<NoteDocument<UndoNote>>(
        UndoNote::SCHEMA,
        "/run/nearfar/irq-ADDRESS.json, for irq set --undo",
    ),
    kind::<NoteDocument<SettingNote>>(
        SettingNote::SCHEMA,
        "/run/nearfar/system-settings.json: what a guard restores",
    ),
    kind::<Diagnosis>(nearfar_diagnose::SCHEMA, "diagnose --json; part of surveys"),
    kind::<DoctorDocument>(doctor::SCHEMA, "doctor --json"),
    kind::<FirmwareDocument<'static>>(FIRMWARE_SCHEMA, "firmware --json"),
    kind::<ExplainDocument>(explain::SCHEMA, "explain --json"),
    kind::<ResponseDocument>(
        explain::RESPONSE_SCHEMA,
        "explain --response --json; files of explain --response -o",
    ),
    kind::<ObjectsDocument>(
        explain::OBJECTS_SCHEMA,
        "explain --objects --json; files of explain --objects -o",
    ),
    kind::<ForecastDocument>(explain::FORECAST_SCHEMA, "explain FILE --on MACHINE --json"),
    kind::<NoteDocument<LayoutNote>>(
        LayoutNote::SCHEMA,
        "/run/nearfar/layout-PID.json, for explain --undo",
    ),
    kind::<Structure>(STRUCTURE_SCHEMA, "structure --json"),
    kind::<Explanation>(Explanation::SCHEMA, "run --explain --json"),
    kind::<Watched>(Watched::SCHEMA, "run --watch --json: a line on standard error"),
    kind::<Translation>(Translation::SCHEMA, "run --as SYSTEM --json"),
    kind::<SharedDocument>(
        SharedDocument::SCHEMA,
        "run --file, --shm: --dump, --verify with --json",
    ),
    kind::<WeightsDocument>(WeightsDocument::SCHEMA, "run --weights --json"),
    kind::<ThreadPolicy>(SHOW_SCHEMA, "run --show --json"),
    kind::<Hardware>(HARDWARE_SCHEMA, "run --hardware --json"),
    kind::<WhereDocument<'static>>(WHERE_SCHEMA, "where --json"),
    kind::<PageCacheDocument>(PAGE_CACHE_SCHEMA, "where FILE --json"),
    kind::<MoveDocument>(MOVE_SCHEMA, "move --json"),
    kind::<ObjectMoveDocument>(OBJECT_MOVE_SCHEMA, "move --object --json"),
    kind::<FileMoveDocument>(FILE_MOVE_SCHEMA, "move FILE --json"),
    kind::<Migration>(MIGRATION_SCHEMA, "migrate --json"),
    kind::<Counters>(COUNTERS_SCHEMA, "numastat --json ('nearfar alias')"),
    kind::<Tick>(nearfar_live::SCHEMA, "top --json, --record: a line for each interval"),
    kind::<Sweep>(nearfar_sweep::SCHEMA, "sweep, show: --json; files of sweeps"),
    kind::<SweepComparison>(COMPARE_SCHEMA, "compare --json, of two sweeps"),
    kind::<SurveyComparison>(compare::COMPARE_SCHEMA, "compare --json, of two surveys"),
    kind::<FleetDocument>(fleet::SCHEMA, "fleet --json"),
    kind::<HealthReport>(health::SCHEMA, "check --json"),
    kind::<AtlasDocument<'static>>(atlas::SCHEMA, "atlas --json"),
    kind::<SurveysDocument>(SurveysDocument::SCHEMA, "show --json"),
    kind::<KindList>(KindList::SCHEMA, "schema --json, without KIND"),
];

#[allow(clippy::extra_unused_type_parameters)] // the tests' alone
const fn kind<T: JsonSchema>(schema: &'static str, found_in: &'static str) -> DocumentKind {
    DocumentKind {
        schema,
        found_in,
        #[cfg(test)]
        of_type: || schemars::schema_for!(T).to_value(),
    }
}

/// The state before a change, in a file until it is restored.
#[derive(JsonSchema)]
#[allow(dead_code)] // its schema
struct NoteDocument<N> {
    schema: String,
    /// The state before the change.
    state: N,
}

/// The list of kinds.
#[derive(Serialize, JsonSchema)]
pub(crate) struct KindList {
    schema: &'static str,
    /// The kinds.
    #[schemars(with = "Vec<KindEntry>")]
    documents: &'static [DocumentKind],
}

/// A kind of document.
#[derive(JsonSchema)]
#[allow(dead_code)] // its schema
struct KindEntry {
    /// Its name: `nearfar.survey/2`.
    schema: String,
    /// The commands that print it, and the files that have it.
    found_in: String,
}

impl KindList {
    const SCHEMA: &str = "nearfar.schemas/1";

    pub(crate) const fn new() -> Self {
        Self { schema: Self::SCHEMA, documents: KINDS }
    }
}

impl DocumentKind {
    /// By its name: `survey`, `survey/2` or `nearfar.survey/2`.
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        let name = name.strip_prefix("nearfar.").unwrap_or(name);
        KINDS.iter().find(|kind| [kind.short(), kind.name()].contains(&name))
    }

    /// `survey`
    pub(crate) fn name(&self) -> &'static str {
        self.short().split('/').next().unwrap_or_default()
    }

    /// `survey/2`
    fn short(&self) -> &'static str {
        self.schema.strip_prefix("nearfar.").unwrap_or(self.schema)
    }

    pub(crate) fn json_schema(&self) -> Value {
        serde_json::from_reader::<_, Value>(ZlibDecoder::new(SCHEMAS))
            .map(|mut schemas| schemas[self.file_name()].take())
            .unwrap_or_default()
    }

    /// Its file in `schema/`: `nearfar.survey-2.json`
    fn file_name(&self) -> String {
        format!("{}.json", self.schema.replace('/', "-"))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::{Path, PathBuf};
    use std::{env, fs};

    use nearfar_view::text::schema;
    use serde_json::json;

    use super::*;

    fn repository() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
    }

    /// The schema of a kind's type.
    fn made_schema(kind: &DocumentKind) -> Value {
        let mut schema = (kind.of_type)();
        without_links(&mut schema);
        schema["$id"] = kind.schema.into();
        schema["title"] = kind.schema.into();
        schema["properties"]["schema"] = json!({
            "const": kind.schema, "description": "The kind of document.", "type": "string",
        });
        schema
    }

    /// Removes links to code from descriptions.
    fn without_links(schema: &mut Value) {
        match schema {
            Value::Object(fields) => fields.iter_mut().for_each(|(name, value)| match value {
                Value::String(text) if name == "description" => *text = unlinked(text),
                _ => without_links(value),
            }),
            Value::Array(values) => values.iter_mut().for_each(without_links),
            _ => {}
        }
    }

    /// "see [`data`](Self::data)" gives "see `data`".
    fn unlinked(text: &str) -> String {
        let mut plain = String::new();
        let mut rest = text;
        while let Some((before, (_, after))) =
            rest.split_once("](").and_then(|(before, after)| Some((before, after.split_once(')')?)))
        {
            let (start, name) = before.rsplit_once('[').unwrap_or(("", before));
            plain += start;
            plain += name;
            rest = after;
        }
        (plain + rest).replace("[`", "`").replace("`]", "`").replace("`None`", "null")
    }

    /// A file for each, so that a change of what programs read is seen: names and types stay within
    /// a schema number, and parts may be added.
    #[test]
    fn published_schemas_match_the_types() {
        let folder = repository().join("schema");
        let mut names = BTreeSet::new();
        for kind in KINDS {
            let name = kind.file_name();
            let (path, text) = (folder.join(&name), schema::json(&made_schema(kind)));
            if env::var("SNAPSHOTS").is_ok_and(|value| value == "overwrite") {
                fs::write(&path, &text).unwrap();
            }
            let published = fs::read_to_string(&path).unwrap_or_default();
            assert!(published == text, "schema/{name} is stale: ./dev schema");
            names.insert(name);
        }
        let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        let files: BTreeSet<String> = files.map(|name| name.into_string().unwrap()).collect();
        assert_eq!(files, names, "schema/ has files of no kind");
    }

    /// A capture's manifest is text.
    #[test]
    fn every_schema_that_is_named_in_the_sources_is_listed() {
        let mut named = BTreeSet::new();
        for entry in fs::read_dir(repository().join("crates")).unwrap() {
            collect(&entry.unwrap().path().join("src"), &mut named);
        }
        let known = KINDS.iter().map(DocumentKind::name).chain(["capture"]);
        let known: BTreeSet<String> = known.map(str::to_owned).collect();
        assert_eq!(named, known);
    }

    /// Names of schemas in the code of a folder.
    fn collect(folder: &Path, named: &mut BTreeSet<String>) {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                collect(&path, named);
            } else if path.extension().is_some_and(|end| end == "rs") {
                let code = fs::read_to_string(&path).unwrap();
                let code = code.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
                for rest in code.split("\"nearfar.").skip(1) {
                    let Some((name, rest)) = rest.split_once('/') else { continue };
                    let is_name = name.chars().all(|c| c.is_ascii_lowercase() || c == '-');
                    if is_name && rest.starts_with(|c: char| c.is_ascii_digit()) {
                        named.insert(name.to_owned());
                    }
                }
            }
        }
    }

    #[test]
    fn kinds_are_found_by_each_of_their_names() {
        for name in ["survey", "survey/2", "nearfar.survey/2", "nearfar.survey"] {
            assert_eq!(DocumentKind::named(name).unwrap().schema, "nearfar.survey/2", "{name}");
        }
        assert!(DocumentKind::named("survey/1").is_none());
        let names: BTreeSet<&str> = KINDS.iter().map(DocumentKind::name).collect();
        assert_eq!(names.len(), KINDS.len());
    }

    #[test]
    fn descriptions_have_no_links() {
        let text = "a [`b`](Self::b), [c](d::e) and [`F`] of cells[]; `None` if absent";
        assert_eq!(unlinked(text), "a `b`, c and `F` of cells[]; null if absent");
    }

    #[test]
    fn every_kind_has_text() {
        for kind in KINDS {
            let text = schema::text(&kind.json_schema());
            assert!(text.contains("`schema`"), "{}: {text}", kind.schema);
        }
    }
}
