//! `nearfar fleet --parquet`: tables that nearfar and DuckDB read.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

use super::made_fleet::{MadeMachine, TWO_NODES, healthy, lines};
use crate::user::{User, skip, stderr, stdout};

/// Runs the views, then each query, and prints its rows.
const RUN_QUERIES: &str = "
import duckdb, json, re, sys
connection = duckdb.connect()
connection.execute(open(sys.argv[1]).read())
page = open(sys.argv[2]).read().split('## ClickHouse')[0]
for query in re.findall('```sql\\n(.*?)```', page, re.S):
    print(json.dumps(connection.execute(query).fetchall(), default=str))
";

fn fleet(user: &User, args: &[&str]) -> Output {
    let mut command = user.command(&[&["fleet"], args].concat());
    command.current_dir(user.folder()).output().unwrap()
}

/// Twelve machines in nine months. From the fifth on, memory of node 1 is slow in node05; node03
/// has another kernel; node09 has no survey after the second.
fn most_of_a_year() -> Vec<MadeMachine> {
    let mut all = Vec::new();
    for month in 1..=9_u64 {
        for (at, machine) in healthy(TWO_NODES, 12, 30 + month).into_iter().enumerate() {
            let started = format!("2026-{month:02}-05T08:00:{at:02}Z");
            let mut machine = machine.with("/provenance/started", json!(started));
            if at == 2 {
                machine = machine.with("/machine/kernel", json!("6.1.0"));
            }
            if at == 4 && month >= 5 {
                machine = machine.with_slow_memory(1, 1.12);
            }
            if at != 8 || month <= 2 {
                all.push(machine);
            }
        }
    }
    all
}

fn document(output: &Output) -> Value {
    let mut document: Value = serde_json::from_str(&stdout(output)).unwrap();
    document["skipped"] = Value::Null;
    document
}

#[test]
fn tables_are_a_fleet_as_its_surveys_are() {
    let user = User::new();
    user.write("fleet.jsonl", lines(&most_of_a_year()));
    let json = ["--json", "--since", "2026-01-01"];
    let from_file = fleet(&user, &[&["fleet.jsonl", "--parquet", "tables"], &json[..]].concat());
    assert_eq!(from_file.status.code(), Some(3), "{}", stderr(&from_file));
    assert!(
        stderr(&from_file).contains("101 surveys appended to tables"),
        "{}",
        stderr(&from_file)
    );
    let from_tables = fleet(&user, &[&["tables"], &json[..]].concat());
    assert_eq!(document(&from_tables), document(&from_file));
    assert_eq!(document(&from_file)["history"]["changes"][0]["machine"], json!("node05"));
    let again = fleet(&user, &["tables", "--parquet", "tables", "--exclude"]);
    assert_eq!(stdout(&again), "node05\n");
    assert!(stderr(&again).contains("0 surveys appended to tables, 101 were there"));
    let runs = fs::read_dir(user.folder().join("tables/runs")).unwrap();
    assert!(runs.count() >= 1);
}

#[test]
fn a_page_shows_a_change_over_time() {
    let user = User::new();
    user.write("fleet.jsonl", lines(&most_of_a_year()));
    let output = fleet(&user, &["fleet.jsonl", "--since", "2026-01-01", "--html", "-"]);
    let page = stdout(&output);
    for text in ["node05: all CPUs to node 1", "since 2026-05-05", "days since 2026-01-05"] {
        assert!(page.contains(text), "{text}");
    }
}

#[test]
fn a_folder_that_cannot_be_written_has_one_line() {
    let user = User::new();
    user.write("fleet.jsonl", lines(&healthy(TWO_NODES, 4, 4)));
    let output = fleet(&user, &["fleet.jsonl", "--parquet", "fleet.jsonl"]);
    assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(1), ""));
    let why = "nearfar: cannot write to the folder fleet.jsonl/cells/day=2026-11-26: ";
    assert!(stderr(&output).starts_with(why), "{}", stderr(&output));
    let nothing = fleet(&user, &["absent.json", "--parquet", "tables"]);
    assert_eq!(nothing.status.code(), Some(1));
    assert!(!user.folder().join("tables").exists());
}

/// An interpreter that has this package of PyPI; why there is none.
fn python_with(package: &str) -> Result<PathBuf, String> {
    static INSTALLS: Mutex<()> = Mutex::new(());
    let _alone = INSTALLS.lock().unwrap_or_else(PoisonError::into_inner);
    let has_it = |python: &Path| {
        let found = Command::new(python).args(["-c", &format!("import {package}")]).output();
        found.is_ok_and(|found| found.status.success())
    };
    let ran = |command: &mut Command| command.output().is_ok_and(|done| done.status.success());
    if has_it(Path::new("python3")) {
        return Ok("python3".into());
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(package);
    let python = folder.join("bin/python");
    if has_it(&python) {
        return Ok(python);
    }
    if !ran(Command::new("python3").args(["-m", "venv"]).arg(&folder)) {
        return Err("python3 -m venv does not run here".to_owned());
    }
    if !ran(Command::new(&python).args(["-m", "pip", "install", "--quiet", package])) {
        return Err(format!("{package} cannot be had from PyPI here"));
    }
    match has_it(&python) {
        true => Ok(python),
        false => Err(format!("{package} from PyPI does not run here")),
    }
}

/// Each query of docs/fleets/tables.md, in its order: which texts its rows have.
const ROWS: [&[&str]; 10] = [
    &["Example 9000"],
    &["node05", "slower", "node 1"],
    &["node05"],
    &["node05"],
    &["machine.kernel", "6.1.0"],
    &["6.1.0"],
    &["node09", "2026-02-05"],
    &["2026-01-05", "2026-09-05"],
    &["node05", "node 1"],
    &["2026-01-05", "2026-09-05"],
];

/// Tables with most of a year, and two runs.
fn with_tables() -> User {
    let user = User::new();
    user.write("fleet.jsonl", lines(&most_of_a_year()));
    for _ in 0..2 {
        let output = fleet(&user, &["fleet.jsonl", "--parquet", "tables"]);
        assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    }
    user
}

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").canonicalize().unwrap()
}

#[test]
#[ignore = "long: DuckDB from PyPI"]
fn duckdb_runs_the_documented_queries() {
    let python = match python_with("duckdb") {
        Ok(python) => python,
        Err(why) => return skip(&why),
    };
    let user = with_tables();
    let docs = docs();
    let output = Command::new(python)
        .args(["-c", RUN_QUERIES])
        .args([docs.join("fleets/views.sql"), docs.join("fleets/tables.md")])
        .current_dir(user.folder().join("tables"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let rows = stdout(&output);
    let rows: Vec<&str> = rows.lines().collect();
    assert_eq!(rows.len(), ROWS.len());
    for (number, (rows, texts)) in (1..).zip(rows.iter().zip(ROWS)) {
        for text in texts {
            assert!(rows.contains(text), "query {number} has no {text}: {rows}");
        }
    }
    // The page has 101 surveys, each once, and 12 machines.
    let counts: Vec<Vec<Value>> = serde_json::from_str(rows[0]).unwrap();
    assert_eq!(counts[0].last(), Some(&json!(12)));
    let days: Vec<Vec<Value>> = serde_json::from_str(rows[9]).unwrap();
    assert_eq!(days.iter().filter_map(|day| day[1].as_u64()).sum::<u64>(), 101);
    let runs: Vec<Vec<Value>> = serde_json::from_str(rows[2]).unwrap();
    assert_eq!(runs[0][..2], [json!("node05"), json!(2)]);
}

/// Runs the views, then counts machines that have figures.
const COUNT_MACHINES: &str = "
import duckdb, sys
connection = duckdb.connect()
connection.execute(open(sys.argv[1]).read())
print(connection.execute('SELECT count(DISTINCT machine) FROM newest_figures').fetchone()[0])
";

/// The only file of figures.
fn cells(tables: &Path) -> PathBuf {
    let only = |folder: PathBuf| fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
    only(only(tables.join("cells")))
}

#[test]
#[ignore = "long: DuckDB from PyPI"]
fn a_part_without_its_cells_hides_no_survey_in_duckdb() {
    let python = match python_with("duckdb") {
        Ok(python) => python,
        Err(why) => return skip(&why),
    };
    let user = User::new();
    let tables = user.folder().join("tables");
    let all = healthy(TWO_NODES, 12, 4);
    user.write("fleet.jsonl", lines(&all));
    // Its name comes before that of the part which has its surveys again.
    for another in 13.. {
        let _ = fs::remove_dir_all(&tables);
        fleet(&user, &["fleet.jsonl", "--parquet", "tables"]);
        let dead = cells(&tables);
        fs::remove_file(&dead).unwrap();
        user.write(
            "more.jsonl",
            lines(&healthy(TWO_NODES, 1, another)).replace("node01", "node13"),
        );
        fleet(&user, &["fleet.jsonl", "more.jsonl", "--parquet", "tables"]);
        if cells(&tables).file_name() > dead.file_name() {
            break;
        }
    }
    let views = docs().join("fleets/views.sql");
    let output =
        Command::new(python).args(["-c", COUNT_MACHINES]).arg(views).current_dir(tables).output();
    let output = output.unwrap();
    assert_eq!(stdout(&output), "13\n", "{}", stderr(&output));
}

/// Runs the page's query for ClickHouse, and prints its rows.
const RUN_IN_CLICKHOUSE: &str = "
import chdb, re, sys
text = open(sys.argv[1]).read()
query = re.search('## ClickHouse.*?```sql\\n(.*?)```', text, re.S).group(1)
print(chdb.query(query, 'CSV'), end='')
";

#[test]
#[ignore = "long: ClickHouse from PyPI"]
fn clickhouse_runs_its_documented_query() {
    let python = match python_with("chdb") {
        Ok(python) => python,
        Err(why) => return skip(&why),
    };
    let user = with_tables();
    let output = Command::new(python)
        .args(["-c", RUN_IN_CLICKHOUSE])
        .arg(docs().join("fleets/tables.md"))
        .current_dir(user.folder().join("tables"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let rows = stdout(&output);
    let mut first = rows.lines().next().unwrap_or_default().split(',');
    assert_eq!(first.next(), Some("\"node05\""), "{rows}");
    assert_eq!(rows.lines().count(), 2, "both cells of its slow memory, and no other: {rows}");
}

/// A run of an earlier day is no run of today; surveys up to that day are appended.
#[test]
fn no_run_is_kept_of_an_earlier_day() {
    let user = User::new();
    user.write("fleet.jsonl", lines(&most_of_a_year()));
    let at = ["fleet.jsonl", "--at", "2026-03-31", "--parquet", "tables"];
    let early = fleet(&user, &at);
    assert_eq!(early.status.code(), Some(0), "{}", stderr(&early));
    assert!(stderr(&early).contains("35 surveys appended to tables"), "{}", stderr(&early));
    let tables = user.folder().join("tables");
    assert!(tables.join("machines/day=2026-03-05").is_dir());
    for table in ["runs", "findings", "machines/day=2026-04-05"] {
        assert!(!tables.join(table).exists(), "{table}");
    }
    let all = fleet(&user, &["fleet.jsonl", "--parquet", "tables"]);
    assert!(stderr(&all).contains("66 surveys appended to tables, 35 were there"));
    assert!(tables.join("runs").is_dir() && tables.join("findings").is_dir());
}
