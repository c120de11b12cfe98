//! Documents that an older version wrote, with their samples: `tests/older` was measured by commit
//! 495b113.
//!
//! They have no field `treatment`: a sample's column is column × treatments + treatment.

use std::path::Path;

use nearfar_survey::{MatrixCell, Survey, TreatmentMatrix, read};

fn older(name: &str) -> Survey {
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/older").join(name)).unwrap()
}

/// A cell's figures.
type Figures = [Option<f64>; 4];

fn figures<T>(part: &TreatmentMatrix<T>) -> Vec<Figures> {
    let of_cell =
        |cell: &MatrixCell<T>| [cell.q25, cell.median, cell.se, cell.ci95.map(|[low, _]| low)];
    part.matrix.cells.iter().map(of_cell).collect()
}

/// The figures that the document has, and those that its samples give today.
fn then_and_now<T>(
    name: &str,
    part: fn(&mut Survey) -> &mut TreatmentMatrix<T>,
) -> [Vec<Figures>; 2] {
    let mut survey = older(name);
    let kept = figures(part(&mut survey));
    for cell in &mut part(&mut survey).matrix.cells {
        (cell.q25, cell.median, cell.se, cell.ci95) = (None, None, None, None);
    }
    survey.judge().unwrap();
    [kept, figures(part(&mut survey))]
}

fn assert_same([then, now]: [Vec<Figures>; 2]) {
    assert!(then.iter().filter(|cell| cell[1].is_some()).count() >= 3, "{then:?}");
    assert_eq!(then, now);
}

#[test]
fn bandwidth_samples_give_the_same_figures() {
    assert_same(then_and_now("bandwidth.json", |survey| {
        &mut survey.bandwidth.as_mut().unwrap().part
    }));
}

#[test]
fn cache_samples_give_the_same_figures() {
    assert_same(then_and_now("caches.json", |survey| &mut survey.caches.as_mut().unwrap().part));
}

#[test]
fn loaded_latency_samples_give_the_same_figures() {
    assert_same(then_and_now("loaded.json", |survey| &mut survey.loaded.as_mut().unwrap().part));
}

#[test]
fn core_to_core_samples_give_the_same_figures() {
    assert_same(then_and_now("core-to-core.json", |survey| {
        &mut survey.core_to_core.as_mut().unwrap().part
    }));
}

#[test]
fn rewritten_samples_have_a_treatment_field() {
    let survey = older("core-to-core.json");
    let text = serde_json::to_string(&survey).unwrap();
    assert!(text.contains(r#""column","treatment","cpu""#));
    assert_eq!(serde_json::from_str::<Survey>(&text).unwrap(), survey);
}
