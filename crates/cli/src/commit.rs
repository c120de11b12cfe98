//! The commit that a source is of, for `nearfar --version`. The build script reads it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Digits of a commit's name.
const DIGITS: usize = 12;

/// The commit of the package in this folder: of its checkout, or as cargo recorded it.
pub(crate) fn commit_of(package: &Path) -> Option<String> {
    git(package, &["rev-parse", &format!("--short={DIGITS}"), "HEAD"])
        .or_else(|| recorded(&package.join(".cargo_vcs_info.json")))
}

/// The file of the checkout that changes with its commit.
pub(crate) fn changes_with_commit(package: &Path) -> Option<PathBuf> {
    git(package, &["rev-parse", "--git-path", "logs/HEAD"]).map(|path| package.join(path))
}

/// Asks git about the package's own checkout, and not about a repository that contains the source.
fn git(package: &Path, arguments: &[&str]) -> Option<String> {
    if !package.join("../../.git").exists() {
        return None;
    }
    let output = Command::new("git").arg("-C").arg(package).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

fn recorded(file: &Path) -> Option<String> {
    let facts = fs::read_to_string(file).ok()?;
    let (_, hash) = facts.split_once("\"sha1\": \"")?;
    hash.get(..DIGITS).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn source_of_no_checkout_has_no_commit() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(commit_of(folder.path()), None);
        assert_eq!(changes_with_commit(folder.path()), None);
    }

    #[test]
    fn cargo_records_the_commit_of_a_package() {
        let folder = tempfile::tempdir().unwrap();
        let facts = r#"{
  "git": {
    "sha1": "b732d35938cce7936c24b84c5ee808bd746fae69"
  },
  "path_in_vcs": "crates/cli"
}"#;
        fs::write(folder.path().join(".cargo_vcs_info.json"), facts).unwrap();
        assert_eq!(commit_of(folder.path()).as_deref(), Some("b732d35938cc"));
    }

    #[test]
    fn a_checkout_has_its_own_commit_only() {
        if Command::new("git").arg("--version").output().is_err() {
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let package = folder.path().join("crates/cli");
        let vendored = folder.path().join("vendor/nearfar/crates/cli");
        fs::create_dir_all(&package).unwrap();
        fs::create_dir_all(&vendored).unwrap();
        let run = |arguments: &[&str]| {
            let output =
                Command::new("git").arg("-C").arg(folder.path()).args(arguments).output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            String::from_utf8(output.stdout).unwrap()
        };
        run(&["init", "--quiet"]);
        let identity = ["-c", "user.name=n", "-c", "user.email=e"];
        let commit = ["commit", "--quiet", "--allow-empty", "--message=c"];
        run(&[&identity[..], &commit].concat());
        let head = run(&["rev-parse", "HEAD"]);
        assert_eq!(commit_of(&package).as_deref(), head.get(..DIGITS));
        assert!(changes_with_commit(&package).unwrap().exists());
        assert_eq!(commit_of(&vendored), None);
    }
}
