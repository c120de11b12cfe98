//! Arbitrary tables and logs give a verdict, and the same one each time.

use nearfar_diagnose::{Diagnosis, diagnose, performance};
use proptest::prelude::*;

use crate::arbitrary_machines;

proptest! {
    #[test]
    fn any_input_gives_a_verdict(witnesses in arbitrary_machines::witnesses()) {
        let diagnosis = diagnose(&witnesses);
        prop_assert_eq!(&diagnosis, &diagnose(&witnesses));
        let text = serde_json::to_string(&diagnosis).unwrap();
        prop_assert_eq!(diagnosis, serde_json::from_str::<Diagnosis>(&text).unwrap());
        performance(&witnesses);
    }
}
