//! A sweep by a recipe: its request, its files, its answer.

use std::env;
use std::ffi::OsString;
use std::fmt::Write;

use nearfar_machine::{Source, Topology};
use nearfar_model::NodeId;
use nearfar_sweep::recipe::{
    Recipe, RecipeError, RecipeFolder, builtin_recipes, per_node, unit_lines,
};
use nearfar_sweep::supervise::Supervisor;
use nearfar_sweep::{Configuration, Limits, Sweep, SweepRecipe, SystemSetting};
use nearfar_view::terminal::exit::WrongUsage;
use nearfar_view::terminal::output;

use super::SweepRequest;

/// Runs of a configuration that has no other to be compared with.
const RUNS_ALONE: u32 = 6;

/// A recipe that is run.
pub(crate) struct RecipeRun {
    folder: RecipeFolder,
    /// The nodes that get an instance each.
    nodes: Vec<NodeId>,
}

/// All recipes, and the packages that they lack here.
pub(crate) fn list() -> String {
    let path = path();
    let mut text = String::new();
    for recipe in builtin_recipes() {
        let _ = writeln!(text, "{:10}{}", recipe.name, recipe.question);
        let missing = recipe.missing_packages(&path);
        if !missing.is_empty() {
            let _ = writeln!(text, "{:10}not here: apt-get install {}", "", missing.join(" "));
        }
    }
    text + "\nnearfar sweep --recipe NAME runs one; with --dry-run it prints the recipe\n"
}

/// The request with what the recipe has.
pub(crate) fn requested(
    name: &str,
    request: SweepRequest,
    may_switch: bool,
) -> anyhow::Result<SweepRequest> {
    let recipe = Recipe::find(name).map_err(|error| match error {
        RecipeError::Unreadable { .. } => error.into(),
        error => anyhow::Error::from(WrongUsage(error.to_string())),
    })?;
    let path = path();
    if !request.dry_run {
        recipe.check_programs(&path)?;
    }
    let topology = Topology::read(&Source::live())?;
    let (mut placements, mut nodes) = (request.placements, Vec::new());
    if placements.is_empty() {
        nodes = recipe.instance_nodes(&topology);
        placements = recipe.placements_on(&topology);
    }
    let mut switches = request.switches;
    let own = from_today(recipe.switches_on(&topology), &Source::live());
    if switches.is_empty() && may_switch {
        switches = own;
    } else if !may_switch && !own.is_empty() {
        let names: Vec<&str> = own.iter().map(|(setting, _)| setting.name()).collect();
        let names = names.join(" and ");
        output::aside(&format!("nearfar: --allow-system-changes also varies {names} (as root)"));
    }
    let mut settings = request.settings;
    settings.timeout_s = settings.timeout_s.or(Some(recipe.timeout.as_secs_f64()));
    let (metric, higher_is_better) = (recipe.metric.clone(), recipe.higher_is_better);
    let variables = recipe.variables_on(&topology);
    let folder = RecipeFolder::new(recipe, &path, &env::current_exe()?, nodes.len())?;
    Ok(SweepRequest {
        placements,
        variables,
        switches,
        command: folder.command(),
        metric,
        higher_is_better,
        settings,
        recipe: Some(RecipeRun { folder, nodes }),
        ..request
    })
}

/// With the value of today first: it is what the others are compared with.
fn from_today(
    mut switches: Vec<(SystemSetting, Vec<String>)>,
    source: &Source,
) -> Vec<(SystemSetting, Vec<String>)> {
    for (setting, values) in &mut switches {
        if let Some(now) = setting.switch().and_then(|switch| switch.current(source)) {
            values.retain(|value| value != now);
            values.insert(0, now.to_owned());
        }
    }
    switches
}

impl RecipeRun {
    /// Runs the recipe's first step; whether it came to its end.
    pub(super) fn set_up(
        &mut self,
        supervisor: &Supervisor,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<bool, RecipeError> {
        output::status(&format!("nearfar: recipe {}: setup", self.folder.recipe.name));
        self.folder.set_up(supervisor, is_stopped)
    }

    /// Adds one instance a node to the configurations; what the document has of the recipe.
    pub(super) fn add_to(&self, all: &mut Vec<Configuration>, source: &Source) -> SweepRecipe {
        if let (Some(unbound), false) = (all.first(), self.nodes.is_empty()) {
            all.push(per_node(unbound, &self.nodes));
        }
        let recipe = &self.folder.recipe;
        let lines = |one: &Configuration| Some((one.id.clone(), unit_lines(recipe, one, source)?));
        SweepRecipe {
            name: recipe.name.clone(),
            question: recipe.question.clone(),
            unit: recipe.unit.clone(),
            command: recipe.command.clone(),
            unit_lines: all.iter().filter_map(lines).collect(),
        }
    }

    /// What else the document has of the recipe.
    pub(super) fn complete(&self, document: &mut Sweep) {
        let words = ["nearfar", "sweep", "--recipe", &self.folder.recipe.name];
        document.command = words.map(str::to_owned).to_vec();
        for one in &document.configurations {
            let placement = &one.configuration.placement;
            if !document.axes.placements.contains(placement) {
                document.axes.placements.push(placement.clone());
            }
        }
        let limits = document.limits;
        if document.configurations.len() == 1
            && limits == (Limits { budget_s: limits.budget_s, ..Limits::default() })
        {
            document.limits.most = RUNS_ALONE;
        }
    }
}

fn path() -> OsString {
    env::var_os("PATH").unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_setting_of_today_is_the_reference() {
        let thp = SystemSetting::Thp.switch().unwrap().path();
        let source = Source::from_files([(thp, "always [madvise] never")]);
        let values = |all: [&str; 2]| vec![(SystemSetting::Thp, all.map(str::to_owned).to_vec())];
        let ordered = from_today(values(["always", "never"]), &source);
        assert_eq!(ordered[0].1, ["madvise", "always", "never"]);
        let ordered = from_today(values(["always", "madvise"]), &source);
        assert_eq!(ordered[0].1, ["madvise", "always"]);
    }
}
