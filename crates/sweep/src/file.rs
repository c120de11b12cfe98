//! Kept sweeps, read back.

mod whole;

use std::path::Path;

use nearfar_model::{Bounded, Bytes};
use serde::Deserialize;

use crate::document::{SCHEMA, Sweep};
use crate::error::SweepError;

/// Larger files are refused.
const LARGEST: Bytes = Bytes::gib(1);

/// Reads a kept sweep; its figures are derived again.
pub fn read(path: &Path) -> Result<Sweep, SweepError> {
    let unreadable = |why: String| SweepError::Unreadable(path.to_owned(), why);
    let text =
        nearfar_view::input::read(path, LARGEST).map_err(|error| unreadable(error.to_string()))?;
    let explain = |error: serde_json::Error| match error.is_eof() {
        true => SweepError::CutOff(path.to_owned(), error.line()),
        false => unreadable(error.to_string()),
    };
    let mut value: serde_json::Value = serde_json::from_slice(&text).map_err(explain)?;
    let schema = value["schema"].as_str().unwrap_or("none");
    if schema != SCHEMA {
        return Err(SweepError::OtherSchema(path.to_owned(), schema.to_owned(), SCHEMA));
    }
    // They follow from the runs, and are derived below.
    value["answers"] = serde_json::json!({});
    let configurations = value.get_mut("configurations").and_then(serde_json::Value::as_array_mut);
    for configuration in
        configurations.into_iter().flatten().filter_map(serde_json::Value::as_object_mut)
    {
        for derived in ["median", "ci95", "cv", "min", "max", "user_s", "sys_s", "modes"] {
            configuration.insert(derived.to_owned(), serde_json::Value::Null);
        }
    }
    Bounded::deserialize(&value).map_err(|error| unreadable(error.to_string()))?;
    let mut sweep: Sweep =
        serde_json::from_value(value).map_err(|error| unreadable(error.to_string()))?;
    whole::check(&sweep).map_err(|why| SweepError::Damaged(path.to_owned(), why))?;
    sweep.judge();
    Ok(sweep)
}
