//! The figure that runs are judged by: the program's time, or a figure that it prints.

use nearfar_infer::trials::{RatioTest, Summary, Trials};
use serde::{Deserialize, Serialize};

use crate::configuration::Configuration;
use crate::record::SweepRun;

/// What runs are judged by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Objective {
    /// "wall_s", or the metric's name.
    pub name: String,
    /// The metric as it was written; null for the time.
    pub metric: Option<String>,
    /// Whether more is better.
    pub higher_is_better: bool,
}

impl Objective {
    /// The time that the program takes, in seconds.
    pub fn wall() -> Self {
        Self { name: "wall_s".to_owned(), metric: None, higher_is_better: false }
    }

    /// The run time; of a metric its name, also its pattern and which direction is better.
    pub fn words(&self) -> String {
        let better = if self.higher_is_better { "more" } else { "less" };
        match &self.metric {
            None => "run time".to_owned(),
            Some(metric) => format!("{} (--metric '{metric}', {better} is better)", self.name),
        }
    }

    /// A run's figure, in its own unit; none where it failed.
    pub fn figure(&self, run: &SweepRun) -> Option<f64> {
        let figure = if self.metric.is_some() { run.metric } else { Some(run.wall_s) };
        figure.filter(|_| run.failed.is_none())
    }

    /// Runs of all configurations, as costs: lower is better.
    pub fn trials<'c>(
        &self,
        configurations: impl ExactSizeIterator<Item = &'c Configuration>,
    ) -> Trials {
        let mut trials = Trials::new(configurations.len());
        for (at, configuration) in configurations.enumerate() {
            let figures =
                configuration.runs.iter().filter_map(|run| Some((run.block, self.figure(run)?)));
            figures.for_each(|(block, figure)| trials.add(at, block, self.turned(figure)));
        }
        trials
    }

    /// A summary of costs as one of figures.
    pub fn summary(&self, of_costs: Summary) -> Summary {
        if !self.higher_is_better {
            return of_costs;
        }
        Summary {
            median: 1.0 / of_costs.median,
            ci95: of_costs.ci95.map(|[low, high]| [1.0 / high, 1.0 / low]),
            ..of_costs
        }
    }

    /// A comparison of costs as one of figures.
    pub fn compared(&self, of_costs: RatioTest) -> RatioTest {
        if self.higher_is_better { of_costs.inverse() } else { of_costs }
    }

    /// A ratio of costs, minus 1, as one of figures.
    pub fn ratio(&self, of_costs: f64) -> f64 {
        if self.higher_is_better { 1.0 / (1.0 + of_costs) - 1.0 } else { of_costs }
    }

    /// An interval of ratios of costs as one of figures.
    pub fn ratios(&self, [low, high]: [f64; 2]) -> [f64; 2] {
        match self.higher_is_better {
            true => [self.ratio(high), self.ratio(low)],
            false => [low, high],
        }
    }

    /// A figure as a cost, and a cost as a figure.
    pub fn turned(&self, value: f64) -> f64 {
        if self.higher_is_better { 1.0 / value } else { value }
    }
}
