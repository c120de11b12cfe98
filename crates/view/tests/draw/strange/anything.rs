//! Figures and names that break careless code.

use nearfar_view::draw::{AxisScale, Heading, Numbers, Quantity};
use proptest::prelude::*;

/// Any float, and often those that break arithmetic.
pub(crate) fn figure() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => 0.0..1000.0,
        2 => prop::num::f64::ANY,
        2 => prop::sample::select(vec![
            f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, 1e300, -1e300, f64::MAX,
            f64::MIN, 5e-324, 1e-310, -1.0, 9.9e299,
        ]),
    ]
}

/// Any text, and often markup, control and bidirectional characters, and very long names.
pub(crate) fn words() -> impl Strategy<Value = String> {
    let nasty = [
        "",
        "</svg>",
        "<script>alert(1)</script>",
        "\"/><b x='",
        "&#0;&amp;",
        "]]>",
        "\u{0}\u{1b}[31m\r\n\t",
        "\u{202e}cba\u{2066}",
        "\u{fffe}\u{ffff}",
        "内存节点",
    ];
    prop_oneof![
        4 => "[a-z]{1,8} ?[0-9]{0,3}",
        2 => any::<String>(),
        2 => prop::sample::select(nasty.map(str::to_owned).to_vec()),
        1 => (1usize..5000).prop_map(|count| "W<".repeat(count)),
    ]
}

pub(crate) fn flag() -> impl Strategy<Value = bool> {
    any::<bool>()
}

pub(crate) fn names() -> impl Strategy<Value = Vec<String>> {
    several(words(), 24)
}

pub(crate) fn several<S: Strategy>(one: S, most: usize) -> impl Strategy<Value = Vec<S::Value>> {
    prop::collection::vec(one, 0..=most)
}

pub(crate) fn heading() -> impl Strategy<Value = Heading> {
    (words(), words(), words()).prop_map(|(title, shows, marks)| Heading { title, shows, marks })
}

pub(crate) fn quantity() -> impl Strategy<Value = Quantity> {
    let spacing = prop::sample::select(vec![AxisScale::Linear, AxisScale::Logarithmic]);
    let numbers = prop::sample::select(vec![Numbers::Plain, Numbers::Bytes]);
    let reach = prop::option::of([figure(), figure()]);
    (words(), spacing, flag(), numbers, reach).prop_map(
        |(label, spacing, from_zero, numbers, reach)| Quantity {
            label,
            spacing,
            from_zero,
            numbers,
            reach,
        },
    )
}
