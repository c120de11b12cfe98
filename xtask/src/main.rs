//! Chores of the project: `cargo run -p xtask -- layers | schema [--check] | gallery [--check] | pages [--shots FOLDER] FILE... | dist FOLDER`.
//! Nothing here is needed to build.

mod dist;
mod gallery;
mod layers;
mod pages;
mod rules;
mod schema;

use std::env;
use std::path::Path;
use std::process::ExitCode;

use anyhow::bail;

/// What went wrong is said in a line.
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
    let args: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words[..] {
        ["layers"] => layers::check().and_then(|()| rules::check()),
        ["schema"] => schema::write(),
        ["schema", "--check"] => schema::check(),
        ["gallery"] => gallery::write(),
        ["gallery", "--check"] => gallery::check(),
        ["pages", ..] => pages::check(&words[1..]),
        ["dist", folder] => dist::write(Path::new(folder)),
        _ => bail!(
            "usage: xtask layers | schema [--check] | gallery [--check] | pages [--shots FOLDER] FILE... | dist FOLDER"
        ),
    }
}
