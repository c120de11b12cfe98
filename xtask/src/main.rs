//! Chores of the project: `cargo run -p xtask -- layers | counts [CHECKOUT] | test [--long] |
//! pages [--shots FOLDER] FILE... | book [check] FOLDER`. Nothing here is needed to build, and
//! nothing here links nearfar.

mod book;
mod columns;
mod counts;
mod cycles;
mod documents;
mod layers;
mod let_chains;
mod modules;
mod pages;
mod rules;
mod sentences;
mod sources;
mod testing;
mod unused_files;
mod watched_files;
mod words;

use std::env;
use std::path::Path;
use std::process::ExitCode;

use anyhow::bail;

/// Errors are one line on stderr.
fn main() -> ExitCode {
    match chore() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn chore() -> anyhow::Result<()> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize()?;
    let args: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words[..] {
        ["layers"] => {
            layers::check()?;
            rules::check(&workspace)?;
            sentences::check(&workspace)?;
            documents::check(&workspace)?;
            unused_files::check(&workspace)?;
            watched_files::check(&workspace)?;
            cycles::check(&workspace)
        }
        ["counts"] => counts::print(Path::new(".")),
        ["counts", checkout] => counts::print(Path::new(checkout)),
        ["test", ..] => testing::run(&words[1..]),
        ["book", folder] => book::lay_out(&workspace, Path::new(folder)),
        ["book", "check", folder] => book::check(Path::new(folder)),
        ["pages", ..] => pages::check(&words[1..]),
        _ => bail!(
            "usage: xtask layers | counts [CHECKOUT] | test [--long] | \
             pages [--shots FOLDER] FILE... | book [check] FOLDER"
        ),
    }
}
