//! A kept survey for Prometheus: its figures with bounds, verdict, claims, findings.

use std::collections::BTreeMap;

use nearfar_devices::DeviceFinding;
use nearfar_devices::irq::IrqFinding;
use nearfar_infer::Numa;
use nearfar_model::NodeId;
use nearfar_survey::{MiddleFigure, Survey};
use nearfar_view::text::exposition::{Exposition, Kind, Labels};

const NS_PER_S: f64 = 1e9;

/// Adds the metrics. What is not measured is absent.
pub fn add(out: &mut Exposition, survey: &Survey) {
    let info = vec![
        ("started", survey.provenance.started.clone()),
        ("model", survey.machine.model.clone()),
    ];
    let help = "The kept survey that figures are from.";
    out.family("nearfar_survey_info", Kind::Gauge, help, [(info, 1.0)]);
    add_latencies(out, survey);
    add_verdict(out, survey);
    let checks = survey.claims_vs_measured.iter().flat_map(|claims| &claims.checks);
    let checks = checks
        .map(|check| (vec![("claim", check.kind.name().to_owned())], check.findings.len() as f64));
    let help = "Findings about firmware's claims that measurements contradict.";
    out.family("nearfar_claim_mismatch", Kind::Gauge, help, checks);
    let devices = survey.devices.iter().flat_map(|devices| &devices.findings);
    let interrupts = survey.interrupts.iter().flat_map(|interrupts| &interrupts.findings);
    let codes = devices.map(DeviceFinding::code).chain(interrupts.map(IrqFinding::code));
    let mut counts = BTreeMap::<&str, u32>::new();
    for code in codes {
        *counts.entry(code).or_default() += 1;
    }
    let findings =
        counts.into_iter().map(|(code, count)| (vec![("code", code.to_owned())], f64::from(count)));
    let help = "Findings about devices and interrupts, by code (docs/why/diagnosis.md).";
    out.family("nearfar_finding", Kind::Gauge, help, findings);
}

/// Latencies from CPUs of a node to memory of a node.
fn add_latencies(out: &mut Exposition, survey: &Survey) {
    let cpus = survey.latency.rows.iter().filter_map(|row| row.node);
    let memories = || survey.latency.columns.iter().filter_map(|column| column.node);
    let pairs: BTreeMap<(NodeId, NodeId), MiddleFigure> = cpus
        .flat_map(|cpus| memories().map(move |memory| (cpus, memory)))
        .filter_map(|pair| Some((pair, survey.node_latency(pair.0, pair.1)?)))
        .collect();
    let samples = |of: fn(&MiddleFigure) -> Option<f64>| -> Vec<(Labels, f64)> {
        let label = |(from, to): &(NodeId, NodeId)| {
            vec![("from", from.to_string()), ("to", to.to_string())]
        };
        pairs.iter().filter_map(|(pair, one)| Some((label(pair), of(one)? / NS_PER_S))).collect()
    };
    let name = "nearfar_survey_latency_seconds";
    let help = "Latency of an access from CPUs of a node to memory of a node, in the kept survey.";
    out.family(name, Kind::Gauge, help, samples(|sample| Some(sample.median)));
    let help = "Lower end of the latency's 95 % interval.";
    let lower = samples(|sample| sample.ci95.map(|ends| ends[0]));
    out.family("nearfar_survey_latency_seconds_lower", Kind::Gauge, help, lower);
    let help = "Upper end of the latency's 95 % interval.";
    let upper = samples(|sample| sample.ci95.map(|ends| ends[1]));
    out.family("nearfar_survey_latency_seconds_upper", Kind::Gauge, help, upper);
}

fn add_verdict(out: &mut Exposition, survey: &Survey) {
    let verdict = &survey.verdict;
    let answers = [Numa::Yes, Numa::No, Numa::Undetermined].map(|answer| {
        let holds = u8::from(answer == verdict.numa);
        (vec![("numa", answer.to_string())], f64::from(holds))
    });
    let help = "The survey's verdict: 1 for the answer that holds.";
    out.family("nearfar_verdict", Kind::Gauge, help, answers);
    let unlabelled = |value: Option<f64>| value.map(|value| (Vec::new(), value));
    let help = "Farthest over nearest memory minus 1: 0.72 is 1.72 times.";
    out.family("nearfar_verdict_effect_ratio", Kind::Gauge, help, unlabelled(verdict.effect));
    for (end, name) in ["lower", "upper"].into_iter().enumerate() {
        let family = format!("nearfar_verdict_effect_ratio_{name}");
        let help = "An end of the effect's 95 % interval.";
        out.family(&family, Kind::Gauge, help, unlabelled(verdict.ci95.map(|ends| ends[end])));
    }
}

#[cfg(test)]
mod tests;
