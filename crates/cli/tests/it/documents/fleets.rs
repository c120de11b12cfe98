//! `nearfar fleet`: statuses, outputs, and files that cannot be read.

use std::fs;
use std::process::Stdio;

use serde_json::{Value, json};
use snapbox::{assert_data_eq, file};

use super::made_fleet::{EIGHT_NODES, MadeMachine, TWO_NODES, healthy, lines};
use crate::user::{User, stderr, stdout};

/// Sixteen machines. The seventh has slow memory.
fn one_slow() -> Vec<MadeMachine> {
    let mut machines = healthy(TWO_NODES, 16, 16);
    machines[6] = machines[6].clone().with_slow_memory(1, 1.08);
    machines
}

/// The command in the user's folder, so that outputs have no other folder's name.
fn fleet(user: &User, args: &[&str]) -> std::process::Output {
    let mut command = user.command(&[&["fleet"], args].concat());
    command.current_dir(user.folder()).output().unwrap()
}

#[test]
fn a_slow_machine_exits_with_3() {
    let user = User::new();
    user.write("fleet.jsonl", lines(&one_slow()));
    let found = fleet(&user, &["fleet.jsonl"]);
    assert_eq!(found.status.code(), Some(3));
    assert_eq!(stderr(&found), "nearfar: 1 machine differs from the others\n");
    assert_data_eq!(stdout(&found), file!["../../golden/fleet.txt"].raw());
    let csv = fleet(&user, &["fleet.jsonl", "--csv"]);
    assert_data_eq!(stdout(&csv), file!["../../golden/fleet.csv"].raw());
    let json = fleet(&user, &["fleet.jsonl", "--json"]);
    let document: Value = serde_json::from_str(&stdout(&json)).unwrap();
    let pretty = serde_json::to_string_pretty(&document["causes"]).unwrap() + "\n";
    assert_data_eq!(pretty, file!["../../golden/fleet-causes.json"].raw());
    assert_eq!(document["schema"], json!("nearfar.fleet/1"));
    assert_eq!(document["groups"][0]["machines"].as_array().unwrap().len(), 16);
    let exclude = fleet(&user, &["fleet.jsonl", "--exclude"]);
    assert_eq!((exclude.status.code(), stdout(&exclude).as_str()), (Some(3), "node07\n"));
}

#[test]
fn a_healthy_fleet_and_a_floor_above_the_outlier_exit_with_0() {
    let user = User::new();
    user.write("healthy.jsonl", lines(&healthy(EIGHT_NODES, 16, 2)));
    let output = fleet(&user, &["healthy.jsonl", "--exclude"]);
    assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(0), ""));
    assert_eq!(stderr(&output), "");
    user.write("slow.jsonl", lines(&one_slow()));
    let output = fleet(&user, &["slow.jsonl", "--floor", "20%"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(
        stdout(&output).contains("No outlier: none of 16 machines differs by 20 %, beyond"),
        "{}",
        stdout(&output)
    );
}

#[test]
fn broken_files_are_named_and_the_rest_goes_on() {
    let user = User::new();
    let folder = user.folder().join("fleet");
    fs::create_dir(&folder).unwrap();
    let machines = healthy(TWO_NODES, 5, 4);
    let unnamed: Vec<MadeMachine> = machines.iter().cloned().map(MadeMachine::unnamed).collect();
    fs::write(folder.join("node2.json"), unnamed[0].0.to_string()).unwrap();
    fs::write(folder.join("node10.json"), unnamed[1].0.to_string()).unwrap();
    let cut = &unnamed[2].0.to_string()[..900];
    fs::write(folder.join("0.out"), format!("{}{cut}\n", lines(&machines[3..]))).unwrap();
    fs::write(folder.join("notes.txt"), "\u{1b}[2Jhello").unwrap();
    fs::write(folder.join(".hidden"), "x").unwrap();
    fs::write(folder.join("empty.json"), "").unwrap();
    let output = fleet(&user, &["fleet", "absent.json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_data_eq!(stdout(&output), file!["../../golden/fleet-broken.txt"].raw());
    let none = fleet(&user, &["absent.json", "fleet/notes.txt"]);
    assert_eq!((none.status.code(), stdout(&none).as_str()), (Some(1), ""));
    assert!(
        stderr(&none).contains("absent.json cannot be read: No such file"),
        "{}",
        stderr(&none)
    );
    assert!(stderr(&none).ends_with("nearfar: no document is a survey with figures\n"));
}

/// Ten thousand files of no survey: some are named.
#[test]
fn very_many_broken_files_are_counted() {
    let user = User::new();
    let folder = user.folder().join("fleet");
    fs::create_dir(&folder).unwrap();
    for number in 0..10_000 {
        fs::write(folder.join(format!("{number}.json")), "{}").unwrap();
    }
    let none = fleet(&user, &["fleet"]);
    let lines = stderr(&none);
    assert_eq!((none.status.code(), lines.lines().count()), (Some(1), 102));
    assert!(lines.contains("and 9900 lines more about documents that are not used"), "{lines}");
    for (number, machine) in (0..).zip(healthy(TWO_NODES, 4, 4)) {
        fs::write(folder.join(format!("{number}.json")), machine.0.to_string()).unwrap();
    }
    let some = fleet(&user, &["fleet", "--exclude"]);
    assert_eq!((some.status.code(), stdout(&some).as_str()), (Some(0), ""));
}

#[test]
fn a_reference_and_names_of_files() {
    let user = User::new();
    let machines = healthy(TWO_NODES, 2, 4);
    let slow = machines[1].clone().unnamed().with_slow_memory(0, 1.5);
    user.write("good.json", machines[0].0.to_string());
    user.write("7.json", slow.0.to_string());
    let output = fleet(&user, &["7.json", "--reference", "good.json", "--exclude"]);
    assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(3), "7\n"));
    assert!(stderr(&output).contains("names of files, not of hosts: 7"), "{}", stderr(&output));
    let bad = fleet(&user, &["good.json", "--reference", "absent.json"]);
    assert_eq!(bad.status.code(), Some(1));
    assert!(stderr(&bad).contains("cannot read absent.json"), "{}", stderr(&bad));
}

#[test]
fn wrong_usage_exits_with_2() {
    let user = User::new();
    for wrong in [&[][..], &["a", "--json", "--csv"], &["a", "--floor", "0"], &["a", "--force"]] {
        assert_eq!(fleet(&user, wrong).status.code(), Some(2), "{wrong:?}");
    }
    let spaces = user.run(&["survey", "--host", "two words"]);
    assert_eq!(spaces.status.code(), Some(2), "{}", stderr(&spaces));
}

#[test]
fn a_page_is_whole_and_is_not_overwritten() {
    let user = User::new();
    user.write("fleet.jsonl", lines(&one_slow()));
    let output = fleet(&user, &["fleet.jsonl", "--html", "fleet.html"]);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    let page = fs::read_to_string(user.folder().join("fleet.html")).unwrap();
    assert!(page.contains("node07") && page.ends_with("</html>\n") && !page.contains("<script"));
    let again = fleet(&user, &["fleet.jsonl", "--html", "fleet.html"]);
    assert_eq!(again.status.code(), Some(2));
    let input = fleet(&user, &["fleet.jsonl", "--html", "fleet.jsonl", "--force"]);
    assert_eq!(input.status.code(), Some(1), "{}", stderr(&input));
}

#[test]
fn a_closed_pipe_ends_quietly_and_no_colour_is_printed() {
    let user = User::new();
    let path = user.write("fleet.jsonl", lines(&healthy(TWO_NODES, 16, 2)));
    let mut command = user.command(&["fleet", &path, "--json"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
    let plain = user.command(&["fleet", &path]).env("NO_COLOR", "1").output().unwrap();
    assert!(!stdout(&plain).contains('\u{1b}'));
}

/// Eight machines, surveyed once a month; memory of the seventh is slower from May on.
#[test]
fn changes_have_dates_and_the_next_machines_are_listed() {
    let user = User::new();
    let month = |month: usize| {
        let mut machines = healthy(TWO_NODES, 8, 40 + month as u64);
        if month >= 5 {
            machines[6] = machines[6].clone().with_slow_memory(1, 1.1);
        }
        let started = json!(format!("2026-{month:02}-05T08:00:00Z"));
        let dated = machines.into_iter().map(|it| it.with("/provenance/started", started.clone()));
        lines(&dated.collect::<Vec<_>>())
    };
    user.write("year.jsonl", (1..=8).map(month).collect::<String>());
    let since = &["year.jsonl", "--since", "2026-01-01"][..];
    let text = stdout(&fleet(&user, since));
    assert!(
        text.contains("node07: since 2026-05-05, memory of node 1 is slower: latency "),
        "{text}"
    );
    let json = fleet(&user, &[since, &["--json"]].concat());
    let document: Value = serde_json::from_str(&stdout(&json)).unwrap();
    assert_eq!(document["history"]["changes"][0]["machine"], json!("node07"));
    let before = stdout(&fleet(&user, &[since, &["--at", "2026-04-30"]].concat()));
    assert!(before.contains("No change since 2026-01-01 of 8 machines"), "{before}");
    let next = fleet(&user, &["year.jsonl", "--next", "2"]);
    assert_eq!(next.status.code(), Some(0), "{}", stderr(&next));
    let names: Vec<String> = stdout(&next).trim().split(',').map(str::to_owned).collect();
    assert_eq!((names.len(), names[0].as_str()), (2, "node07"));
    // No machine has a thorough survey yet, and the usual ones take 73 s.
    let minutes = |minutes: &str| stdout(&fleet(&user, &["year.jsonl", "--next", minutes]));
    assert_eq!(minutes("1min"), "");
    assert_eq!(minutes("1.3min"), "--quick node07\n");
    assert!(stderr(&fleet(&user, &["year.jsonl", "--next", "1min"])).contains("no test fits"));
    // A name that is no host's takes no minutes, and is refused.
    let named = fs::read_to_string(user.folder().join("year.jsonl")).unwrap();
    user.write("names.jsonl", named.replace("\"node02\"", "\"a,b\""));
    let refused = fleet(&user, &["names.jsonl", "--next", "200min"]);
    assert_eq!(refused.status.code(), Some(1));
    let hosts = stdout(&refused).lines().map(|line| line.split(',').count()).sum::<usize>();
    assert!(hosts == 7 && stderr(&refused).contains("'a,b'"), "{}", stderr(&refused));
    // Whether it is quick or thorough, node07 is first.
    assert_eq!(minutes("11min").lines().next(), Some("--thorough node07"));
    assert_eq!(minutes("200min").lines().map(|line| line.split(',').count()).sum::<usize>(), 8);
    let early = fleet(&user, &["year.jsonl", "--at", "2020-01-01"]);
    assert!(stderr(&early).contains("all surveys are later than 2020-01-02"), "{}", stderr(&early));
    let turned = ["year.jsonl", "--since", "2026-07-01", "--at", "2026-02-01"];
    assert_eq!(fleet(&user, &turned).status.code(), Some(2));
    for wrong in [["--since", "yesterday"], ["--next", "0"], ["--next", "5m"]] {
        assert_eq!(fleet(&user, &[&["year.jsonl"], &wrong[..]].concat()).status.code(), Some(2));
    }
}

/// Eight machines, surveyed once a month. Clocks jumped: of node02 in May to 2040, of node03 in
/// April to 1970, of node04 in June back to February: its times up to May are doubtful.
#[test]
fn clocks_that_jump_change_no_machine() {
    let user = User::new();
    let month = |month: usize| {
        let machines = healthy(TWO_NODES, 8, 60 + month as u64).into_iter().enumerate();
        let dated = machines.map(|(at, machine)| {
            let started = match (month, at) {
                (5, 1) => "2040-01-01T00:00:00Z".to_owned(),
                (4, 2) => "1970-01-01T00:00:09Z".to_owned(),
                (6, 3) => "2026-02-20T08:00:00Z".to_owned(),
                _ => format!("2026-{month:02}-05T08:00:00Z"),
            };
            machine.with("/provenance/started", json!(started))
        });
        lines(&dated.collect::<Vec<_>>())
    };
    user.write("year.jsonl", (1..=8).map(month).collect::<String>());
    let asked = |more: &[&str]| {
        let output = fleet(&user, &[&["year.jsonl", "--json"], more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let document: Value = serde_json::from_str(&stdout(&output)).unwrap();
        let wrong = document["skipped"].as_array().unwrap().iter();
        let wrong = wrong.filter(|one| one["fault"]["code"] == "wrong-clock");
        let started: Vec<String> =
            wrong.map(|one| one["fault"]["started"].as_str().unwrap().to_owned()).collect();
        assert_eq!(started, ["1970-01-01T00:00:09Z", "2040-01-01T00:00:00Z"], "{more:?}");
        document["history"].clone()
    };
    for (at, surveys) in [("2026-06-30", 40), ("2026-05-31", 33), ("2041-01-01", 54)] {
        let history = asked(&["--since", "2026-01-01", "--at", at]);
        assert_eq!((&history["changes"], &history["surveys"]), (&json!([]), &json!(surveys)));
        assert_eq!((&history["first_seen"], &history["not_seen"]), (&json!([]), &json!([])));
    }
}
