use super::*;
use crate::draw::AxisScale;

fn one(values: Vec<f64>, across: Quantity) -> Dots {
    Dots {
        across,
        rows: vec![DotRow { name: "a".to_owned(), values, ..DotRow::default() }],
        ..Dots::default()
    }
}

#[test]
fn many_values_are_thinned_with_a_note() {
    let body =
        one((0..1000).map(f64::from).collect(), Quantity::default()).drawing().body.into_string();
    assert_eq!(body.matches("h0").count(), MAX_DOTS);
    assert!(body.contains("show 300 of them"));
}

#[test]
fn what_cannot_stand_on_the_axis_is_counted_and_not_drawn() {
    let across = Quantity { spacing: AxisScale::Logarithmic, ..Quantity::default() };
    let dots = one(vec![1.0, 0.0, -3.0, f64::INFINITY, 10.0], across);
    assert_eq!(dots.drawing().body.into_string().matches("h0").count(), 2);
    assert!(
        dots.in_terminal(&Screen::PLAIN)
            .unwrap()
            .contains("3 of the values cannot stand on this axis.")
    );
}

#[test]
fn quartiles_in_any_order_make_a_box_around_the_median() {
    let row = DotRow { boxes: vec![[3.0, 1.0, 2.0]], ..DotRow::default() };
    let text = Dots { rows: vec![row], ..Dots::default() }.in_terminal(&Screen::PLAIN).unwrap();
    let line = text.lines().next().unwrap();
    assert!(line.trim().starts_with('▒') && line.ends_with('▒') && line.contains('┃'), "{line}");
}
