//! A program's time at another latency, from its response.

use serde::{Deserialize, Serialize};

use super::{Response, ResponseFigure, ResponseVerdict};

/// A latency with the ends of its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct LatencyRange {
    /// Nanoseconds.
    pub ns: f64,
    /// The ends of its 95 % interval, or of what sources published.
    pub range: [f64; 2],
}

impl LatencyRange {
    /// The mean of several with these weights, whose sum is 1.
    pub fn mean(of: &[(f64, Self)]) -> Self {
        let sum = |part: fn(&Self) -> f64| of.iter().map(|(weight, one)| weight * part(one)).sum();
        Self { ns: sum(|one| one.ns), range: [sum(|one| one.range[0]), sum(|one| one.range[1])] }
    }
}

/// Why there is no forecast.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ForecastRefusal {
    /// There is no slope: too few blocks, or doses that are alike.
    NoResponse,
    /// The response bends: bandwidth limits it, and the other machine's curve is not known.
    Bends,
    /// Far memory costs more than its latency can: bandwidth limits the program, and the other
    /// machine's is not known.
    Bandwidth,
    /// The line leads to no time at all.
    OutOfRange,
    /// The response was measured without a survey: its doses have no latency.
    NoLatencies,
}

/// How much more time the program takes at one latency than at another: 0.5 is 50 % more. The
/// interval has the response's and the latencies', in quadrature: their errors are independent.
///
/// `is_measured_here`: both latencies are of the machine of the response, so that a bent curve
/// holds within its doses.
///
/// # Errors
///
/// The response has no slope, bends, or is larger than what latency can cost.
pub fn forecast(
    response: &Response,
    from: LatencyRange,
    to: LatencyRange,
    is_measured_here: bool,
) -> Result<ResponseFigure, ForecastRefusal> {
    let effect = response.effect.ok_or(ForecastRefusal::NoResponse)?;
    if matches!(response.verdict, ResponseVerdict::TooFewBlocks | ResponseVerdict::SameDose) {
        return Err(ForecastRefusal::NoResponse);
    }
    let slack = 0.02 * (response.highest - response.lowest);
    let doses = response.lowest - slack..=response.highest + slack;
    let is_within = is_measured_here && doses.contains(&from.ns) && doses.contains(&to.ns);
    if response.bends && !is_within {
        return Err(ForecastRefusal::Bends);
    }
    if !is_measured_here && response.exceeds_latency() {
        return Err(ForecastRefusal::Bandwidth);
    }
    let change = |value: f64, from: f64, to: f64| {
        let fixed =
            Response { effect: Some(ResponseFigure { value, ..effect }), ..response.clone() };
        let time = |dose| fixed.time_at(dose).map(|time| time.value).filter(|time| *time > 0.0);
        Some(time(to)? / time(from)? - 1.0)
    };
    let value = change(effect.value, from.ns, to.ns).ok_or(ForecastRefusal::OutOfRange)?;
    let (mut below, mut above) = (0.0, 0.0);
    for [low, high] in [
        effect.ci95.map(|end| change(end, from.ns, to.ns)),
        from.range.map(|end| change(effect.value, end, to.ns)),
        to.range.map(|end| change(effect.value, from.ns, end)),
    ] {
        let (low, high) = low.zip(high).ok_or(ForecastRefusal::OutOfRange)?;
        below += (low.min(high) - value).min(0.0).powi(2);
        above += (low.max(high) - value).max(0.0).powi(2);
    }
    Ok(ResponseFigure { value, ci95: [value - below.sqrt(), value + above.sqrt()] })
}
