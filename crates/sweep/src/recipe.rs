//! Recipes: how a program is started, warmed, loaded and read, and which placements suit it. Each
//! is a file of one form; some are built in.

mod builtin;
mod error;
mod file;
mod folder;
mod needs;
mod placements;
mod unit;

use std::time::Duration;

use crate::axes::Variable;
use crate::metric::Metric;
use crate::objective::Objective;
use crate::system::SystemSetting;

pub use builtin::{builtin_recipes, recipe_text};
pub use error::RecipeError;
pub use folder::RecipeFolder;
pub use needs::Need;
pub use placements::{RecipePlacement, per_node};
pub use unit::unit_lines;

/// A recipe.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// Its name: of a file without folder and `.toml`.
    pub name: String,
    /// What it answers.
    pub question: String,
    /// Programs that it needs.
    pub needs: Vec<Need>,
    /// Folders of programs besides those of PATH; a `*` stands for any name.
    pub folders: Vec<String>,
    /// What is compared with the program unbound.
    pub placements: Vec<RecipePlacement>,
    /// Whether the program refuses to run as root.
    pub not_as_root: bool,
    /// Time limit of a run.
    pub timeout: Duration,
    /// The figure of a run; its time without.
    pub metric: Option<Metric>,
    /// Whether more of the metric is better.
    pub higher_is_better: bool,
    /// Shell scripts by step.
    pub steps: Vec<(&'static str, String)>,
    /// Environment variables that are varied.
    pub variables: Vec<Variable>,
    /// Settings of the machine that may be varied.
    pub switches: Vec<(SystemSetting, Vec<String>)>,
    /// The systemd unit that starts the program, where there is one.
    pub unit: Option<String>,
    /// How the program is started by hand.
    pub command: String,
}

impl Recipe {
    /// What its runs are judged by.
    pub fn objective(&self) -> Objective {
        match &self.metric {
            Some(metric) => Objective {
                name: metric.name.clone(),
                metric: Some(metric.text.clone()),
                higher_is_better: self.higher_is_better,
            },
            None => Objective::wall(),
        }
    }
}
