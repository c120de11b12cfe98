//! What pictures of one instrument depend on beside its own part of the survey.

use super::changes::Changes;

/// What pictures of one instrument depend on beside its own part of the survey.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PictureOptions<'c> {
    /// Cells that are among these changes, and real, are framed.
    pub(crate) changes: Option<&'c Changes<'c>>,
    /// The survey's seed, by which cells are judged.
    pub(crate) seed: u64,
}
