//! A value of a document, whatever its type: of limited size.

use serde::Deserialize;
use serde_json::Value;

use crate::limited_value;

/// A value of any type.
#[derive(Deserialize)]
pub(crate) struct OpenValue(#[serde(deserialize_with = "limited_value")] pub(crate) Value);
