//! `nearfar show SURVEY --as hwloc`: the script, run by the hwloc that is installed here.

use std::fs;
use std::process::{Command, Output};
use std::sync::Once;

use serde_json::Value;

use crate::machine::corpus_folder::print_once;
use crate::user::{User, refusal, stderr, stdout};

/// Two nodes of the lab: CPUs 0-1 and 2-3.
const SURVEY: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/gallery/documents/lab-xeon-2s-before.json");

/// Two packages with two nodes each, whose numbers are not in hwloc's order: L#0 to L#3 are P#1,
/// P#3, P#0 and P#2. Nodes of a package have the same CPUs.
const TWO_NODES_EACH: &str = "pack:2 [numa] [numa(indexes=3,1,0,2)] core:2 pu:1";

/// Whether hwloc is installed; a skipped test is reported.
fn is_installed() -> bool {
    static SKIPPED: Once = Once::new();
    let is_installed = ["lstopo-no-graphics", "hwloc-annotate", "hwloc-calc"]
        .iter()
        .all(|program| Command::new(program).arg("--version").output().is_ok());
    if !is_installed {
        print_once(&SKIPPED, "skipped: no hwloc (Debian: hwloc-nox)\n");
    }
    is_installed
}

/// A survey with other numbers of its nodes, as a file.
fn with_nodes(user: &User, nodes: [u32; 2]) -> String {
    let mut survey: Value = serde_json::from_slice(&fs::read(SURVEY).unwrap()).unwrap();
    for (column, node) in survey["latency"]["columns"].as_array_mut().unwrap().iter_mut().zip(nodes)
    {
        column["node"] = node.into();
    }
    for (claim, node) in survey["claims"]["nodes"].as_array_mut().unwrap().iter_mut().zip(nodes) {
        claim["id"] = node.into();
    }
    user.write("survey.json", survey.to_string())
}

/// Runs the script for a machine as hwloc describes it.
fn annotated(user: &User, survey: &str, machine: &str) -> Output {
    let path = |name: &str| user.folder().join(name).to_str().unwrap().to_owned();
    let (script, xml, out) = (path("hwloc.sh"), path("machine.xml"), path("annotated.xml"));
    let made = user.run(&["show", survey, "--as", "hwloc", "-o", &script, "--force"]);
    assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
    let lstopo = Command::new("lstopo-no-graphics").args(["-i", machine, "-f", &xml]).output();
    assert!(lstopo.unwrap().status.success());
    Command::new("sh").args([&script, &xml, &out]).output().unwrap()
}

fn memory_attributes(user: &User) -> String {
    let annotated = user.folder().join("annotated.xml");
    let mut lstopo = Command::new("lstopo-no-graphics");
    stdout(&lstopo.args(["--memattrs", "-i", annotated.to_str().unwrap()]).output().unwrap())
}

#[test]
fn hwloc_shows_the_figures() {
    if !is_installed() {
        return;
    }
    let user = User::new();
    let output = annotated(&user, SURVEY, "numa:2 core:2 pu:1");
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
    let shown = memory_attributes(&user);
    for line in [
        "NUMANode L#0 = 1107 from cpuset 0x00000003",
        "NUMANode L#0 = 2034 from cpuset 0x0000000c",
        "NUMANode L#1 = 2025 from cpuset 0x00000003",
        "NUMANode L#1 = 1106 from cpuset 0x0000000c",
    ] {
        assert!(shown.contains(line), "{line}\n{shown}");
    }
}

#[test]
fn kernel_numbers_become_logical_indexes() {
    if !is_installed() {
        return;
    }
    let user = User::new();
    let survey = with_nodes(&user, [3, 2]);
    let output = annotated(&user, &survey, TWO_NODES_EACH);
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
    let shown = memory_attributes(&user);
    for line in ["NUMANode L#1 = 1107 from cpuset 0x00000003", "NUMANode L#3 = 2025 from"] {
        assert!(shown.contains(line), "{line}\n{shown}");
    }
    assert!(!shown.contains("NUMANode L#0 = 1107 from"), "{shown}");
}

#[test]
fn other_machines_are_refused_by_the_script() {
    if !is_installed() {
        return;
    }
    let user = User::new();
    let small = annotated(&user, SURVEY, "numa:1 core:1 pu:1");
    assert_eq!(small.status.code(), Some(1));
    assert!(stderr(&small).ends_with("has other CPUs than the survey: it is another machine\n"));
    let survey = with_nodes(&user, [0, 7]);
    let fewer_nodes = annotated(&user, &survey, "numa:2 core:2 pu:1");
    assert_eq!(fewer_nodes.status.code(), Some(1));
    assert!(stderr(&fewer_nodes).ends_with("has no node 7: it is another machine\n"));
    let other_nodes = annotated(&user, SURVEY, "numa:4 core:1 pu:1");
    assert_eq!(other_nodes.status.code(), Some(1));
    let why = "has other CPUs in node 0 than the survey: it is another machine\n";
    assert!(stderr(&other_nodes).ends_with(why), "{}", stderr(&other_nodes));
    assert_eq!(files_of_output(&user), [""; 0], "no half of a file");
}

/// The files in the user's folder whose names begin with the output's.
fn files_of_output(user: &User) -> Vec<String> {
    let names = fs::read_dir(user.folder()).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
    names.retain(|name| name.starts_with("annotated.xml"));
    names.sort();
    names
}

#[test]
fn files_that_exist_are_kept() {
    if !is_installed() {
        return;
    }
    let user = User::new();
    let draft = user.write("annotated.xml.draft", "mine");
    let first = annotated(&user, SURVEY, "numa:2 core:2 pu:1");
    assert_eq!((first.status.code(), stderr(&first).as_str()), (Some(0), ""));
    assert_eq!(fs::read_to_string(draft).unwrap(), "mine");
    assert_eq!(files_of_output(&user), ["annotated.xml", "annotated.xml.draft"]);
    let file = user.write("annotated.xml", "mine");
    let second = annotated(&user, SURVEY, "numa:2 core:2 pu:1");
    assert_eq!(
        (second.status.code(), stderr(&second)),
        (Some(1), format!("{file} already exists\n"))
    );
    assert_eq!(fs::read_to_string(file).unwrap(), "mine");
}

#[test]
fn bad_input_is_refused() {
    let user = User::new();
    let mut survey: Value = serde_json::from_slice(&fs::read(SURVEY).unwrap()).unwrap();
    for cell in survey["latency"]["cells"].as_array_mut().unwrap() {
        cell["median"] = Value::Null;
    }
    let empty = user.write("empty.json", survey.to_string());
    let (status, why) = refusal(&user.run(&["show", &empty, "--as", "hwloc"]));
    assert_eq!(status, 1);
    assert!(
        why.ends_with(
            "empty.json has neither latency nor bandwidth from CPUs to nodes: 'nearfar survey' \
             measures latency"
        ),
        "{why}"
    );
    let output = user.run(&["show", SURVEY, "--as", "nccl"]);
    assert_eq!(output.status.code(), Some(2));
    let why = stderr(&output);
    assert!(why.contains("for nccl use 'nearfar devices --as nccl'"), "{why}");
    let there = user.write("there.sh", "mine");
    let (status, why) = refusal(&user.run(&["show", SURVEY, "--as", "hwloc", "-o", &there]));
    assert_eq!(status, 2);
    assert!(why.ends_with("there.sh already exists: --force overwrites it"), "{why}");
    let (status, why) =
        refusal(&user.run(&["show", &empty, "--as", "hwloc", "-o", &empty, "--force"]));
    assert_eq!(status, 1, "{why}");
}
