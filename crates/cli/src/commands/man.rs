//! `nearfar man`: the manual page.

mod lines;
mod sections;

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, Command};
use nearfar_view::owned_files::{Folder, IfExists};
use nearfar_view::terminal::exit::WrongUsage;
use nearfar_view::terminal::output;

use crate::whole_file::OutputFile;

/// The day of this version in CHANGELOG.md.
const RELEASED: &str = "2026-11-29";

/// Print the manual page (roff).
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearfar man | man -l -                       read it
  nearfar man survey > nearfar-survey.1        the page of one subcommand
  nearfar man irq set | man -l -               of a subcommand's subcommand
  nearfar man --all /usr/local/share/man/man1  install all pages")]
pub(crate) struct ManCommand {
    /// Subcommand [default: nearfar itself]
    subcommand: Vec<String>,
    /// Write all pages to this folder [default: print one page]
    #[arg(long, value_name = "DIR", conflicts_with = "subcommand")]
    all: Option<PathBuf>,
}

impl ManCommand {
    /// Prints one page, or writes all.
    pub(crate) fn run(self) -> anyhow::Result<()> {
        match &self.all {
            Some(folder) => write_all(folder),
            None => Ok(output::data(&manual(&self.subcommand)?)?),
        }
    }
}

fn write_all(folder: &Path) -> anyhow::Result<()> {
    Folder::create(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let write = |name: &str, page: String| {
        let path = folder.join(format!("{name}.1"));
        let file = OutputFile::create(&path, IfExists::Replace)?;
        file.keep(|out| out.write_all(page.as_bytes())).map(drop)
    };
    for words in pages(&crate::command(), &[]) {
        let name: String = words.iter().map(|word| format!("-{word}")).collect();
        write(&format!("nearfar{name}"), manual(&words)?)?;
    }
    Ok(())
}

/// The words of this command, and of its subcommands and theirs, as far as help shows them.
fn pages(command: &Command, words: &[String]) -> Vec<Vec<String>> {
    let subcommands = command.get_subcommands().filter(|one| !one.is_hide_set());
    let below = subcommands.flat_map(|one| {
        let words = words.iter().cloned().chain([one.get_name().to_owned()]);
        pages(one, &words.collect::<Vec<_>>())
    });
    [words.to_vec()].into_iter().chain(below).collect()
}

/// The manual page of the command, or of the subcommand of these words.
fn manual(words: &[String]) -> anyhow::Result<String> {
    let mut command = crate::command();
    command.build();
    for word in words {
        let found = command.find_subcommand(word).cloned();
        let all = words.join(" ");
        command = found.ok_or_else(|| WrongUsage(format!("there is no subcommand '{all}'")))?;
    }
    let mut page = Vec::new();
    // Else a subcommand's page would give the version as its own.
    let release = concat!("nearfar ", env!("CARGO_PKG_VERSION"));
    let title = command.get_display_name().unwrap_or("nearfar").to_uppercase();
    let pages = clap_mangen::Man::new(command.clone()).title(title).date(date()?).source(release);
    pages.manual("nearfar").render(&mut page)?;
    let page = with_sections(&String::from_utf8(page)?, &sections::sections(&command));
    Ok(lines::tidied(&page))
}

/// The release's day; who builds packages names another by `SOURCE_DATE_EPOCH`.
///
/// # References
/// <https://reproducible-builds.org/specs/source-date-epoch/>
fn date() -> anyhow::Result<String> {
    let Some(seconds) = std::env::var_os("SOURCE_DATE_EPOCH") else {
        return Ok(RELEASED.to_owned());
    };
    let text = seconds.to_string_lossy();
    let seconds = text.parse().ok().and_then(|seconds| jiff::Timestamp::from_second(seconds).ok());
    let day = seconds.map(|seconds| seconds.strftime("%Y-%m-%d").to_string());
    day.ok_or_else(|| {
        WrongUsage(format!("SOURCE_DATE_EPOCH is '{text}': give seconds since 1970")).into()
    })
}

/// The page, whose last section is the version. These sections stand for those that clap makes of
/// subcommands and of the help's end.
fn with_sections(page: &str, sections: &str) -> String {
    const START: &str = "\n.SH ";
    let is_replaced =
        |section: &&str| ["SUBCOMMANDS\n", "EXTRA\n"].iter().any(|name| section.starts_with(name));
    let mut all: Vec<&str> = page.trim_end().split(START).filter(|one| !is_replaced(one)).collect();
    let version = all.pop().unwrap_or_default();
    format!("{}\n{sections}.SH {version}\n", all.join(START))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn pages_have_the_day_of_their_version() {
        let changes = include_str!("../../../../CHANGELOG.md");
        let heading = format!("## {} - {RELEASED}\n", env!("CARGO_PKG_VERSION"));
        assert!(changes.contains(&heading), "{heading}");
    }

    #[test]
    fn each_subcommand_has_a_page() {
        let folder = tempfile::tempdir().unwrap();
        write_all(folder.path()).unwrap();
        let words = pages(&crate::command(), &[]);
        let names = words.iter().map(|words| [&["nearfar".to_owned()], &words[..]].concat());
        let names: Vec<String> = names.map(|words| words.join("-")).collect();
        assert!(names.contains(&"nearfar-irq-set".to_owned()), "{names:?}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), names.len());
        for name in names {
            let page = fs::read_to_string(folder.path().join(format!("{name}.1"))).unwrap();
            let title = format!(".TH {} 1 {RELEASED} ", name.to_uppercase());
            assert!(page.contains(&title), "{page}");
            let wanted = ["DESCRIPTION", "EXAMPLES\n.nf", "EXIT STATUS", "SEE ALSO", "VERSION"];
            for section in wanted {
                assert!(page.contains(&format!(".SH {section}")), "{section} in {page}");
            }
            assert!(!page.contains("SUBCOMMANDS") && !page.contains("EXTRA"), "{page}");
        }
    }
}
