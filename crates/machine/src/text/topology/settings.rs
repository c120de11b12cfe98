//! The settings that matter to measuring, a line each, as far as they are known.

use nearfar_view::text::named_nodes;

use crate::environment::{FrequencySettings, IdleState, PagingSettings, Prefetchers, SystemLoad};
use crate::memory_tier::MemoryTier;
use crate::{Environment, Topology};

use super::{nodes, short_list};

/// A line for each theme; unknown themes are left out.
pub(super) fn text(topology: &Topology, environment: &Environment) -> String {
    let themes = [
        ("clock", clock(&environment.frequency)),
        ("idle states", environment.idle.states.iter().map(idle_state).collect()),
        ("prefetchers", prefetchers(&environment.prefetchers)),
        ("SMT", environment.smt.as_deref().map(smt).into_iter().collect()),
        ("huge pages", huge_pages(topology, &environment.paging)),
        ("page moves", page_moves(&environment.paging)),
        (
            "cache-aware scheduling",
            environment.cache_aware_scheduling.map(on_off).map(str::to_owned).into_iter().collect(),
        ),
        ("memory tiers", memory_tiers(&environment.paging)),
        (
            "tickless",
            environment
                .boot
                .nohz_full
                .iter()
                .filter(|set| !set.is_empty())
                .map(short_list)
                .collect(),
        ),
        ("command line", command_line(environment)),
        ("load", load(&environment.load)),
    ];
    let known = themes.iter().filter(|(_, facts)| !facts.is_empty());
    let lines: Vec<String> =
        known.map(|(theme, facts)| format!("  {theme}: {}\n", facts.join(", "))).collect();
    if lines.is_empty() { String::new() } else { "Settings\n".to_owned() + &lines.concat() }
}

/// The kernel's word in plain English.
fn smt(word: &str) -> String {
    match word {
        "notsupported" => "not supported",
        "notimplemented" => "not implemented by this kernel",
        "forceoff" => "off until the next boot",
        word => word,
    }
    .to_owned()
}

/// The known parameters; none are worth no line.
fn command_line(environment: &Environment) -> Vec<String> {
    let Some(known) = &environment.boot.command_line else { return Vec::new() };
    Some(known.text()).filter(|text| !text.is_empty()).into_iter().collect()
}

fn clock(frequency: &FrequencySettings) -> Vec<String> {
    let ghz = |khz: u64| format!("{:.2} GHz", khz as f64 / 1e6);
    let mut facts: Vec<String> = Vec::new();
    facts.extend(frequency.driver.as_ref().map(|driver| format!("driver {driver}")));
    if !frequency.governors.is_empty() {
        facts.push(format!("governor {}", frequency.governors.join(" and ")));
    }
    facts.extend(frequency.turbo.map(|on| format!("turbo {}", on_off(on))));
    if let (Some(min), Some(max)) = (frequency.min_khz, frequency.max_khz) {
        facts.push(format!("{} to {}", ghz(min), ghz(max)));
    }
    facts
}

fn idle_state(state: &IdleState) -> String {
    let latency = state.latency_ns.map(|ns| format!("{} us", ns / 1000));
    let off = (!state.enabled).then(|| "off".to_owned());
    let notes: Vec<String> = [latency, off].into_iter().flatten().collect();
    if notes.is_empty() {
        state.name.clone()
    } else {
        format!("{} ({})", state.name, notes.join(", "))
    }
}

fn prefetchers(prefetchers: &Prefetchers) -> Vec<String> {
    match (&prefetchers.state, &prefetchers.why) {
        (Some(state), _) => {
            state.iter().map(|one| format!("{} {}", one.name, on_off(one.enabled))).collect()
        }
        (None, Some(why)) => vec![format!("unknown ({why})")],
        (None, None) => Vec::new(),
    }
}

fn huge_pages(topology: &Topology, paging: &PagingSettings) -> Vec<String> {
    let mut facts: Vec<String> = Vec::new();
    facts.extend(paging.thp_enabled.as_ref().map(|chosen| format!("transparent {chosen}")));
    facts.extend(paging.thp_defrag.as_ref().map(|chosen| format!("defrag {chosen}")));
    facts.extend(topology.huge_pages.iter().filter(|pool| pool.total > 0).map(nodes::pool));
    facts
}

fn page_moves(paging: &PagingSettings) -> Vec<String> {
    let number = |name: &str, value: Option<u32>| value.map(|value| format!("{name} {value}"));
    let facts = [
        number("numa_balancing", paging.numa_balancing),
        number("zone_reclaim_mode", paging.zone_reclaim_mode),
        paging.demotion.map(|on| format!("demotion {}", on_off(on))),
        paging.node_reclaim.then(|| "reclaim by node (nodeN/reclaim)".to_owned()),
        number("ksm", paging.ksm),
    ];
    facts.into_iter().flatten().collect()
}

fn memory_tiers(paging: &PagingSettings) -> Vec<String> {
    let tier = |tier: &MemoryTier| format!("tier {} has {}", tier.id, named_nodes(&tier.nodes));
    paging.tiers.iter().map(tier).collect()
}

fn load(load: &SystemLoad) -> Vec<String> {
    let average =
        load.average.map(|[one, five, fifteen]| format!("{one:.2} {five:.2} {fifteen:.2}"));
    let quota = load.cpu_quota.map(|cpus| format!("limited to {cpus:.2} CPUs' worth of time"));
    [average, quota].into_iter().flatten().collect()
}

const fn on_off(on: bool) -> &'static str {
    if on { "on" } else { "off" }
}
