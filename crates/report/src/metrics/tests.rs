use super::*;

#[test]
fn a_survey_has_figures_with_bounds_and_a_verdict() {
    let sketch = include_str!("../../../survey/src/sketch.json");
    let survey: Survey = serde_json::from_str(sketch).unwrap();
    let mut out = Exposition::default();
    add(&mut out, &survey);
    let text = out.into_text();
    for start in [
        "nearfar_survey_info{started=",
        "nearfar_survey_latency_seconds{from=\"0\",to=\"1\"} 0.000000165",
        "nearfar_survey_latency_seconds_lower{from=\"0\",to=\"1\"} 0.000000163",
        "nearfar_survey_latency_seconds_upper{from=\"0\",to=\"1\"} 0.000000167",
        "nearfar_verdict{numa=\"yes\"} ",
        "nearfar_verdict{numa=\"undetermined\"} ",
    ] {
        assert!(text.lines().any(|line| line.starts_with(start)), "{start} in\n{text}");
    }
}

#[test]
fn dashboard_and_alerts_ask_for_metrics_that_exist() {
    let dashboard = include_str!("../../../../docs/fleets/grafana.json");
    let alerts = include_str!("../../../../docs/fleets/prometheus-alerts.yml");
    assert!(serde_json::from_str::<serde_json::Value>(dashboard).is_ok());
    let both = [dashboard, alerts].concat();
    let sources = [
        include_str!("../metrics.rs"),
        include_str!("../../../cli/src/commands/export/snapshot.rs"),
        include_str!("../../../live/src/columns/nodes.rs"),
        include_str!("../../../live/src/columns/machine.rs"),
    ];
    let starts = both.match_indices("nearfar_").map(|(at, _)| &both[at..]);
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let names: Vec<&str> =
        starts.map(|rest| rest.split(|letter| !is_name(letter)).next().unwrap()).collect();
    assert!(names.len() > 10, "{names:?}");
    for name in names {
        // The ends of intervals have names that are made.
        let name = name.trim_end_matches("_lower").trim_end_matches("_upper");
        assert!(sources.iter().any(|source| source.contains(name)), "{name}");
    }
}
