use super::LabelSpace;
use super::*;
use crate::draw::block::Frame;

fn point(name: &str, x: f64, y: f64, on_front: bool) -> FrontPoint {
    FrontPoint { name: name.to_owned(), x, y, on_front, ..FrontPoint::default() }
}

#[test]
fn names_stand_on_nothing() {
    let room = Frame { x: 0.0, y: 0.0, width: 100.0, height: 60.0 };
    let mut labels = LabelSpace::new(room, false);
    labels.take(Frame::between((50.0, 30.0), (50.0, 30.0), 5.0));
    let first = labels.place((50.0, 30.0), (30.0, 16.0)).unwrap();
    assert!(first.right() <= 45.0, "{first:?}");
    let others: Vec<Frame> =
        (0..20).map_while(|_| labels.place((50.0, 30.0), (30.0, 16.0))).collect();
    assert!(others.len() < 20);
    for (k, a) in others.iter().enumerate() {
        for b in others[k + 1..].iter().chain([&first]) {
            assert!(!a.touches(b, 0.0), "{a:?} {b:?}");
        }
    }
}

#[test]
fn names_without_a_place_are_in_the_key() {
    let crowd = (0..30).map(|k| point(&format!("placement number {k}"), 1.0, 1.0, true)).collect();
    let body = Front { points: crowd, ..Front::default() }.drawing().body.into_string();
    for k in 0..30 {
        assert!(
            body.matches(&format!("placement number {k}")).count() >= 2,
            "{k} is only in tooltips"
        );
    }
}

#[test]
fn the_better_corner_follows_what_is_better() {
    for (more_is_better, side) in [(false, "lower left"), (true, "lower right")] {
        let front =
            Front { points: vec![point("a", 1.0, 2.0, true)], more_is_better, ..Front::default() };
        assert!(front.in_terminal(&Screen::PLAIN).unwrap().contains(side));
        assert!(front.drawing().body.into_string().contains(side));
    }
}
