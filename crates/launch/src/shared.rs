//! Work on shared memory, as the options ask for it: which segment or file, and then what, in their order.

use std::path::PathBuf;

use nearfar_model::Bytes;
use nearfar_place::Policy;

/// One thing to do with shared memory.
#[derive(Clone, Debug, PartialEq)]
pub enum SharedStep {
    /// Make it, or find it, and map the range. What follows works on that.
    Attach {
        /// What.
        what: Attachment,
        /// How it is made, and which part of it is meant.
        segment: Segment,
    },
    /// Set the range's policy.
    Policy {
        /// The policy.
        policy: Policy,
        /// Whether pages that contradict it are an error.
        strict: bool,
        /// The option that asked for it.
        option: String,
    },
    /// Make the pages exist.
    Touch,
    /// Tell the policy of each part.
    Dump,
    /// Tell the node of each part.
    DumpNodes,
    /// Touch the pages and hold them against the policy.
    Verify,
}

/// What names shared memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Attachment {
    /// A System V segment whose key comes from this file and [`Segment::id`].
    Key(PathBuf),
    /// A System V segment by its own id.
    Id(u64),
    /// A file in tmpfs or hugetlbfs.
    File(PathBuf),
}

/// How shared memory is made where it is not there yet, and which part is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Goes into the key, besides the file.
    pub id: u64,
    /// Length of the range, and of what is made; none for all that is there.
    pub length: Option<Bytes>,
    /// Where the range begins.
    pub offset: Bytes,
    /// The mode of what is made.
    pub mode: u32,
    /// Whether a new segment is made of huge pages.
    pub huge: bool,
}

impl Default for Segment {
    fn default() -> Self {
        Self { id: 0, length: None, offset: Bytes(0), mode: 0o600, huge: false }
    }
}
