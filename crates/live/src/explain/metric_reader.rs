//! Reads the metric of a trial.

use std::process::Command;
use std::time::{Duration, Instant};

use nearfar_machine::pmu::{CycleCounter, LivePmu};
use nearfar_machine::process::ProcessCounter;
use nearfar_machine::{EventSources, Process, Source};
use nearfar_view::terminal::Interrupt;

use crate::explain::ExplainError;
use crate::explain::pause::pause;
use crate::explain::{Metric, MetricKind};

/// Values of a command that is no counter are read this often in a period.
const READINGS: u32 = 4;

/// Reads one metric of some processes.
pub(crate) struct MetricReader<'s> {
    source: &'s Source,
    metric: Metric,
    pids: Vec<u32>,
}

impl<'s> MetricReader<'s> {
    /// Reads it once: a metric that cannot be read is an error before anything moves.
    pub(crate) fn new(
        source: &'s Source,
        metric: &Metric,
        pids: &[u32],
    ) -> Result<Self, ExplainError> {
        let reader = Self { source, metric: metric.clone(), pids: pids.to_vec() };
        match metric.kind {
            MetricKind::Cpi => drop(reader.cycles()?),
            MetricKind::Command | MetricKind::Counter => drop(reader.read()?),
        }
        Ok(reader)
    }

    /// The figure of a period: the mean, or the increase per second. `None` where the metric could
    /// not be read.
    pub(crate) fn figure(
        &self,
        period: Duration,
        interrupt: &Interrupt,
    ) -> Result<Option<f64>, ExplainError> {
        if self.metric.kind == MetricKind::Cpi {
            let mut counter = self.cycles()?;
            pause(period, interrupt)?;
            return Ok(counter.cycles_per_instruction());
        }
        if self.metric.is_counter {
            let (began, before) = (Instant::now(), self.read().ok());
            pause(period, interrupt)?;
            let (seconds, after) = (began.elapsed().as_secs_f64(), self.read().ok());
            return Ok(before.zip(after).map(|(before, after)| (after - before) / seconds));
        }
        let mut sum = Some(0.0);
        for _ in 0..READINGS {
            pause(period / READINGS, interrupt)?;
            sum = sum.and_then(|sum| Some(sum + self.read().ok()?));
        }
        Ok(sum.map(|sum| sum / f64::from(READINGS)))
    }

    /// Reads a command or a counter; cycles are counted over a period.
    fn read(&self) -> Result<f64, ExplainError> {
        match self.metric.kind {
            MetricKind::Command => self.read_command(),
            MetricKind::Counter | MetricKind::Cpi => self.read_counter(),
        }
    }

    /// Begins to count cycles and instructions of all threads.
    fn cycles(&self) -> Result<CycleCounter, ExplainError> {
        let threads =
            self.pids.iter().flat_map(|pid| Process::known(self.source, *pid).thread_ids());
        let threads: Vec<u32> = threads.collect();
        let sources = EventSources::read(self.source);
        CycleCounter::open(&LivePmu, &sources, &threads).map_err(ExplainError::Cycles)
    }

    fn read_command(&self) -> Result<f64, ExplainError> {
        let command = self.metric.name.clone();
        let pid = self.pids.first().map(u32::to_string).unwrap_or_default();
        let output =
            Command::new("/bin/sh").args(["-c", &command]).env("NEARFAR_PID", pid).output();
        let output = match output {
            Ok(output) => output,
            Err(source) => return Err(ExplainError::MetricNotStarted { command, source }),
        };
        if !output.status.success() {
            let (status, why) = (output.status, first_line(&output.stderr));
            return Err(ExplainError::MetricFailed { command, status, why });
        }
        let text = String::from_utf8_lossy(&output.stdout);
        let number = text.split_whitespace().next().and_then(|word| word.parse::<f64>().ok());
        let number = number.filter(|number| number.is_finite());
        number.ok_or_else(|| {
            let printed = first_line(&output.stdout);
            ExplainError::NoNumber { command, printed }
        })
    }

    /// The sum over the processes; those that have ended are absent.
    fn read_counter(&self) -> Result<f64, ExplainError> {
        let name = &self.metric.name;
        let counts = self.pids.iter().filter_map(|pid| {
            Process::known(self.source, *pid).counter(ProcessCounter::parse(name)?)
        });
        let counts: Vec<u64> = counts.collect();
        if counts.is_empty() {
            return Err(ExplainError::NoCounter { name: name.clone(), pid: self.pids[0] });
        }
        Ok(counts.iter().sum::<u64>() as f64)
    }
}

fn first_line(text: &[u8]) -> String {
    String::from_utf8_lossy(text).lines().next().unwrap_or_default().to_owned()
}
