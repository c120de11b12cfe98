//! The subcommands, one file each.

mod check;
mod completions;
mod list;
mod machine_choice;
mod man;
mod random;
mod run;
mod serve_disks;
mod shell;
mod show;

use clap::Subcommand;

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum LabCommand {
    List(list::List),
    Show(show::LabShow),
    Run(run::LabRun),
    Shell(shell::Shell),
    Check(check::Check),
    Random(random::Random),
    #[command(hide = true)]
    ServeDisks(serve_disks::ServeDisks),
    Completions(completions::LabCompletions),
    Man(man::LabMan),
}

impl LabCommand {
    /// Does it; gives the exit status.
    pub(crate) fn run(self) -> anyhow::Result<u8> {
        match self {
            Self::List(list) => list.run().map(|()| 0),
            Self::Show(show) => show.run().map(|()| 0),
            Self::Run(run) => run.run(),
            Self::Shell(shell) => shell.run().map(|()| 0),
            Self::Check(check) => check.run(),
            Self::Random(random) => random.run(),
            Self::ServeDisks(serve) => serve.run().map(|()| 0),
            Self::Completions(completions) => completions.run().map(|()| 0),
            Self::Man(man) => man.run().map(|()| 0),
        }
    }
}
