//! A search on this machine.

use std::time::Duration;

use nearfar_model::{Bytes, MatrixShape};
use nearfar_place::affinity;

use super::*;
use crate::layout_column::MemoryJob;
use crate::worker::station::WorkSetup;

pub(super) fn setup(pages: usize, hold: Bytes) -> HiddenSetup {
    HiddenSetup {
        rows: vec![affinity().unwrap(); 2],
        memories: vec![MemoryJob::default()],
        pages,
        lines: 64,
        references: 2,
        hold,
        touch_at_least: Bytes(0),
        touch_for: Duration::from_secs(5),
    }
}

#[test]
fn columns_are_pages_then_lines_then_the_reference() {
    let setup = setup(3, Bytes::mib(8));
    setup.check().unwrap();
    assert_eq!(setup.shape(), MatrixShape::new(2, 6));
    let targets: Vec<Target> = (0..6).map(|column| setup.target(column)).collect();
    assert_eq!(targets[..3], [Target::Page(0), Target::Page(1), Target::Page(2)]);
    assert_eq!(targets[3..], [Target::Lines, Target::Reference, Target::Reference]);
    assert_eq!((setup.lines_column(), setup.reference_columns()), (3, 4..6));
}

#[test]
fn zero_pages_and_too_many_are_refused() {
    assert!(setup(0, Bytes::mib(8)).check().is_err());
    assert!(setup(usize::MAX, Bytes::mib(8)).check().is_err());
    let message = setup(5, Bytes::mib(8)).check().unwrap_err().to_string();
    assert!(message.contains("5 pages of 2 MiB in 8 MiB"), "{message}");
    assert!(HiddenSetup { memories: vec![], ..setup(1, Bytes::mib(8)) }.check().is_err());
}
