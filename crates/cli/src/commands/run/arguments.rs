//! The options of `nearfar run` for clap: help, man page and completions, from the table by which
//! they are read.

use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint};
use nearfar_process::launch::{Dialect, OptionName, OptionSpelling, System, ValueKind, options};
use nearfar_view::terminal::exit::WrongUsage;

/// Marker: clap describes the options, `nearfar_process::launch` reads them.
#[derive(Debug)]
pub(crate) struct RunCommand;

const ABOUT: &str = "Run a program on chosen CPUs and nodes";

const LONG_ABOUT: &str = "\
Run a program on chosen CPUs and nodes.

Without an option, the program inherits CPUs and memory policy from the shell.

Options and their order are numactl's. They end at the program's name. --all applies to the \
lists after it. --length, --offset, --shmmode and --huge apply to the --shm or --file after them. \
'nearfar alias' installs this command under the name numactl.

NODES and CPUS are lists such as 0,2-4. They may also be 'all' (that this process may use), \
'same' (as the list before), !0 (all but 0), +0-1 (the first two that this process may use), or \
the node of a device: netdev:eth0, ip:HOST, file:PATH, block:sda, pci:0000:3b:00.0.

DEVICE is a label (gpu:0, as 'nearfar devices' counts), a kind and a name (nic:mlx5_0), a name \
(nvme0n1, eth0), a PCI address (3b:00.0), a path (/dev/nvme0n1, a mount point, a file), or one of \
the forms above.";

const EXAMPLES: &str = "\
Examples:
  nearfar run -N 0 -m 0 PROGRAM               node 0 only (killed if it is full)
  nearfar run -N 0 -p 0 PROGRAM               node 0, others when it is full
  nearfar run -i all PROGRAM                  memory interleaved over all nodes
  nearfar run -N netdev:eth0 -m same PROGRAM  near the network card
  nearfar run --near gpu:0,nic:eth0 PROGRAM   CPUs and memory nearest to both
  nearfar run --near /data/db --explain       which disk, which node, and why
  nearfar run -C 0-3 -l PROGRAM --its-option  CPUs 0-3, memory local to them
  nearfar run -N 0 -m 1 --explain             describe it, run nothing
  nearfar run -N 0 -m 0 --watch PROGRAM       and report where its pages are
  nearfar run -N 1 --warm m.gguf PROGRAM      first read the file onto node 1
  nearfar run -N 0 -m 0 --as systemd PROGRAM  the same as a systemd unit
  nearfar run --hardware --json               the nodes of this machine
  nearfar run --weights                       interleave weights
  nearfar run --length 1G --file /dev/shm/x -i 0,1 --touch --dump

Exit status: the program's; 127 program not found, 126 program not executable, 2 wrong usage, \
1 other errors.";

impl clap::FromArgMatches for RunCommand {
    fn from_arg_matches(_: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self)
    }

    fn update_from_arg_matches(&mut self, _: &ArgMatches) -> Result<(), clap::Error> {
        Ok(())
    }
}

impl clap::Args for RunCommand {
    fn augment_args(command: Command) -> Command {
        let described =
            options(Dialect::Run).filter(|option| option.word != OptionName::Help).map(argument);
        command
            .about(ABOUT)
            .long_about(LONG_ABOUT)
            .after_help(EXAMPLES)
            .disable_version_flag(true)
            // Its help has one length: clap's own flag refers to another.
            .disable_help_flag(true)
            .override_usage("nearfar run [OPTIONS] [--] PROGRAM [ARGUMENTS]...")
            .args(described)
            .arg(
                Arg::new("help").short('h').long("help").action(ArgAction::Help).help("Print help"),
            )
            .arg(
                Arg::new("program")
                    .value_name("PROGRAM")
                    .value_hint(ValueHint::CommandWithArguments)
                    .num_args(0..)
                    .trailing_var_arg(true)
                    .allow_hyphen_values(true)
                    .help("The program and its arguments"),
            )
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

fn argument(option: &OptionSpelling) -> Arg {
    let argument = Arg::new(option.long).long(option.long).short(option.short).help(option.help);
    let argument = match option.takes {
        ValueKind::Nothing => return argument.action(ArgAction::SetTrue),
        ValueKind::Value(name) => argument.value_name(name),
        ValueKind::Maybe(name) => argument.value_name(name).num_args(0..=1),
    };
    match option.word {
        OptionName::As => argument.value_parser(System::ALL.map(System::name)),
        OptionName::Warm => argument.value_hint(ValueHint::FilePath).action(ArgAction::Append),
        OptionName::File | OptionName::Shm => argument.value_hint(ValueHint::FilePath),
        _ => argument,
    }
}

impl RunCommand {
    /// Reached only when something stood before `run`, which clap then read instead of us.
    pub(crate) fn run(self) -> anyhow::Result<()> {
        Err(WrongUsage(
            "nothing may stand before 'run': write 'nearfar run', then options, then the program"
                .to_owned(),
        )
        .into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// -h and --help print the same, and refer to no other.
    #[test]
    fn help_has_one_length() {
        let mut command = <RunCommand as clap::Args>::augment_args(Command::new("run"));
        let help = command.render_long_help().to_string();
        assert!(help.contains("Print help") && !help.contains("summary"), "{help}");
    }

    #[test]
    fn clap_describes_every_option_that_is_read() {
        let command = <RunCommand as clap::Args>::augment_args(Command::new("run"));
        command.clone().debug_assert();
        for option in options(Dialect::Run).filter(|option| option.word != OptionName::Help) {
            let found =
                command.get_arguments().find(|argument| argument.get_long() == Some(option.long));
            assert_eq!(found.and_then(Arg::get_short), option.short, "{}", option.long);
        }
    }
}
