//! A sweep from request to document: this machine, its file, its progress.

mod autosave;
mod consent;
mod distance_source;
pub(crate) mod dosed;
mod interrupts;
pub(crate) mod recipe;
mod run_bar;
mod switches;

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Instant;
use std::{env, fs};

use anyhow::{Context, bail};
use nearfar_machine::guard::{GuardError, RUN, RootedFiles, Settled};
use nearfar_machine::{Environment, Source, Topology};
use nearfar_survey::IfExists;
use nearfar_sweep::axes::Variable;
use nearfar_sweep::machine_setup::{CpusetPlan, cpusets, guard};
use nearfar_sweep::placement::ChosenBy;
use nearfar_sweep::supervise::Supervisor;
use nearfar_sweep::text::placements;
use nearfar_sweep::{
    Answers, Axes, ConfigurationResult, DoseNodes, InterruptAxis, LimitOptions, Limits, LiveRunner,
    Metric, Objective, RequestedAxes, RunAttempt, RunSettings, Runner, SCHEMA, Sweep, SweepError,
    SweepMachine, SweepPlacement, SweepProgress, SweepStopReason, SystemSetting, configurations,
    sweep,
};
use nearfar_view::owned_files::Folder;
use nearfar_view::terminal::exit::WrongUsage;
use nearfar_view::terminal::{Interrupt, output};

use self::recipe::RecipeRun;
use self::run_bar::RunBar;
use crate::exit::Paused;

/// What is to be run.
pub(crate) struct SweepRequest {
    pub(crate) placements: Vec<SweepPlacement>,
    /// The nodes of doses, which are the placements then.
    pub(crate) dose: Option<DoseNodes>,
    /// What placements are chosen by, where none are named.
    pub(crate) survey: Option<PathBuf>,
    pub(crate) jobs: Vec<usize>,
    pub(crate) variables: Vec<Variable>,
    pub(crate) switches: Vec<(SystemSetting, Vec<String>)>,
    /// The device whose interrupts are varied.
    pub(crate) irq_device: Option<String>,
    /// Whether nothing is run or set.
    pub(crate) dry_run: bool,
    pub(crate) command: Vec<String>,
    pub(crate) metric: Option<Metric>,
    pub(crate) higher_is_better: bool,
    pub(crate) settings: RunSettings,
    pub(crate) limits: Limits,
    pub(crate) seed: Option<u64>,
    pub(crate) output: Option<PathBuf>,
    /// What happens to a file that is there already.
    pub(crate) if_exists: IfExists,
    /// The recipe that gives command and placements.
    pub(crate) recipe: Option<RecipeRun>,
}

/// A sweep that has ended.
pub(crate) struct Ended {
    pub(crate) document: Sweep,
    /// Why it did not come to its end, or is not in its file.
    pub(crate) problem: Option<anyhow::Error>,
}

pub(crate) fn run(request: SweepRequest) -> anyhow::Result<Ended> {
    let interrupt = listen()?;
    let (if_exists, dry_run) = (request.if_exists, request.dry_run);
    let chose_placements = !request.placements.is_empty();
    // Dropped at the end, the recipe cleans up.
    let Beginning { mut document, metric, file, axis, mut recipe } = begin(request)?;
    if dry_run {
        return Ok(Ended { document, problem: None });
    }
    if document.settings.prepare.is_none() && recipe.is_none() {
        is_there(&document.command, &document.axes.environment)?;
    }
    let file = file.map_or_else(|| file_in_store(&document.started), Ok)?;
    if document.axes.jobs.len() > 1 && !names_jobs(&document) {
        output::aside(
            "nearfar: the command has no {jobs}: it is the same with every number of jobs, unless \
             its CPUs are",
        );
    }
    if if_exists == IfExists::Refuse {
        check_is_new(&file)?;
    }
    // The first second shows whether the file can be had.
    autosave::keep(&document, &file)?;
    output::status(&format!("nearfar: saved as {} after every run", file.display()));
    // The user of one named placement knows that it is one.
    if let ([only], false) = (&document.configurations[..], chose_placements) {
        output::aside(&format!(
            "nearfar: {} is the only configuration here: there is nothing to compare it with \
             (--placement, --jobs and --env add others)",
            only.configuration.id
        ));
    }
    if let Some(recipe) = &mut recipe {
        if !recipe.set_up(&supervisor()?, &|| interrupt.came())? {
            return Err(paused(&document, &file).into());
        }
    }
    let problem = run_sweep(&mut document, metric.as_ref(), &file, axis, &interrupt)?;
    Ok(Ended { document, problem })
}

fn supervisor() -> anyhow::Result<Supervisor> {
    let program = env::current_exe().context("cannot find this program")?;
    Ok(Supervisor { program, arguments: vec!["supervise".into()] })
}

/// From its first change on, Ctrl-C stops a sweep in order.
fn listen() -> anyhow::Result<Interrupt> {
    Interrupt::listen().context("cannot catch signals")
}

fn names_jobs(document: &Sweep) -> bool {
    let lines = document.settings.prepare.iter().chain(&document.settings.cleanup);
    document.command.iter().chain(lines).any(|text| text.contains("{jobs}"))
}

/// An existing document is not overwritten.
fn check_is_new(file: &Path) -> Result<(), WrongUsage> {
    match fs::metadata(file) {
        Ok(there) if there.is_file() && there.len() > 0 => {
            let name = quoted(file);
            let why =
                "--resume {name} continues it, --force overwrites it".replace("{name}", &name);
            Err(WrongUsage(format!("{} already exists: {why}", file.display())))
        }
        _ => Ok(()),
    }
}

fn quoted(file: &Path) -> String {
    let plain = file.display().to_string();
    shlex::try_quote(&plain).map_or_else(|_| plain.clone(), std::borrow::Cow::into_owned)
}

/// A sweep before its first run.
struct Beginning {
    document: Sweep,
    metric: Option<Metric>,
    file: Option<PathBuf>,
    axis: Option<InterruptAxis>,
    recipe: Option<RecipeRun>,
}

fn begin(request: SweepRequest) -> anyhow::Result<Beginning> {
    let source = Source::live();
    if !request.dry_run {
        // Hardware threads that an earlier sweep left switched off are CPUs, too.
        settle(!request.switches.is_empty())?;
    }
    let topology = Topology::read(&source)?;
    switches::check(&request.switches, &source)?;
    let axis = interrupts::axis(&request, &source)?;
    if !request.dry_run {
        switches::check_permission(request.switches.iter().map(|(setting, _)| *setting), &source)?;
        interrupts::check_permission(axis.as_ref())?;
    }
    // Without a folder of surveys there are none.
    let store = nearfar_survey::Store::from_user().ok();
    let dosed =
        |nodes| distance_source::doses(&topology, nodes, request.survey.as_deref(), store.as_ref());
    let doses = request.dose.map(dosed).transpose()?;
    let (placements, placements_from) = match (&doses, request.placements.is_empty()) {
        (Some(doses), _) => (dosed::placements(doses), None),
        (None, true) => by_distance(&topology, request.survey.as_deref(), store.as_ref())?,
        (None, false) => (request.placements, None),
    };
    let named = RequestedAxes {
        placements,
        jobs: request.jobs,
        variables: request.variables,
        switches: request.switches,
        command: request.command,
    };
    let (mut all, unavailable) =
        configurations(&named, &source, &topology).map_err(|error| nothing_to_run(&error))?;
    let objective = match &request.metric {
        Some(metric) => Objective {
            name: metric.name.clone(),
            metric: Some(metric.text.clone()),
            higher_is_better: request.higher_is_better,
        },
        None => Objective::wall(),
    };
    let recipe = request.recipe.as_ref().map(|recipe| recipe.add_to(&mut all, &source));
    let mut document = Sweep {
        schema: SCHEMA.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        started: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        machine: SweepMachine { load_average: load_average(), ..here(&topology) },
        axes: Axes {
            placements_from,
            placements: named.placements.iter().map(ToString::to_string).collect(),
            jobs: named.jobs,
            environment: named.variables,
            system: named.switches.into_iter().collect(),
        },
        objective,
        command: named.command,
        settings: request.settings,
        enforcement: None,
        interrupts: axis.as_ref().map(|axis| axis.facts().clone()),
        doses,
        recipe,
        limits: request.limits,
        seed: request.seed.unwrap_or_else(|| fastrand::u64(..1 << 53)),
        stopped: None,
        unavailable,
        configurations: all.into_iter().map(ConfigurationResult::new).collect(),
        answers: Answers::default(),
    };
    if let Some(recipe) = &request.recipe {
        recipe.complete(&mut document);
    }
    let SweepRequest { metric, output: file, recipe, .. } = request;
    Ok(Beginning { document, metric, file, axis, recipe })
}

/// With the reason of each placement, where none can be had.
fn nothing_to_run(error: &SweepError) -> WrongUsage {
    let SweepError::NothingToRun(all) = error else { return WrongUsage(error.to_string()) };
    let each: Vec<String> = all.iter().map(placements::sentence).collect();
    WrongUsage(format!("{error}: {}", each.join("; ")))
}

/// The usual placements, and what they were chosen by where there was something to choose.
fn by_distance(
    topology: &Topology,
    survey: Option<&Path>,
    store: Option<&nearfar_survey::Store>,
) -> anyhow::Result<(Vec<SweepPlacement>, Option<ChosenBy>)> {
    let usual = distance_source::placements(topology, survey, store)?;
    if topology.allowed.nodes.len() < 2 {
        return Ok((usual.placements, None));
    }
    output::aside(&format!(
        "nearfar: placements are chosen by {}",
        placements::chosen_by(&usual.from)
    ));
    Ok((usual.placements, Some(usual.from)))
}

fn here(topology: &Topology) -> SweepMachine {
    SweepMachine {
        model: topology.identity.model.clone(),
        kernel: topology.identity.kernel.clone(),
        cpus: topology.allowed.cpus.to_string(),
        nodes: topology.allowed.nodes.to_string(),
        smt: Some(topology.cores().iter().any(|core| core.cpus.len() > 1)),
        load_average: None,
    }
}

/// Of the last minute.
fn load_average() -> Option<f64> {
    Environment::read(&Source::live()).load.average.map(|[last_minute, ..]| last_minute)
}

/// `~/.local/share/nearfar/sweeps/2026-11-21T03-20-00Z.json`, or with a number behind it.
fn file_in_store(started: &str) -> anyhow::Result<PathBuf> {
    let folder = nearfar_survey::Store::from_user()?.folder().join("sweeps");
    Folder::create(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let name = started.replace(':', "-");
    let numbered = |number: u32| match number {
        1 => folder.join(format!("{name}.json")),
        number => folder.join(format!("{name}-{number}.json")),
    };
    Ok((1..).map(numbered).find(|path| !path.exists()).unwrap_or_else(|| folder.join("sweep.json")))
}

const REMOVED_CPUSETS: &str =
    "nearfar: removed cpusets that an earlier sweep had left when it was killed with its guard";

/// Runs until it is done or the user interrupts it; the file holds all runs. A problem, where
/// the document can be printed nevertheless.
fn run_sweep(
    document: &mut Sweep,
    metric: Option<&Metric>,
    file: &Path,
    axis: Option<InterruptAxis>,
    interrupt: &Interrupt,
) -> anyhow::Result<Option<anyhow::Error>> {
    let is_stopped = || interrupt.came();
    if is_stopped() {
        return Err(paused(document, file).into());
    }
    let supervisor = supervisor()?;
    let source = Source::live();
    let topology = Topology::read(&source)?;
    let plan = CpusetPlan::new(document, &source, || output::aside(REMOVED_CPUSETS));
    let _lock = interrupts::lock(axis.as_ref())?;
    // At work before anything is changed. Dropped last: threads that stand in cpusets are gone by
    // then.
    let _guard = guard(
        document,
        axis.as_ref(),
        &supervisor.program,
        plan.as_ref().ok().map(|plan| &plan.traces),
    )?;
    let cpusets = cpusets(document, plan, &topology);
    let (settings, limits) = (document.settings.clone(), document.limits);
    let mut runner =
        LiveRunner::new(supervisor, settings, cpusets, axis, topology.allowed, &is_stopped);
    let bar = RunBar::new();
    let begun = Instant::now();
    if !warm_up(document, &mut runner, &bar)? {
        return Err(paused(document, file).into());
    }
    let mut keeper = autosave::Keeper::new(file);
    let observe =
        &mut |document: &Sweep, progress: &SweepProgress<'_>| -> Result<bool, SweepError> {
            bar.show(progress);
            keeper.keep(document);
            Ok(!is_stopped())
        };
    let stop = sweep(document, &mut runner, metric, &limits, &|| begun.elapsed(), observe);
    drop(bar);
    // Whatever went wrong, what was run is not lost.
    let stop = stop.inspect_err(|_| drop(autosave::keep(document, file)))?;
    let not_kept = autosave::keep(document, file).err();
    match (stop, not_kept) {
        (SweepStopReason::Interrupted, None) => Err(paused(document, file).into()),
        (SweepStopReason::Interrupted, Some(error)) => {
            output::aside(&format!("nearfar: {error}"));
            Ok(Some(Paused("what was run by then is printed, and not kept".to_owned()).into()))
        }
        (_, not_kept) => Ok(not_kept.map(anyhow::Error::from)),
    }
}

/// What is kept, and the line that goes on.
fn paused(document: &Sweep, file: &Path) -> Paused {
    let permission = if document.axes.system.is_empty() { "" } else { "--allow-system-changes " };
    let what = match document.runs() {
        0 => "no run was made yet".to_owned(),
        _ => format!("{} holds what was run", file.display()),
    };
    if document.recipe.is_some() {
        return Paused(format!("{what}; its recipe begins anew, and does not continue"));
    }
    Paused(format!("{what}; continue with: nearfar sweep {permission}--resume {}", quoted(file)))
}

/// Files get into the page cache, CPUs get warm; false where the user interrupted it.
fn warm_up(document: &Sweep, runner: &mut LiveRunner<'_>, bar: &RunBar) -> anyhow::Result<bool> {
    let has_begun = document
        .configurations
        .iter()
        .any(|configuration| !configuration.configuration.runs.is_empty());
    let Some(reference) = document.configurations.first().filter(|_| !has_begun) else {
        return Ok(true);
    };
    for _ in 0..document.settings.warmup {
        bar.warming_up();
        if runner.run(&reference.configuration)? == RunAttempt::Interrupted {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Fails if the command's program cannot be executed. A program whose name or search path varies
/// between configurations, or that `--prepare` makes, is found by its runs.
fn is_there(command: &[String], variables: &[Variable]) -> anyhow::Result<()> {
    let Some(program) = command.first() else { return Ok(()) };
    if program.contains('{') || variables.iter().any(|variable| variable.name == "PATH") {
        return Ok(());
    }
    let paths = env::var_os("PATH").unwrap_or_default();
    if program.contains('/') {
        if !Path::new(program).exists() {
            bail!("cannot run {program}: there is no such file");
        }
    } else if !env::split_paths(&paths).any(|folder| is_executable(&folder.join(program))) {
        bail!("cannot run {program}: no folder of PATH has such a program");
    }
    Ok(())
}

fn is_executable(file: &Path) -> bool {
    file.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// Resumes the sweep in the file; options replace its limits.
pub(crate) fn resume_sweep(
    file: &Path,
    asked: &LimitOptions,
    may_switch: bool,
    yes: bool,
) -> anyhow::Result<Ended> {
    let interrupt = listen()?;
    let mut document = consent::read(file)?;
    if let Some(switch) = document.axes.system.keys().next().filter(|_| !may_switch) {
        let name = switch.name();
        return Err(WrongUsage(format!(
            "{} switches {name}: add --allow-system-changes",
            file.display()
        ))
        .into());
    }
    if document.recipe.is_some() {
        let why = format!("{} is of a recipe, whose data are gone: run it anew", file.display());
        return Err(WrongUsage(why).into());
    }
    let source = Source::live();
    switches::check_permission(document.axes.system.keys().copied(), &source)?;
    let axis = interrupts::axis_again(&document, &source)?;
    interrupts::check_permission(axis.as_ref())?;
    let is_smt_switched = document.axes.system.contains_key(&SystemSetting::Smt);
    settle(!document.axes.system.is_empty())?;
    let now = here(&Topology::read(&source)?);
    if let Some(difference) = document.machine.difference(&now, is_smt_switched) {
        let why = format!(
            "{} ran on another machine: {difference}; run a new sweep, and compare the two",
            file.display()
        );
        return Err(WrongUsage(why).into());
    }
    consent::ask(file, &document, yes)?;
    let metric = document.objective.metric.as_ref().map(|text| text.parse()).transpose()?;
    document.limits = document.limits.with(asked);
    let before = document.runs();
    let problem = run_sweep(&mut document, metric.as_ref(), file, axis, &interrupt)?;
    if document.runs() == before {
        output::aside("nearfar: nothing left to run: --runs or --precision ask for more");
    }
    Ok(Ended { document, problem })
}

/// Restores what an earlier process left. A sweep that switches settings waits for another one that
/// does: each would take the other's for those before.
fn settle(switches: bool) -> anyhow::Result<()> {
    match nearfar_machine::guard::settle(Path::new(RUN), &RootedFiles::live()) {
        Ok(Settled::Clear) => {}
        Ok(Settled::ChangedBy(guard)) if switches => {
            return Err(WrongUsage(GuardError::AtWork(guard).to_string()).into());
        }
        Ok(Settled::ChangedBy(guard)) => output::aside(&format!(
            "nearfar: another nearfar (guard {guard}) switches settings meanwhile"
        )),
        // The user may switch nothing, which is reported next.
        Ok(Settled::Hidden(_)) if switches => {}
        Ok(Settled::Hidden(folder)) => output::aside(&format!(
            "nearfar: whether another nearfar switches settings meanwhile is unknown: {} is root's",
            folder.display()
        )),
        Ok(Settled::Restored) => output::aside(
            "nearfar: restored settings that an earlier nearfar had left when it was killed with \
             its guard",
        ),
        Err(why) if switches => return Err(why.into()),
        // It runs as well as any other program here.
        Err(why) => output::aside(&format!("nearfar: {why}")),
    }
    Ok(())
}
