//! Test binaries: which ones cargo built, and one run of each.

use std::env;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, ensure};
use serde_json::Value;

use super::summary::Done;

/// Whether output appears while a binary runs, or in one piece when it has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OutputMode {
    Live,
    AtTheEnd,
}

/// An executable with tests in it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Binary {
    pub(super) package: String,
    /// `it`, `lib`, or a program's name.
    target: String,
    folder: PathBuf,
    executable: PathBuf,
}

/// All test binaries of the workspace, built where they are not yet.
pub(super) fn built(long: bool) -> anyhow::Result<Vec<Binary>> {
    let mut cargo =
        cargo(&["build", "--workspace", "--lib", "--bins", "--tests", "--examples"], long);
    let output = cargo.arg("--message-format=json").stderr(Stdio::inherit()).output()?;
    ensure!(output.status.success(), "the tests do not compile");
    Ok(listed(&String::from_utf8_lossy(&output.stdout)))
}

/// Cargo with the profile that these tests were built by.
fn cargo(words: &[&str], long: bool) -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(words).args(["--locked", "--quiet", "--profile", if long { "long" } else { "dev" }]);
    cargo
}

/// The test binaries among cargo's messages, one JSON object a line.
fn listed(messages: &str) -> Vec<Binary> {
    messages
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .filter_map(|one| test(&one))
        .collect()
}

fn test(message: &Value) -> Option<Binary> {
    if message["profile"]["test"] != true {
        return None;
    }
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?.to_owned();
    let executable = PathBuf::from(message["executable"].as_str()?);
    let kind = message["target"]["kind"][0].as_str()?;
    let target = if kind == "lib" { kind } else { message["target"]["name"].as_str()? };
    // path+file:///.../crates/cli#nearfar@0.1.0, or ...crates/nearfar#0.1.0
    let id = message["package_id"].as_str()?;
    let named = id.rsplit_once('#').and_then(|(_, end)| end.split_once('@')).map(|(name, _)| name);
    let package = named.or_else(|| folder.file_name()?.to_str())?.to_owned();
    Some(Binary { package, target: target.to_owned(), folder, executable })
}

impl Binary {
    /// Runs its tests, in its package's folder as cargo does.
    pub(super) fn run(&self, long: bool, show: OutputMode) -> anyhow::Result<Done> {
        // A shell's background job ignores Ctrl-C, and what it starts inherits that: tests send it.
        let mut command = Command::new("env");
        command.arg("--default-signal=INT,QUIT").arg(&self.executable);
        command.current_dir(&self.folder).env("CARGO_MANIFEST_DIR", &self.folder);
        command.args(long.then_some("--include-ignored"));
        if long && self.package == super::LAB {
            command.arg("--test-threads=1");
        }
        finish(format!("{} {}", self.package, self.target), command, show)
    }
}

/// The examples in documentation.
pub(super) fn doc_tests(long: bool) -> anyhow::Result<Done> {
    finish("doc tests".to_owned(), cargo(&["test", "--workspace", "--doc"], long), OutputMode::Live)
}

fn finish(name: String, mut command: Command, show: OutputMode) -> anyhow::Result<Done> {
    if show == OutputMode::Live {
        println!("\n     Running {name}");
    }
    let begun = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot run {name}"))?;
    let stdout = child.stdout.take().context("a pipe")?;
    let mut kept = Vec::new();
    for line in BufReader::new(stdout).lines() {
        let line = line?;
        if show == OutputMode::Live {
            println!("{line}");
        }
        kept.push(line);
    }
    let passed = child.wait()?.success();
    let took = begun.elapsed();
    if show == OutputMode::AtTheEnd {
        println!("\n     Running {name} (beside the others)\n{}", kept.join("\n"));
    }
    Ok(Done::new(name, took, passed, &kept))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_binaries_are_found_among_cargos_messages() {
        let message = |test: bool, id: &str, kind: &str, name: &str| {
            format!(
                r#"{{"reason":"compiler-artifact","package_id":"{id}","manifest_path":"/w/crates/cli/Cargo.toml","target":{{"kind":["{kind}"],"name":"{name}"}},"profile":{{"test":{test}}},"executable":"/t/{name}"}}"#
            )
        };
        let messages = [
            message(true, "path+file:///w/crates/cli#nearfar@0.1.0", "test", "it"),
            message(true, "path+file:///w/crates/cli#0.1.0", "lib", "nearfar"),
            message(false, "path+file:///w/crates/cli#nearfar@0.1.0", "bin", "nearfar"),
            "not JSON".to_owned(),
        ];
        let found = listed(&messages.join("\n"));
        let named: Vec<_> =
            found.iter().map(|one| (one.package.as_str(), one.target.as_str())).collect();
        assert_eq!(named, [("nearfar", "it"), ("cli", "lib")]);
        assert_eq!(found[0].folder, Path::new("/w/crates/cli"));
    }

    #[test]
    fn a_failing_binary_is_a_failure_with_its_counts() {
        let mut command = Command::new("sh");
        command.args([
            "-c",
            "echo 'test result: FAILED. 3 passed; 2 failed; 1 ignored; 0 measured'; exit 101",
        ]);
        let done = finish("x it".to_owned(), command, OutputMode::AtTheEnd).unwrap();
        assert_eq!((done.passed, done.counts), (false, [3, 2, 1]));
    }
}
