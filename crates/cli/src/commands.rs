//! The subcommands, one file each.

mod alias;
mod atlas;
mod bandwidth;
mod budget;
mod caches;
mod capture;
mod check;
mod compare;
mod completions;
mod core_to_core;
mod devices;
mod diagnose;
mod doctor;
mod document_options;
mod effort;
mod explain;
mod export;
mod exported;
mod firmware;
mod fleet;
mod fleet_date;
mod gpu;
mod help_job;
mod hidden;
mod host_list;
mod interleave;
mod io;
mod irq;
mod latency;
mod links;
mod loaded;
mod man;
mod measuring;
mod move_process;
mod next_tests;
mod plot;
mod probe_options;
mod ranged;
mod report;
pub(crate) mod run;
pub(crate) mod saved;
mod schema;
mod selection;
mod show;
mod streams;
mod structure;
pub(crate) mod supervise;
mod survey;
mod sweep;
mod target;
mod threshold;
mod top;
mod topology;
mod verbose;
mod where_is;
pub(crate) mod worker;

use clap::{ArgMatches, Args, Command, FromArgMatches};

pub(crate) struct Subcommand {
    pub(crate) name: &'static str,
    options: fn(Command) -> Command,
    run: fn(&ArgMatches) -> clap::error::Result<anyhow::Result<()>>,
}

/// Subcommands for one purpose.
pub(crate) struct Group {
    pub(crate) heading: &'static str,
    pub(crate) subcommands: &'static [Subcommand],
}

macro_rules! groups {
    ($($heading:literal { $($name:literal => $module:ident::$options:ident,)* })*) => {
        /// All subcommands, in the order of the help, of completions and of README's table.
        pub(crate) const GROUPS: &[Group] = &[$(Group {
            heading: $heading,
            subcommands: &[$(Subcommand {
                name: $name,
                options: $module::$options::augment_args,
                run: |matches| Ok($module::$options::from_arg_matches(matches)?.run()),
            }),*],
        }),*];
    };
}

groups! {
    "Measure" {
        "survey" => survey::SurveyCommand,
        "latency" => latency::LatencyCommand,
        "bandwidth" => bandwidth::BandwidthCommand,
        "loaded" => loaded::LoadedCommand,
        "core-to-core" => core_to_core::CoreToCoreCommand,
        "caches" => caches::CachesCommand,
        "interleave" => interleave::InterleaveCommand,
        "io" => io::IoCommand,
        "gpu" => gpu::GpuCommand,
        "hidden" => hidden::HiddenCommand,
    }
    "Explain" {
        "topology" => topology::TopologyCommand,
        "devices" => devices::DevicesCommand,
        "irq" => irq::IrqCommand,
        "diagnose" => diagnose::Diagnose,
        "doctor" => doctor::DoctorCommand,
        "firmware" => firmware::FirmwareCommand,
        "explain" => explain::ExplainCommand,
        "links" => links::LinksCommand,
        "structure" => structure::StructureCommand,
    }
    "Place" {
        "run" => run::RunCommand,
        "where" => where_is::Where,
        "move" => move_process::MoveCommand,
        "top" => top::Top,
        "alias" => alias::Alias,
    }
    "Compare and show" {
        "sweep" => sweep::SweepCommand,
        "compare" => compare::Compare,
        "fleet" => fleet::FleetCommand,
        "check" => check::CheckCommand,
        "atlas" => atlas::AtlasCommand,
        "show" => show::ShowCommand,
        "plot" => plot::Plot,
        "report" => report::ReportCommand,
        "export" => export::ExportCommand,
    }
    "Files" {
        "schema" => schema::SchemaCommand,
        "capture" => capture::CaptureCommand,
        "completions" => completions::CompletionsCommand,
        "man" => man::ManCommand,
        "help" => help_job::HelpCommand,
    }
}

impl Subcommand {
    pub(crate) fn all() -> impl Iterator<Item = &'static Self> {
        GROUPS.iter().flat_map(|group| group.subcommands)
    }

    /// Its name, options and help.
    pub(crate) fn definition(&self) -> Command {
        (self.options)(Command::new(self.name))
    }

    /// Does what it is for; the outer error is a wrong argument.
    pub(crate) fn run(&self, matches: &ArgMatches) -> clap::error::Result<anyhow::Result<()>> {
        (self.run)(matches)
    }
}
