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
mod gpu;
mod hidden;
mod interleave;
mod io;
mod irq;
mod latency;
mod links;
mod loaded;
mod man;
mod measuring;
pub(crate) mod migrate;
mod move_process;
mod plot;
mod probe_options;
mod ranged;
mod report;
pub(crate) mod run;
mod schema;
mod selection;
mod show;
mod stat;
mod streams;
mod structure;
pub(crate) mod supervise;
mod survey;
pub(crate) mod surveys;
mod sweep;
mod threshold;
mod top;
mod topology;
mod where_is;
pub(crate) mod worker;

use clap::Subcommand;

/// What to do, in the order of the help: [`crate::help`] has the first of each group.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Survey(survey::SurveyCommand),
    Latency(latency::LatencyCommand),
    Bandwidth(bandwidth::BandwidthCommand),
    Loaded(loaded::LoadedCommand),
    CoreToCore(core_to_core::CoreToCoreCommand),
    Caches(caches::CachesCommand),
    Interleave(interleave::InterleaveCommand),
    Io(io::IoCommand),
    Gpu(gpu::GpuCommand),
    Hidden(hidden::HiddenCommand),
    Topology(topology::TopologyCommand),
    Devices(devices::DevicesCommand),
    Irq(irq::IrqCommand),
    Diagnose(diagnose::Diagnose),
    Doctor(doctor::DoctorCommand),
    Firmware(firmware::FirmwareCommand),
    Explain(explain::ExplainCommand),
    Links(links::LinksCommand),
    Structure(structure::StructureCommand),
    Run(run::RunCommand),
    Where(where_is::Where),
    Move(move_process::MoveCommand),
    Migrate(migrate::Migrate),
    Stat(stat::Stat),
    Top(top::Top),
    Alias(alias::Alias),
    Sweep(Box<sweep::SweepCommand>),
    Compare(compare::Compare),
    Fleet(fleet::FleetCommand),
    Check(check::CheckCommand),
    Atlas(atlas::AtlasCommand),
    Show(show::ShowCommand),
    Plot(plot::Plot),
    Report(report::ReportCommand),
    Export(export::ExportCommand),
    Schema(schema::SchemaCommand),
    Surveys(surveys::Surveys),
    Capture(capture::CaptureCommand),
    Completions(completions::CompletionsCommand),
    Man(man::ManCommand),
}

impl Command {
    /// Does it.
    pub(crate) fn run(self) -> anyhow::Result<()> {
        match self {
            Self::Survey(survey) => survey.run(),
            Self::Latency(latency) => latency.run(),
            Self::Bandwidth(bandwidth) => bandwidth.run(),
            Self::CoreToCore(core_to_core) => core_to_core.run(),
            Self::Caches(caches) => caches.run(),
            Self::Loaded(loaded) => loaded.run(),
            Self::Interleave(interleave) => interleave.run(),
            Self::Structure(structure) => structure.run(),
            Self::Io(io) => io.run(),
            Self::Gpu(gpu) => gpu.run(),
            Self::Hidden(hidden) => hidden.run(),
            Self::Explain(explain) => explain.run(),
            Self::Links(links) => links.run(),
            Self::Topology(topology) => topology.run(),
            Self::Devices(devices) => devices.run(),
            Self::Irq(irq) => irq.run(),
            Self::Diagnose(diagnose) => diagnose.run(),
            Self::Doctor(doctor) => doctor.run(),
            Self::Firmware(firmware) => firmware.run(),
            Self::Capture(capture) => capture.run(),
            Self::Where(where_is) => where_is.run(),
            Self::Move(move_process) => move_process.run(),
            Self::Run(run) => run.run(),
            Self::Stat(stat) => stat.run(),
            Self::Top(top) => top.run(),
            Self::Migrate(migrate) => migrate.run(),
            Self::Alias(alias) => alias.run(),
            Self::Show(show) => show.run(),
            Self::Schema(schema) => schema.run(),
            Self::Surveys(surveys) => surveys.run(),
            Self::Report(report) => report.run(),
            Self::Export(export) => export.run(),
            Self::Plot(plot) => plot.run(),
            Self::Sweep(sweep) => sweep.run(),
            Self::Compare(compare) => compare.run(),
            Self::Fleet(fleet) => fleet.run(),
            Self::Check(check) => check.run(),
            Self::Atlas(atlas) => atlas.run(),
            Self::Completions(completions) => completions.run(),
            Self::Man(man) => man.run(),
        }
    }
}
