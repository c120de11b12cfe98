//! Documents that a fleet does not use, each with its reason.

use serde::{Deserialize, Serialize};

/// A document, or a file, that is not used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SkippedDocument {
    /// The file.
    pub file: String,
    /// The line at which the document begins; null for a whole file.
    pub line: Option<usize>,
    /// Why it is not used.
    pub fault: DocumentFault,
}

/// Why a document is not used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum DocumentFault {
    /// The file cannot be read.
    Unreadable {
        /// The system's reason.
        why: String,
    },
    /// The file is empty.
    Empty,
    /// It ends too early.
    CutOff,
    /// It is no JSON, or not a survey's JSON.
    NotASurvey {
        /// What is wrong with it.
        why: String,
    },
    /// It is a document of another kind.
    OtherKind {
        /// Its schema.
        schema: String,
    },
    /// It is a survey of another schema: of a newer or an older nearfar.
    OtherSchema {
        /// Its schema.
        schema: String,
    },
    /// Its figures contradict themselves.
    Contradiction {
        /// The first contradiction.
        why: String,
    },
    /// Text that belongs to no document.
    OtherText,
    /// No cell has a figure.
    NoFigure,
    /// It is the same, byte by byte, as one that is used.
    Duplicate {
        /// The one that is used.
        of: String,
    },
    /// The machine's clock was wrong: it began in the future, before there was a nearfar, or
    /// before its own kernel or BIOS was built.
    WrongClock {
        /// When it began, by that clock.
        started: String,
        /// The day on which the kernel or the BIOS was built, where that is later.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        built: Option<String>,
    },
    /// When it began is not readable, and other surveys of the machine have a time.
    NoTime {
        /// What stands there.
        started: String,
    },
    /// A folder in a folder: it is not read.
    Folder,
    /// A newer survey of the machine has all of its cells.
    Older {
        /// The newest survey.
        newest: String,
    },
    /// It is of a machine that has another name now.
    Renamed {
        /// The new name.
        name: String,
    },
    /// The machine had another board before a newer survey.
    OtherBoard {
        /// The newest survey.
        newest: String,
    },
    /// The machine had another shape in a newer survey.
    OtherShape {
        /// The newest survey.
        newest: String,
    },
}
