//! Programs that a recipe needs.

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::{env, fs};

use serde::Deserialize;

use super::{Recipe, RecipeError};

/// A program, and the Debian package that has it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Need {
    /// The program's name.
    pub program: String,
    /// Its package.
    pub package: String,
}

impl Recipe {
    /// The value of PATH for its steps: its folders, then those of the caller.
    pub fn search_path(&self, path: &OsStr) -> OsString {
        let mut all: Vec<PathBuf> =
            self.folders.iter().flat_map(|folder| matching(folder)).collect();
        all.extend(env::split_paths(path));
        // A folder with a colon in its name cannot be searched.
        env::join_paths(all).unwrap_or_else(|_| path.to_owned())
    }

    /// Fails with the line that installs what is missing.
    pub fn check_programs(&self, path: &OsStr) -> Result<(), RecipeError> {
        let missing = self.missing(path);
        if missing.is_empty() {
            return Ok(());
        }
        let programs: Vec<&str> = missing.iter().map(|need| need.program.as_str()).collect();
        Err(RecipeError::NoPrograms {
            recipe: self.name.clone(),
            programs: programs.join(", "),
            packages: self.missing_packages(path).join(" "),
        })
    }

    /// Packages of programs that are not there.
    pub fn missing_packages(&self, path: &OsStr) -> Vec<&str> {
        let missing = self.missing(path).into_iter();
        let mut packages: Vec<&str> = missing.map(|need| need.package.as_str()).collect();
        packages.sort_unstable();
        packages.dedup();
        packages
    }

    fn missing(&self, path: &OsStr) -> Vec<&Need> {
        let path = self.search_path(path);
        let is_there = |need: &&Need| {
            env::split_paths(&path).any(|folder| is_executable(&folder.join(&need.program)))
        };
        self.needs.iter().filter(|need| !is_there(need)).collect()
    }
}

fn is_executable(file: &Path) -> bool {
    file.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// The folders of this name; a component `*` is any, the last by name first.
fn matching(folder: &str) -> Vec<PathBuf> {
    let mut all = vec![PathBuf::new()];
    for part in Path::new(folder) {
        all = match part == "*" {
            false => all.into_iter().map(|known| known.join(part)).collect(),
            true => all.iter().flat_map(|known| entries(known)).collect(),
        };
    }
    all.retain(|folder| folder.is_dir());
    all
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut all: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    all.sort();
    all.reverse();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_version_is_found_first() {
        let folder = tempfile::tempdir().unwrap();
        for version in ["14", "15"] {
            fs::create_dir_all(folder.path().join(version).join("bin")).unwrap();
        }
        fs::create_dir(folder.path().join("16")).unwrap();
        let found = matching(&format!("{}/*/bin", folder.path().display()));
        assert_eq!(found, ["15", "14"].map(|one| folder.path().join(one).join("bin")));
    }

    #[test]
    fn what_is_missing_has_its_package() {
        let text = include_str!("../../recipes/redis.toml");
        let recipe = Recipe::parse("redis", "redis", text).unwrap();
        let why = recipe.check_programs(OsStr::new("/no/such")).unwrap_err().to_string();
        assert_eq!(
            why,
            "recipe redis needs redis-server, redis-benchmark: apt-get install redis-server \
             redis-tools"
        );
    }
}
