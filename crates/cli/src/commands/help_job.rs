//! `nearfar help`: jobs by question, the commands of a job, the help of a command.

use std::fmt::Write as _;

use clap::Args;
use nearfar_view::terminal::exit::WrongUsage;
use nearfar_view::terminal::output;
use nearfar_view::terminal::screen::{self, Screen};
use nearfar_view::text::fitted::{ScreenParts, ToDo};
use nearfar_view::text::paragraph;

use super::GROUPS;
use crate::jobs::{JOBS, Job};

/// Names in an error.
const SIMILAR: usize = 3;

/// Show the commands of a job, or the help of a command.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearfar help                list jobs and commands
  nearfar help numa           the commands of a job
  nearfar help why one node   a job, by words of its question
  nearfar help survey         all options of a command")]
pub(crate) struct HelpCommand {
    /// A job, words of its question, or a command [default: list all]
    #[arg(value_name = "WORD")]
    words: Vec<String>,
}

impl HelpCommand {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        if self.words.is_empty() {
            return Ok(screen::print(&Screen::from(list()))?);
        }
        if let Some(help) = help_of_command(&self.words) {
            return Ok(output::text(&help)?);
        }
        match Job::search(&self.words)[..] {
            [] => Err(unknown(&self.words.join(" ")).into()),
            [job] => Ok(screen::print(&commands_of(job))?),
            ref jobs => Ok(output::text(&questions(jobs.iter().copied()))?),
        }
    }
}

fn list() -> String {
    let mut text = "Jobs ('nearfar help JOB' lists the commands for one):\n".to_owned();
    text += &questions(JOBS.iter());
    text += "\nCommands ('nearfar COMMAND --help' has the options):\n";
    for group in GROUPS {
        let names: Vec<&str> = group.subcommands.iter().map(|one| one.name).collect();
        let head = format!("  {:<17} ", group.heading);
        text += &paragraph::of(&names.join(", "), &head, &" ".repeat(20));
    }
    text
}

fn questions<'j>(jobs: impl Iterator<Item = &'j Job>) -> String {
    jobs.fold(String::new(), |mut text, job| {
        let _ = writeln!(text, "  {:<12}  {}", job.name, job.question);
        text
    })
}

fn commands_of(job: &Job) -> Screen {
    ScreenParts {
        answer: vec![job.question.to_owned()],
        to_do: job.commands.iter().map(|(command, why)| ToDo::new(*command, *why)).collect(),
        sections: Vec::new(),
        verdict: format!("'--help' after a command has its options. Read on: {}", job.read_on),
    }
    .screen()
}

/// What `--help` after these words prints, if they are a command.
fn help_of_command(words: &[String]) -> Option<String> {
    let mut command = &crate::command();
    for word in words {
        command = command.find_subcommand(word)?;
    }
    let line = ["nearfar"].into_iter().chain(words.iter().map(String::as_str)).chain(["--help"]);
    let help = crate::command().try_get_matches_from(line).err()?;
    Some(help.render().ansi().to_string())
}

fn unknown(words: &str) -> WrongUsage {
    let commands = GROUPS.iter().flat_map(|group| group.subcommands).map(|one| one.name);
    let mut names: Vec<&str> = commands.chain(Job::all_words()).collect();
    names.sort_by_cached_key(|name| (strsim::damerau_levenshtein(words, name), *name));
    names.dedup();
    names.truncate(SIMILAR);
    WrongUsage(format!(
        "there is no job and no command '{words}'; the most similar words are {}; 'nearfar help' \
         lists all",
        names.join(", ")
    ))
}
