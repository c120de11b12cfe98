//! The machine that a user names: this one, a captured one, or files of what programs printed.

use std::path::{Path, PathBuf};

use nearfar_devices::SmiMatrix;
use nearfar_machine::text::sent as text;
use nearfar_machine::{Sent, SentError, Source};
use nearfar_view::terminal::output;

use crate::input;

/// Opens what `--root` names; without it, this machine.
///
/// What the files are, and disagree about, goes to stderr: it is not the command's answer.
pub(crate) fn source(paths: &[PathBuf]) -> Result<Source, SentError> {
    Ok(opened(paths)?.source)
}

fn opened(paths: &[PathBuf]) -> Result<Sent, SentError> {
    if paths.is_empty() {
        return Ok(Sent::whole(Source::live()));
    }
    let sent = open(paths)?;
    if sent.parts.len() + sent.not_understood.len() > 1 {
        text::parts(&sent).iter().for_each(|line| output::aside(line));
    }
    for conflict in &sent.conflicts {
        let ((left, has), (right, other)) = (&conflict.left, &conflict.right);
        output::aside(&format!("warning: {left}: {has}; {right}: {other}"));
    }
    Ok(sent)
}

/// The same, with the matrix of `nvidia-smi topo -m` among the files.
pub(crate) fn source_and_matrix(paths: &[PathBuf]) -> Result<SourceAndMatrix, SentError> {
    let sent = opened(paths)?;
    let matrix = smi_matrix(&sent);
    Ok((sent.source, matrix))
}

type SourceAndMatrix = (Source, Option<Result<SmiMatrix, String>>);

/// Opens files of one machine.
pub(crate) fn open(paths: &[PathBuf]) -> Result<Sent, SentError> {
    let first = paths.first().map_or(Path::new("-"), PathBuf::as_path);
    input::read(first, |_| Sent::open(paths))
}

/// The matrix of `nvidia-smi topo -m` among the files.
pub(crate) fn smi_matrix(sent: &Sent) -> Option<Result<SmiMatrix, String>> {
    let text = sent.parts.iter().find_map(|part| part.text.as_deref())?;
    // Other programs' devices are not NVIDIA's.
    let matrix = SmiMatrix::parse(text).ok()?;
    matrix.rows.iter().any(|row| row == "GPU0").then_some(Ok(matrix))
}
