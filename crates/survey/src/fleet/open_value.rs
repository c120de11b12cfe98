//! A value of a document, whatever its type: of limited size.

use crate::limited_value;
use serde::Deserialize;
use serde_json::Value;

/// A value of any type.
#[derive(Deserialize)]
pub(crate) struct OpenValue(#[serde(deserialize_with = "limited_value")] pub(crate) Value);
