//! A recipe's file: TOML, checked key by key.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use serde::Deserialize;
use toml::Spanned;

use super::{Need, Recipe, RecipeError, RecipePlacement};
use crate::axes::Variable;
use crate::configuration::PER_NODE;
use crate::metric::Metric;
use crate::system::SystemSetting;

/// Time limit of a run, in seconds, where the file has none.
const TIMEOUT_S: u32 = 120;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RecipeFile {
    question: String,
    #[serde(default)]
    needs: Vec<Need>,
    #[serde(default)]
    folders: Vec<String>,
    placements: Vec<Spanned<String>>,
    #[serde(default)]
    not_as_root: bool,
    timeout_s: Option<u32>,
    metric: Option<MetricKeys>,
    steps: StepKeys,
    #[serde(default)]
    variables: BTreeMap<String, Spanned<Vec<String>>>,
    #[serde(default)]
    system: SystemKeys,
    answer: AnswerKeys,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MetricKeys {
    name: Spanned<String>,
    pattern: Spanned<String>,
    better: Better,
}

#[derive(Deserialize, PartialEq)]
#[serde(rename_all = "kebab-case")]
enum Better {
    More,
    Less,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StepKeys {
    setup: Option<String>,
    start: Option<Spanned<String>>,
    ready: Option<String>,
    warm: Option<String>,
    load: String,
    stop: Option<String>,
    cleanup: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct SystemKeys {
    #[serde(default)]
    thp: Vec<Spanned<String>>,
    #[serde(default)]
    balancing: Vec<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AnswerKeys {
    unit: Option<String>,
    command: Spanned<String>,
}

/// A file and its text: errors name the line.
struct RecipeText<'a> {
    file: &'a str,
    text: &'a str,
}

impl RecipeText<'_> {
    fn wrong(&self, at: &Range<usize>, why: String) -> RecipeError {
        let before = self.text.get(..at.start).unwrap_or(self.text);
        let line = before.matches('\n').count() + 1;
        RecipeError::Wrong { file: self.file.to_owned(), line, why }
    }

    fn syntax(&self, error: &toml::de::Error) -> RecipeError {
        let span = error.span().unwrap_or(0..0);
        let why = error.message().replace('\n', "; ");
        match span.start == 0 && why.starts_with("missing field") {
            true => RecipeError::Missing { file: self.file.to_owned(), why },
            false => self.wrong(&span, why),
        }
    }

    fn placements(&self, keys: &RecipeFile) -> Result<Vec<RecipePlacement>, RecipeError> {
        let adds_up = keys.metric.as_ref().is_some_and(|metric| metric.better == Better::More);
        let one = |name: &Spanned<String>| {
            let (key, text) = ("placements", name.get_ref());
            if text == PER_NODE && !adds_up {
                let why = format!("{key}: {PER_NODE} needs a metric with better = \"more\"");
                return Err(self.wrong(&name.span(), why));
            }
            text.parse().map_err(|error| self.wrong(&name.span(), format!("{key}: {error}")))
        };
        keys.placements.iter().map(one).collect()
    }

    fn metric(&self, keys: &MetricKeys) -> Result<Metric, RecipeError> {
        let MetricKeys { name, pattern, .. } = keys;
        if name.get_ref().trim().is_empty() || name.get_ref().contains('=') {
            let why = "metric.name: write a name without '='".to_owned();
            return Err(self.wrong(&name.span(), why));
        }
        let text = format!("{}={}", name.get_ref(), pattern.get_ref());
        let reason = |error: crate::SweepError| match error {
            crate::SweepError::BadMetric(_, why) => why,
            other => other.to_string(),
        };
        text.parse().map_err(|error| {
            self.wrong(&pattern.span(), format!("metric.pattern: {}", reason(error)))
        })
    }

    fn variable(
        &self,
        (name, values): (String, Spanned<Vec<String>>),
    ) -> Result<Variable, RecipeError> {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let is_right = !values.get_ref().is_empty()
            && name.chars().all(is_name)
            && !name.starts_with(|c: char| c.is_ascii_digit());
        if !is_right {
            let why = format!("variables.{name}: write NAME = [\"value\", \"value\"]");
            return Err(self.wrong(&values.span(), why));
        }
        Ok(Variable { name, values: values.into_inner() })
    }

    fn switches(&self, keys: SystemKeys) -> Result<Vec<(SystemSetting, Vec<String>)>, RecipeError> {
        let all = [
            (SystemSetting::Thp, keys.thp, &["always", "madvise", "never"][..]),
            (SystemSetting::Balancing, keys.balancing, &["on", "off"]),
        ];
        let mut switches = Vec::new();
        for (setting, values, known) in all.into_iter().filter(|(_, values, _)| !values.is_empty())
        {
            let name = setting.name();
            if let Some(other) =
                values.iter().find(|value| !known.contains(&value.get_ref().as_str()))
            {
                let why = format!("system.{name}: values are {}", known.join(", "));
                return Err(self.wrong(&other.span(), why));
            }
            switches.push((setting, values.into_iter().map(Spanned::into_inner).collect()));
        }
        Ok(switches)
    }

    /// A start belongs to no run's time.
    fn check_start(&self, keys: &RecipeFile) -> Result<(), RecipeError> {
        match &keys.steps.start {
            Some(start) if keys.metric.is_none() => {
                let why = "steps.start: a program that is started needs a [metric]: the run's \
                           time has the start in it";
                Err(self.wrong(&start.span(), why.to_owned()))
            }
            _ => Ok(()),
        }
    }

    fn check_command(&self, command: &Spanned<String>) -> Result<(), RecipeError> {
        match shlex::split(command.get_ref()) {
            Some(words) if !words.is_empty() => Ok(()),
            _ => {
                let why = "answer.command: write a command line, with each quote closed";
                Err(self.wrong(&command.span(), why.to_owned()))
            }
        }
    }
}

impl StepKeys {
    fn scripts(self) -> Vec<(&'static str, String)> {
        let all = [
            ("setup", self.setup),
            ("start", self.start.map(Spanned::into_inner)),
            ("ready", self.ready),
            ("warm", self.warm),
            ("load", Some(self.load)),
            ("stop", self.stop),
            ("cleanup", self.cleanup),
        ];
        all.into_iter().filter_map(|(name, script)| Some((name, script?))).collect()
    }
}

impl Recipe {
    /// A recipe's text; `file` is for errors.
    pub fn parse(name: &str, file: &str, text: &str) -> Result<Self, RecipeError> {
        let source = RecipeText { file, text };
        let keys: RecipeFile = toml::from_str(text).map_err(|error| source.syntax(&error))?;
        source.check_start(&keys)?;
        source.check_command(&keys.answer.command)?;
        let placements = source.placements(&keys)?;
        let metric = keys.metric.as_ref().map(|metric| source.metric(metric)).transpose()?;
        let higher_is_better =
            keys.metric.as_ref().is_some_and(|metric| metric.better == Better::More);
        let variables = keys.variables.into_iter().map(|one| source.variable(one));
        Ok(Self {
            name: name.to_owned(),
            question: keys.question,
            needs: keys.needs,
            folders: keys.folders,
            placements,
            not_as_root: keys.not_as_root,
            timeout: Duration::from_secs(keys.timeout_s.unwrap_or(TIMEOUT_S).into()),
            metric,
            higher_is_better,
            steps: keys.steps.scripts(),
            variables: variables.collect::<Result<_, _>>()?,
            switches: source.switches(keys.system)?,
            unit: keys.answer.unit,
            command: keys.answer.command.into_inner(),
        })
    }
}

#[cfg(test)]
mod tests;
