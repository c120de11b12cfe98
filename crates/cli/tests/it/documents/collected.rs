//! Files of docs/fleets that collect surveys: each run adds a document of each node.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Output;

use crate::user::{User, nearfar, stderr, unchanged_settings};

/// Makes the surveys of these files cheap.
const CHEAP: [&str; 7] =
    ["--seed=1", "--probe", "chase", "--size", "1M", "--accesses=1000", "--budget=2s"];
/// Runs a task on each of two nodes, as Slurm does.
const SRUN: &str = "#!/bin/sh
while case $1 in --*) ;; *) false ;; esac; do shift; done
for SLURMD_NODENAME in n1 n2; do
    export SLURMD_NODENAME
    \"$@\" >>messages
done
";

fn text(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/fleets");
    fs::read_to_string(folder.join(name)).unwrap()
}

fn program(user: &User, name: &str, script: &str) {
    let path = PathBuf::from(user.write(name, script));
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Nodes of a folder's documents, by the files' names.
fn nodes(folder: &Path) -> Vec<String> {
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name());
    let node = |name: std::ffi::OsString| {
        let name = name.into_string().unwrap();
        let (node, time) = name.split_once('-').unwrap();
        assert!(time.starts_with("20") && time.ends_with("Z.json"), "{name}");
        node.to_owned()
    };
    let mut nodes: Vec<String> = files.map(node).collect();
    nodes.sort();
    nodes
}

#[test]
fn each_job_of_slurm_adds_a_survey_of_each_node() {
    let user = User::new();
    fs::create_dir(user.folder().join("bin")).unwrap();
    program(&user, "bin/srun", SRUN);
    let cheap = CHEAP.join(" ");
    let wrapper = format!(
        "#!/bin/sh\n[ \"$1\" = survey ] && set -- \"$@\" {cheap}\nexec '{}' \"$@\"\n",
        nearfar()
    );
    program(&user, "bin/nearfar", &wrapper);
    let script = user.write("job", text("fleet-slurm.sbatch"));
    let path = format!("{}/bin:{}", user.folder().display(), std::env::var("PATH").unwrap());
    let _settings = unchanged_settings();
    for _ in 0..2 {
        let mut command = user.through("sh", &[&script, "surveys", "tables"]);
        let output = command.current_dir(user.folder()).env("PATH", &path).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        // Files of one second have one name, and this machine is fast.
        std::thread::sleep(std::time::Duration::from_millis(1100));
    }
    assert_eq!(nodes(&user.folder().join("surveys")), ["n1", "n1", "n2", "n2"]);
    assert!(user.folder().join("tables/machines").is_dir());
}

/// The arguments of each container, in their order.
fn containers(yaml: &str) -> Vec<Vec<String>> {
    let after = yaml.split("args: ").skip(1);
    let list = |text: &str| serde_json::from_str(&text[..=text.find(']').unwrap()]).unwrap();
    after.map(list).collect()
}

#[test]
fn each_run_of_kubernetes_adds_a_survey_of_each_node() {
    let user = User::new();
    let folder = user.folder().join("fleet");
    fs::create_dir_all(folder.join("surveys")).unwrap();
    let containers = containers(&text("fleet-cronjob.yaml"));
    let [survey, fleet] = &containers[..] else { panic!("{containers:?}") };
    let run = |args: &[String], node: &str, more: &[&str]| -> Output {
        let args = args.iter().map(|word| match word.strip_prefix("/fleet") {
            Some(name) => format!("{}{name}", folder.display()),
            None => word.replace("$(NODE_NAME)", node),
        });
        let args: Vec<String> = args.chain(more.iter().map(|word| (*word).to_owned())).collect();
        user.measure(&args.iter().map(String::as_str).collect::<Vec<_>>())
    };
    for node in ["n1", "n2"] {
        let output = run(survey, node, &CHEAP);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    }
    assert_eq!(nodes(&folder.join("surveys")), ["n1", "n2"]);
    for _ in 0..2 {
        let output = run(fleet, "", &[]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    }
    assert!(folder.join("tables/cells").is_dir() && folder.join("fleet.html").is_file());
}
