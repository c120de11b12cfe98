//! The argument of commands about running programs.

use clap::Args;
use nearfar_machine::Source;
use nearfar_process::{ProcessError, Target};

use crate::hidden_note::note_hidden;

/// What a command is about.
#[derive(Debug, Args)]
pub(super) struct TargetArgument {
    /// Process ID, name, or control group (its path, or its name below the hierarchy); 'where' and
    /// 'move' take a file or directory, too. 'pid:', 'name:', 'cgroup:' or 'file:' before it
    /// decides [required]
    #[arg(value_name = "TARGET")]
    target: Option<String>,
    /// Process ID, as TARGET [default: none]
    #[arg(short = 'p', long = "pid", value_name = "PID", conflicts_with = "target")]
    pid: Option<String>,
}

impl TargetArgument {
    /// What the user wrote.
    pub(super) fn word(&self) -> &str {
        self.target.as_deref().or(self.pid.as_deref()).unwrap_or_default()
    }

    /// Finds it. Hidden processes of the same name are mentioned.
    pub(super) fn find(&self, source: &Source) -> Result<Target, ProcessError> {
        let word = match &self.pid {
            Some(pid) => format!("pid:{pid}"),
            None => self.word().to_owned(),
        };
        let found = Target::find(source, &word)?;
        if matches!(found, Target::Name(..)) {
            note_hidden(source);
        }
        Ok(found)
    }
}
