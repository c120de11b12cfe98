//! Why a recipe cannot be used.

use std::io;

use thiserror::Error;

use crate::error::SweepError;

/// What is wrong with a recipe, or what it lacks here.
#[derive(Debug, Error)]
pub enum RecipeError {
    /// None of this name.
    #[error(
        "there is no recipe '{name}': there are {known}; a recipe of your own is a path that ends \
         in .toml"
    )]
    Unknown {
        /// As it was written.
        name: String,
        /// Those that there are.
        known: String,
    },
    /// A file that cannot be read.
    #[error("cannot read {file}: {why}")]
    Unreadable {
        /// The file.
        file: String,
        /// Why not.
        why: String,
    },
    /// A line that is wrong.
    #[error("{file}:{line}: {why}")]
    Wrong {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// The key, and what is expected.
        why: String,
    },
    /// A key that each recipe has is not there.
    #[error("{file}: {why}; docs/recipes/README.md has the form")]
    Missing {
        /// The file.
        file: String,
        /// The key.
        why: String,
    },
    /// Programs that are not there.
    #[error("recipe {recipe} needs {programs}: apt-get install {packages}")]
    NoPrograms {
        /// The recipe.
        recipe: String,
        /// Programs.
        programs: String,
        /// Debian packages.
        packages: String,
    },
    /// Its files cannot be written.
    #[error("cannot write a recipe's files: {0} (TMPDIR names another folder)")]
    Folder(#[from] io::Error),
    /// Its first step could not be run.
    #[error(transparent)]
    NotRun(#[from] SweepError),
    /// Its first step failed.
    #[error("recipe {recipe}: setup failed: {why}")]
    SetupFailed {
        /// The recipe.
        recipe: String,
        /// The last line that it printed.
        why: String,
    },
}
