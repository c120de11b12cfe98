//! Figures: a metric of Prometheus, and what rows show of it between two readings.

use nearfar_model::Bytes;
use nearfar_view::text::exposition::{Exposition, Kind, Labels};

use crate::columns::Row;

const NS_PER_S: f64 = 1e9;

/// A figure of rows of type `R`.
pub(crate) struct Figure<R: Row> {
    pub(crate) help: &'static str,
    pub(crate) metric: Metric<R::Reading>,
    /// Sets the row's field.
    pub(crate) set: fn(&mut R, Option<f64>),
}

/// The name of a metric, and how it is read; `None` where it is not counted.
pub(crate) enum Metric<T> {
    /// It rises and falls.
    Gauge(&'static str, fn(&T) -> Option<f64>),
    /// It only rises. Rows show its rate.
    Counter(&'static str, fn(&T) -> Option<f64>),
    /// The sum of latencies in nanoseconds, and their number. Rows show the average.
    Latency(&'static str, fn(&T) -> Option<(f64, f64)>),
    /// Parts of a gauge by the value of a label. Rows show the sum.
    Parts(&'static str, &'static str, fn(&T) -> Vec<(String, f64)>),
}

impl<T> Metric<T> {
    /// What a row shows; `before` is the reading before, and the seconds since.
    fn shown(&self, before: Option<(&T, f64)>, now: &T) -> Option<f64> {
        match self {
            Self::Gauge(_, read) => read(now),
            Self::Counter(_, read) => {
                let (before, seconds) = before?;
                Some((read(now)? - read(before)?).max(0.0) / seconds)
            }
            Self::Latency(_, read) => {
                let ((sum_before, count_before), (sum, count)) = (read(before?.0)?, read(now)?);
                (count > count_before).then(|| (sum - sum_before) / (count - count_before))
            }
            Self::Parts(_, _, read) => Some(read(now).iter().map(|(_, part)| part).sum()),
        }
    }

    fn add(&self, out: &mut Exposition, help: &str, readings: &[(Labels, &T)]) {
        let single = |read: fn(&T) -> Option<f64>| {
            readings.iter().filter_map(move |(labels, it)| Some((labels.clone(), read(it)?)))
        };
        match *self {
            Self::Gauge(name, read) => out.family(name, Kind::Gauge, help, single(read)),
            Self::Counter(name, read) => out.family(name, Kind::Counter, help, single(read)),
            Self::Latency(name, read) => {
                let sums = readings.iter().filter_map(|(labels, reading)| {
                    let (ns, count) = read(reading)?;
                    Some((labels.clone(), ns / NS_PER_S, count))
                });
                out.summary(name, help, sums);
            }
            Self::Parts(name, label, read) => {
                let parts = readings.iter().flat_map(|(labels, reading)| {
                    read(reading).into_iter().map(|(value, part)| {
                        (labels.iter().cloned().chain([(label, value)]).collect(), part)
                    })
                });
                out.family(name, Kind::Gauge, help, parts);
            }
        }
    }
}

/// A row with all figures; without a reading before, nothing that is counted.
pub(crate) fn row<R: Row>(before: Option<(&R::Reading, f64)>, now: &R::Reading) -> R {
    let mut row = R::default();
    for figure in R::FIGURES {
        (figure.set)(&mut row, figure.metric.shown(before, now));
    }
    row
}

/// Adds the metrics of all figures.
pub(crate) fn add_metrics<R: Row>(out: &mut Exposition, readings: &[(Labels, &R::Reading)]) {
    for figure in R::FIGURES {
        figure.metric.add(out, &figure.help.trim().replace('`', ""), readings);
    }
}

/// The type of a figure in a row.
pub(crate) trait Shown {
    fn shown(value: Option<f64>) -> Self;
}

impl Shown for Option<f64> {
    fn shown(value: Option<f64>) -> Self {
        value
    }
}

impl Shown for Option<Bytes> {
    fn shown(value: Option<f64>) -> Self {
        value.map(|bytes| Bytes(bytes as u64))
    }
}

impl Shown for Bytes {
    fn shown(value: Option<f64>) -> Self {
        Self(value.unwrap_or_default() as u64)
    }
}
