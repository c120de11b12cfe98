//! A fleet kept in tables is the same fleet; writers lose nothing; damaged tables have a reason.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use jiff::Timestamp;
use nearfar_survey::fleet::text::skipped;
use nearfar_survey::fleet::{
    AppendedSurveys, FleetDocument, FleetSettings, FleetSurveys, append_findings, read_files,
};
use serde_json::json;
use tempfile::TempDir;

use crate::made_fleet::{MadeMachine, TWO_NODES, healthy, lines};

const SETTINGS: FleetSettings = FleetSettings { floor: 0.03 };

fn read(paths: &[&Path]) -> FleetSurveys {
    let paths: Vec<PathBuf> = paths.iter().map(|path| path.to_path_buf()).collect();
    read_files(&paths, &|_, work| work()).unwrap()
}

fn judged(paths: &[&Path]) -> FleetDocument {
    read(paths).judge(SETTINGS).unwrap()
}

/// Machines with a slow memory, a setting that differs, and one without a host's name.
fn fleet(machines: usize) -> Vec<MadeMachine> {
    let mut fleet = healthy(TWO_NODES, machines, 3);
    fleet[6] = fleet[6].clone().with_slow_memory(1, 1.09);
    fleet[10] = fleet[10].clone().with("/machine/kernel", json!("6.1.0"));
    fleet[2] = fleet[2].clone().unnamed();
    fleet
}

/// A fleet in a file, and an empty folder for tables.
fn in_a_file(fleet: &[MadeMachine]) -> (TempDir, PathBuf, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let (file, tables) = (folder.path().join("fleet.jsonl"), folder.path().join("tables"));
    fs::write(&file, lines(fleet)).unwrap();
    (folder, file, tables)
}

/// All files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

fn of_table(tables: &Path, table: &str) -> Vec<PathBuf> {
    files(&tables.join(table))
}

#[test]
fn tables_are_judged_as_their_surveys() {
    let mut machines = fleet(16);
    // node06 is node05 with a new name.
    for machine in &mut machines[4..6] {
        *machine = machine.clone().with_board("0d6674c11fb004fb");
    }
    machines[4] = machines[4].clone().with("/provenance/started", json!("2026-11-20T08:00:00Z"));
    let (_folder, file, tables) = in_a_file(&machines);
    let surveys = read(&[&file]);
    let appended = surveys.append_tables(&tables).unwrap();
    assert_eq!(appended, AppendedSurveys { new: 16, known: 0 });
    // A line of a file, or "FILE:LINE" of a table.
    let without_place = |mut fleet: FleetDocument| {
        assert_eq!(fleet.skipped.len(), 1, "node05");
        fleet.skipped.clear();
        fleet
    };
    let from_file = without_place(surveys.judge(SETTINGS).unwrap());
    assert_eq!(from_file.slower_machines().len(), 1);
    assert!(!from_file.drift.is_empty());
    assert_eq!(from_file.boards[0].board_of.as_deref(), Some("node05"), "reported of node06");
    assert_eq!(without_place(judged(&[&tables])), from_file);
    let now = Timestamp::from_second(1_796_000_000).unwrap();
    append_findings(&tables, &from_file, appended, now).unwrap();
    assert_eq!(of_table(&tables, "findings").len(), 1);
    assert_eq!(without_place(judged(&[&tables])), from_file, "findings are no surveys");
}

#[test]
fn changes_over_time_come_back() {
    let mut all = Vec::new();
    for week in 0..10 {
        for (at, machine) in healthy(TWO_NODES, 12, 100 + week).into_iter().enumerate() {
            let slow = if at == 4 && week >= 6 { 1.2 } else { 1.0 };
            let started =
                format!("2026-{:02}-{:02}T08:00:{at:02}Z", 6 + week / 4, 1 + week % 4 * 7);
            let machine = machine.with("/provenance/started", json!(started));
            all.push(machine.with_slow_memory(1, slow));
        }
    }
    let (_folder, file, tables) = in_a_file(&all);
    let surveys = read(&[&file]);
    surveys.append_tables(&tables).unwrap();
    assert_eq!(of_table(&tables, "machines").len(), 10, "a part for each day");
    let since = Timestamp::from_second(1_780_000_000).unwrap();
    let from_file = surveys.history(since, 0.03);
    assert!(!from_file.changes.is_empty());
    assert_eq!(read(&[&tables]).history(since, 0.03), from_file);
    assert_eq!(judged(&[&tables]).findings, judged(&[&file]).findings);
}

#[test]
fn only_new_surveys_are_appended() {
    let all = fleet(12);
    let (folder, file, tables) = in_a_file(&all[..8]);
    read(&[&file]).append_tables(&tables).unwrap();
    let before = files(&tables);
    let again = read(&[&file]).append_tables(&tables).unwrap();
    assert_eq!((again, files(&tables)), (AppendedSurveys { new: 0, known: 8 }, before));
    let more = folder.path().join("more.jsonl");
    fs::write(&more, lines(&all)).unwrap();
    let appended = read(&[&more]).append_tables(&tables).unwrap();
    assert_eq!(appended, AppendedSurveys { new: 4, known: 8 });
    assert_eq!(read(&[&tables]).append_tables(&tables).unwrap().new, 0);
    assert_eq!(judged(&[&tables]).machines().count(), 12);
}

/// Writers that have surveys in common, at once.
#[test]
fn writers_at_once_lose_nothing() {
    let all = fleet(24);
    let folder = tempfile::tempdir().unwrap();
    let tables = folder.path().join("tables");
    let parts: [&[MadeMachine]; 4] = [&all[..16], &all[8..], &all[..16], &all[20..]];
    thread::scope(|scope| {
        for (number, part) in parts.into_iter().enumerate() {
            let (file, tables) = (folder.path().join(format!("{number}.jsonl")), &tables);
            scope.spawn(move || {
                fs::write(&file, lines(part)).unwrap();
                read(&[&file]).append_tables(tables).unwrap();
            });
        }
    });
    let fleet = judged(&[&tables]);
    assert_eq!(fleet.machines().count(), 24);
    assert!(skipped(&fleet.skipped).iter().all(|line| line.contains("is the same document as")));
    assert!(files(&tables).iter().all(|file| file.extension().unwrap() == "parquet"));
}

#[test]
fn damaged_and_foreign_tables_have_a_reason() {
    let mut all = fleet(16);
    let later = all.split_off(8);
    let moved =
        |machine: MadeMachine| machine.with("/provenance/started", json!("2026-11-28T08:00:00Z"));
    let (folder, file, tables) = in_a_file(&all);
    read(&[&file]).append_tables(&tables).unwrap();
    let cells = of_table(&tables, "cells").remove(0);
    let bytes = fs::read(&cells).unwrap();
    let second = folder.path().join("second.jsonl");
    fs::write(&second, lines(&later.into_iter().map(moved).collect::<Vec<_>>())).unwrap();
    read(&[&second]).append_tables(&tables).unwrap();
    let reason = |content: &[u8]| {
        fs::write(&cells, content).unwrap();
        let fleet = judged(&[&tables]);
        assert_eq!(fleet.machines().count(), 8, "the other part is used");
        let lines = skipped(&fleet.skipped);
        assert_eq!(lines.len(), 1);
        lines[0].replace(&*cells.to_string_lossy(), "CELLS")
    };
    let early = "CELLS cannot be read: it ends too early: it was not written to its end, or not \
        copied whole";
    assert_eq!(reason(&bytes[..bytes.len() / 2]), early);
    assert_eq!(reason(b"{}, and more"), "CELLS cannot be read: it is no Parquet file");
    let settings = fs::read(of_table(&tables, "settings").remove(0)).unwrap();
    let foreign = "CELLS cannot be read: nearfar did not write it: its schema is not \
        'nearfar-tables/1 cells', but 'nearfar-tables/1 settings'";
    assert_eq!(reason(&settings), foreign);
    fs::remove_file(&cells).unwrap();
    let fleet = judged(&[&tables]);
    assert!(skipped(&fleet.skipped)[0].contains("No such file"));
    fs::write(&cells, &bytes).unwrap();
    fs::write(cells.with_file_name(".nearfar-1.draft"), b"half").unwrap();
    assert_eq!(judged(&[&tables]).machines().count(), 16);
    let named = skipped(&judged(&[&file, &cells]).skipped).remove(0);
    assert!(named.ends_with("it is a table: name the folder that has 'machines' in it"), "{named}");
}

/// A damaged file does not keep a part's surveys from being appended again.
#[test]
fn damaged_parts_are_written_anew() {
    let (_folder, file, tables) = in_a_file(&fleet(12));
    read(&[&file]).append_tables(&tables).unwrap();
    for table in ["machines", "cells", "settings"] {
        fs::write(of_table(&tables, table).remove(0), b"PAR1").unwrap();
        assert_eq!(read(&[&file]).append_tables(&tables).unwrap().new, 12, "{table}");
        assert_eq!(judged(&[&tables]).machines().count(), 12);
    }
    fs::remove_file(of_table(&tables, "cells").remove(0)).unwrap();
    assert_eq!(read(&[&file]).append_tables(&tables).unwrap().new, 12);
}

/// Writers of the same surveys may replace each other's files one by one.
#[test]
fn all_writers_of_a_part_write_the_same_settings() {
    let mut all = fleet(12);
    let (_folder, file, tables) = in_a_file(&all);
    read(&[&file]).append_tables(&tables).unwrap();
    all.reverse();
    let (_other_folder, other_file, other) = in_a_file(&all);
    read(&[&other_file]).append_tables(&other).unwrap();
    let (settings, others) = (of_table(&tables, "settings"), of_table(&other, "settings"));
    assert_eq!(settings[0].file_name(), others[0].file_name());
    assert!(fs::read(&settings[0]).unwrap() == fs::read(&others[0]).unwrap());
}

#[test]
fn what_is_no_day_does_not_stop_the_others() {
    let (_folder, file, tables) = in_a_file(&fleet(12));
    read(&[&file]).append_tables(&tables).unwrap();
    fs::write(tables.join("machines/day=2026.txt"), "").unwrap();
    std::os::unix::fs::symlink("nowhere", tables.join("machines/day=2026-01-01")).unwrap();
    let fleet = judged(&[&tables]);
    assert_eq!((fleet.machines().count(), fleet.skipped.len()), (12, 0));
}
