//! A line of JSON, as a sweep and the processes that it starts talk to each other.

use std::io::{self, BufRead, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// What the other side tells.
pub(crate) fn hear<T: DeserializeOwned>(input: &mut impl BufRead) -> io::Result<T> {
    let mut line = String::new();
    input.read_line(&mut line)?;
    Ok(serde_json::from_str(&line)?)
}

/// Tells the other side.
pub(crate) fn tell(output: &mut impl Write, told: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(told)?;
    line.push(b'\n');
    output.write_all(&line)?;
    output.flush()
}
