//! Findings are declared once: code, severity, what it means, what to do.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The severity of a finding.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Nodes, distances or memory are lost.
    Error,
    /// Something is likely wrong, and the kernel does not report it.
    Warning,
    /// For information.
    Note,
}

impl Severity {
    /// "error", "warning", "note".
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

/// What a code stands for. Tables of codes in the documentation are made of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FindingCode {
    /// The name, in kebab-case: never renamed, since documents contain it.
    pub code: &'static str,
    /// How severe it is.
    pub severity: Severity,
    /// What it means, in a sentence.
    pub meaning: &'static str,
    /// What to do, in a sentence or two; empty where that depends on the machine.
    pub remedy: &'static str,
}

/// Declares an enum of findings. Before each variant stand its code, severity, meaning and remedy;
/// the meaning is also the variant's documentation. The enum has `CODES`, and the methods
/// `declared`, `code` and `severity`.
///
/// ```
/// nearfar_model::findings! {
///     /// Findings about lamps.
///     #[derive(Debug)]
///     pub enum LampFinding {
///         "lamp-dark", Warning,
///         "A lamp is dark.",
///         "Change the bulb.";
///         LampDark {
///             /// Its number.
///             lamp: u32,
///         }
///     }
/// }
///
/// let finding = LampFinding::LampDark { lamp: 3 };
/// assert_eq!((finding.code(), finding.declared().remedy), ("lamp-dark", "Change the bulb."));
/// assert_eq!(LampFinding::CODES.len(), 1);
/// ```
#[macro_export]
macro_rules! findings {
    (@code $code:literal, $severity:ident, $meaning:literal, $remedy:literal) => {
        $crate::FindingCode {
            code: $code,
            severity: $crate::Severity::$severity,
            meaning: $meaning,
            remedy: $remedy,
        }
    };
    (
        $(#[$attribute:meta])*
        pub enum $Name:ident {
            $(
                $code:literal, $severity:ident, $meaning:literal, $remedy:literal;
                $Variant:ident { $($fields:tt)* }
            )+
        }
    ) => {
        $(#[$attribute])*
        pub enum $Name {
            $(#[doc = $meaning] $Variant { $($fields)* },)+
        }

        impl $Name {
            /// All codes, in the order of their declaration.
            pub const CODES: &'static [$crate::FindingCode] =
                &[$($crate::findings!(@code $code, $severity, $meaning, $remedy)),+];

            /// What its code stands for.
            pub fn declared(&self) -> &'static $crate::FindingCode {
                match self {
                    $(Self::$Variant { .. } => {
                        &const { $crate::findings!(@code $code, $severity, $meaning, $remedy) }
                    })+
                }
            }

            /// Its code.
            pub fn code(&self) -> &'static str {
                self.declared().code
            }

            /// How severe it is.
            pub fn severity(&self) -> $crate::Severity {
                self.declared().severity
            }
        }
    };
}
