//! Whatever they are given, curves, timelines, plans and graphs are drawn: whole XML, numbers in every attribute, all texts inside.

use nearfar_draw::{
    CacheGroup, CurvePoint, Curves, Die, GraphNode, Heading, Lane, LinkGraph, MachinePlan, Numbers, Package, Picture,
    PlaceMark, PlanLink, PlanNode, Quantity, Screen, Series, Spacing, Theme, Timeline, WIDTH, standalone,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

fn words() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "node [0-9]{1,2}",
        1 => ".{0,40}",
        1 => Just("<script>&\"'</script>\u{202e}\u{0}\u{1b}[2J".to_owned()),
        1 => (0usize..4000).prop_map(|n| "W".repeat(n)),
        1 => Just(String::new()),
    ]
}

fn figure() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => 0.1..1e4,
        1 => any::<f64>(),
        1 => prop::sample::select(vec![f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -1.0, 1e300, 1e-300, f64::MAX]),
    ]
}

fn heading() -> impl Strategy<Value = Heading> {
    (words(), words()).prop_map(|(title, description)| Heading { title, description })
}

fn quantity() -> impl Strategy<Value = Quantity> {
    (words(), any::<[bool; 3]>()).prop_map(|(label, [logarithmic, from_zero, bytes])| Quantity {
        label,
        spacing: if logarithmic { Spacing::Logarithmic } else { Spacing::Linear },
        from_zero,
        numbers: if bytes { Numbers::Bytes } else { Numbers::Plain },
    })
}

fn interval() -> impl Strategy<Value = Option<[f64; 2]>> {
    option::of([figure(), figure()])
}

fn series() -> impl Strategy<Value = Series> {
    let point = (figure(), figure(), interval()).prop_map(|(x, y, interval)| CurvePoint { x, y, interval });
    (words(), vec(point, 0..70), vec([figure(), figure()], 0..9)).prop_map(|(name, points, fit)| Series {
        name,
        points,
        fit,
    })
}

fn curves() -> impl Strategy<Value = Curves> {
    let mark = (figure(), interval(), words(), any::<bool>()).prop_map(|(x, interval, label, claimed)| PlaceMark {
        x,
        interval,
        label,
        claimed,
    });
    let many = prop_oneof![6 => vec(series(), 0..12), 1 => vec(series(), 38..45)];
    (heading(), quantity(), quantity(), many, vec(mark, 0..9)).prop_map(|(heading, across, up, series, marks)| Curves {
        heading,
        across,
        up,
        series,
        marks,
    })
}

fn timeline() -> impl Strategy<Value = Timeline> {
    let slot = || prop_oneof![8 => 0usize..900, 1 => any::<usize>()];
    let lane = (words(), vec((slot(), any::<u64>()), 0..20)).prop_map(|(name, counts)| Lane { name, counts });
    (heading(), words(), words(), slot(), vec(lane, 0..60), vec(slot(), 0..9)).prop_map(
        |(heading, slot, counted, slots, lanes, starts)| Timeline { heading, slot, counted, slots, lanes, starts },
    )
}

fn node() -> impl Strategy<Value = PlanNode> {
    let cpus = prop_oneof![3 => "[0-9]{1,3}-[0-9]{1,3}(,[0-9]{1,3}){0,9}", 1 => words()];
    let cores = prop_oneof![6 => 0usize..40, 1 => any::<usize>()];
    let group = (cpus, cores, words()).prop_map(|(cpus, cores, cache)| CacheGroup { cpus, cores, cache });
    let die = (words(), vec(group, 0..6)).prop_map(|(name, groups)| Die { name, groups });
    (0u32..20, words(), words(), vec(die, 0..5), vec(words(), 0..4))
        .prop_map(|(id, name, memory, dies, devices)| PlanNode { id, name, memory, dies, devices })
}

fn links() -> impl Strategy<Value = Vec<PlanLink>> {
    let link = ([0u32..20, 0u32..20], words(), any::<bool>()).prop_map(|(ends, label, claimed)| PlanLink {
        ends,
        label,
        claimed,
    });
    vec(link, 0..16)
}

fn plan() -> impl Strategy<Value = MachinePlan> {
    let package = (words(), vec(node(), 0..7)).prop_map(|(name, nodes)| Package { name, nodes });
    (heading(), vec(package, 0..12), vec(node(), 0..6), links())
        .prop_map(|(heading, packages, apart, links)| MachinePlan { heading, packages, apart, links })
}

fn graph() -> impl Strategy<Value = LinkGraph> {
    let node = (0u32..20, words(), words()).prop_map(|(id, name, group)| GraphNode { id, name, group });
    (heading(), vec(node, 0..70), links()).prop_map(|(heading, nodes, links)| LinkGraph { heading, nodes, links })
}

/// Everything that must hold of every drawing.
fn is_sound(picture: &dyn Picture) -> Result<(), TestCaseError> {
    let drawing = picture.drawing();
    prop_assert!(drawing.width <= WIDTH && drawing.width > 0.0 && drawing.height.is_finite());
    let svg = standalone(picture, Theme::Light);
    prop_assert_eq!(&svg, &standalone(picture, Theme::Light), "the same bytes");
    let tree = roxmltree::Document::parse(&svg).map_err(|e| TestCaseError::fail(e.to_string()))?;
    for element in tree.descendants().filter(roxmltree::Node::is_element) {
        for attribute in element.attributes() {
            let value = attribute.value();
            prop_assert!(!value.contains("NaN") && !value.contains("inf"), "{}={}", attribute.name(), value);
        }
        let placed = element.ancestors().any(|a| a.attribute("transform").is_some());
        if element.has_tag_name("text") && placed {
            is_inside(&element, drawing.width, drawing.height)?;
        }
    }
    let table = picture.table();
    prop_assert!(table.rows.iter().all(|row| row.len() == table.columns.len()));
    for columns in [0, 32, 46, usize::MAX] {
        let _ = picture.in_terminal(&Screen { columns, ..Screen::PLAIN });
    }
    for screen in [Screen::PLAIN, Screen { columns: 40, colours: true, unicode: false }] {
        for line in picture.in_terminal(&screen).iter().flat_map(|shown| shown.lines()) {
            prop_assert!(line.chars().count() <= screen.columns, "{line}");
            let strange = line.contains('\u{202e}') || line.contains("\u{1b}[2J");
            prop_assert!(!strange, "{line:?}");
        }
    }
    Ok(())
}

/// Where a text of the drawing stands, from its anchor.
fn is_inside(element: &roxmltree::Node<'_, '_>, width: f64, height: f64) -> Result<(), TestCaseError> {
    let number = |name: &str| element.attribute(name).and_then(|value| value.parse::<f64>().ok());
    if let (Some(x), Some(y)) = (number("x"), number("y")) {
        prop_assert!((0.0..=width).contains(&x) && (0.0..=height).contains(&y), "{x} {y} of {width} {height}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn curves_are_sound(picture in curves()) {
        is_sound(&picture)?;
    }

    #[test]
    fn timelines_are_sound(picture in timeline()) {
        is_sound(&picture)?;
    }

    #[test]
    fn plans_are_sound(picture in plan()) {
        is_sound(&picture)?;
    }

    #[test]
    fn graphs_are_sound(picture in graph()) {
        is_sound(&picture)?;
    }
}

#[test]
fn a_node_of_a_thousand_caches_is_summed_up() {
    let group = |k: usize| CacheGroup { cpus: k.to_string(), cores: 1, cache: "L2 1 MiB".into() };
    let die = Die { name: String::new(), groups: (0..1024).map(group).collect() };
    let node = PlanNode { name: "node 0".into(), memory: "1 TiB".into(), dies: vec![die], ..PlanNode::default() };
    let package = Package { name: "package 0".into(), nodes: vec![node] };
    let plan = MachinePlan { packages: vec![package], ..MachinePlan::default() };
    assert!(standalone(&plan, Theme::Light).contains("1024 cache groups of 1 CPU"));
    assert!(plan.drawing().height < 400.0);
}
