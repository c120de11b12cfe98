//! `nearfar sweep --recipe`, with a recipe of shell loops that needs no package.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;

use crate::user::{User, is_running, nearfar, refusal, send, stderr, stdout, wait_for};

const LOOP: &str = include_str!("../../../../sweep/tests/loop.toml");
const MARK: &str = "${NEARFAR_TEST_FOLDER:-$FOLDER}";

/// The recipe in the user's folder, which it leaves its marks in.
fn recipe(user: &User, change: impl Fn(String) -> String) -> String {
    let own = user.folder().display().to_string();
    user.write("loop.toml", change(LOOP.replace(MARK, &own)))
}

/// The recipe's own folder, as its setup left it.
fn recipe_folder(user: &User) -> String {
    fs::read_to_string(user.folder().join("folder")).unwrap().trim().to_owned()
}

fn assert_cleaned_up(user: &User) {
    assert_eq!(fs::read_to_string(user.folder().join("cleaned")).unwrap(), "cleaned\n");
    assert!(!Path::new(&recipe_folder(user)).exists());
}

fn has_one_node() -> bool {
    let nodes = fs::read_to_string("/sys/devices/system/node/has_memory").unwrap_or_default();
    nodes.trim() == "0"
}

#[test]
fn a_program_is_set_up_started_measured_and_cleaned_up() {
    let user = User::new();
    let file = recipe(&user, |text| text);
    let kept = user.folder().join("sweep.json");
    let words = ["sweep", "--recipe", &file, "--runs", "6", "-o", kept.to_str().unwrap()];
    let output = user.measure(&words);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.contains("Does a loop of the shell depend on its node?"), "{text}");
    assert_cleaned_up(&user);
    let document: Value = serde_json::from_slice(&fs::read(&kept).unwrap()).unwrap();
    assert_eq!(document["recipe"]["name"], "loop");
    let first = &document["configurations"][0];
    assert_eq!((&first["placement"], &first["failed"]), (&"unbound".into(), &0.into()));
    assert_eq!(first["runs"][0]["metric"], 2000.0);
    // Its load is always as fast, so that no placement is ranked.
    let gained = if has_one_node() {
        "nothing to gain here: this machine has one node\n"
    } else {
        "nothing to gain"
    };
    assert!(text.contains(gained), "{text}");
    assert_eq!(has_one_node(), document["configurations"].as_array().unwrap().len() == 1);
    let shown = stdout(&user.run(&["show", kept.to_str().unwrap()]));
    assert!(shown.contains(gained), "{shown}");
    let (_, refused) = refusal(&user.run(&["sweep", "--yes", "--resume", kept.to_str().unwrap()]));
    assert!(refused.contains("is of a recipe, whose data are gone: run it anew"), "{refused}");
}

/// What `run.sh` does on a machine of several nodes, with a program that places nothing.
#[test]
fn instances_run_at_the_same_time() {
    let user = User::new();
    let steps = user.folder().join("steps");
    fs::create_dir(&steps).unwrap();
    fs::write(steps.join("load"), "echo \"$JOBS $PORT\"; ls -d \"$FOLDER\"/run.??????").unwrap();
    user.write("run.sh", include_str!("../../../../sweep/recipes/run.sh"));
    user.write(
        "nearfar",
        "#!/bin/sh\nwhile [ \"$1\" != -- ]; do shift; done; shift; exec \"$@\"\n",
    );
    let folder = user.folder().display();
    let environment =
        format!("PATH=$PATH\nHOME={folder}\nNEARFAR={folder}/nearfar\nPORTS='10 11'\n");
    user.write("environment", environment);
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(user.folder().join("nearfar"), mode).unwrap();
    let script = user.folder().join("run.sh").display().to_string();
    let run = || user.through("sh", &[&script, "4", "0", "1"]).output().unwrap();
    let text = stdout(&run());
    let each: Vec<&str> = text.split_terminator("\u{1e}\n").collect();
    assert!(each[0].starts_with("2 10\n") && each[1].starts_with("2 11\n"), "{text}");
    // Both stand ready before either is loaded.
    assert!(each.iter().all(|one| one.lines().count() >= 2), "{text}");
    assert_eq!(each[0].lines().count().max(each[1].lines().count()), 3, "{text}");
    // One that fails ends the others.
    fs::write(steps.join("warm"), "[ \"$PORT\" = 11 ] || exit 3").unwrap();
    let failed = run();
    assert!(!failed.status.success());
    assert!(stderr(&failed).contains("another instance failed"), "{}", stderr(&failed));
}

#[test]
fn failures_name_the_step_and_clean_up() {
    let user = User::new();
    let file = recipe(&user, |text| text.replace("setup = 'echo", "setup = 'nonesuch; echo"));
    let output = user.measure(&["sweep", "--recipe", &file]);
    assert_eq!(output.status.code(), Some(1));
    let why = stderr(&output);
    assert!(why.contains("recipe loop: setup failed: steps/setup: "), "{why}");
    assert!(why.contains("nonesuch"), "{why}");
    assert_eq!(fs::read_to_string(user.folder().join("cleaned")).unwrap(), "cleaned\n");
    let user = User::new();
    let file = recipe(&user, |text| {
        text.replace("exec sleep 60", "echo no port >&2; exit 1")
            .replace("'[ -e \"$RUN", "'false; [ -e \"$RUN")
    });
    let output = user.measure(&["sweep", "--recipe", &file, "--runs", "1", "--warmup", "0"]);
    let why = stderr(&output);
    assert!(why.contains("every run failed: ") && why.contains("start ended: no port"), "{why}");
    assert_cleaned_up(&user);
}

#[test]
fn an_interrupted_recipe_leaves_nothing() {
    let user = User::new();
    let file = recipe(&user, |text| {
        text.replace("exec sleep 60", "exec sleep 4716").replace("i=0;", "sleep 4717; i=0;")
    });
    let mut command = user.command(&["sweep", "--recipe", &file]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let is_loaded = || is_running("sleep\u{0}4717");
    wait_for("the load runs", is_loaded);
    send("INT", &child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    assert!(stderr(&output).contains("its recipe begins anew"), "{}", stderr(&output));
    assert!(!is_loaded() && !is_running("sleep\u{0}4716"));
    assert_cleaned_up(&user);
}

#[test]
fn recipes_are_listed_and_printed() {
    let user = User::new();
    let list = stdout(&user.run(&["sweep", "--recipe"]));
    for name in ["redis", "postgres", "nginx", "java", "mpi", "compile", "xz"] {
        assert!(list.lines().any(|line| line.starts_with(name)), "{list}");
    }
    let mut bare = user.command(&["sweep", "--recipe"]);
    let bare = stdout(&bare.env("PATH", "/no/such").output().unwrap());
    assert!(bare.contains("not here: apt-get install xz-utils\n"), "{bare}");
    // What is missing is no hindrance to a look.
    let mut printed = user.command(&["sweep", "--recipe", "xz", "--dry-run"]);
    let printed = stdout(&printed.env("PATH", "/no/such").output().unwrap());
    assert!(
        printed.contains("would run ") && printed.contains("[steps]\nsetup = '''"),
        "{printed}"
    );
}

#[test]
fn wrong_recipes_are_refused_in_a_line() {
    let user = User::new();
    let file = recipe(&user, |text| text.replace("load =", "lod ="));
    let (_, refused) = refusal(&user.run(&["sweep", "--recipe", &file]));
    assert!(refused.contains("loop.toml:18: unknown field `lod`, expected one of"), "{refused}");
    let (_, refused) = refusal(&user.run(&["sweep", "--recipe", "reddis"]));
    assert!(refused.contains("there is no recipe 'reddis': there are redis, "), "{refused}");
    let refused = stderr(&user.run(&["sweep", "--recipe", "xz", "--", "true"]));
    assert!(refused.contains("cannot be used with"), "{refused}");
    let mut command = user.command(&["sweep", "--recipe", "xz"]);
    let lacking = stderr(&command.env("PATH", "/no/such").output().unwrap());
    assert_eq!(lacking, "nearfar: recipe xz needs xz: apt-get install xz-utils\n");
    assert!(Path::new(nearfar()).exists());
}
