//! The codes of warnings, in the order of their importance.

use super::{
    CellWarning, EnvironmentWarning, PrecisionWarning, SampleWarning, SkippedWarning, WarningKind,
};

/// Declares the codes, each with its name in documents.
macro_rules! codes {
    ($($Code:ident = $name:literal,)+) => {
        /// What a warning is about. The order is that of importance, from missing figures to
        /// settings that only may matter.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[allow(missing_docs)] // as the warnings
        pub enum WarningCode {
            $($Code,)+
        }

        impl WarningCode {
            /// Its name in documents, in kebab-case: never renamed. Dropped samples have their
            /// reason behind it.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$Code => $name,)+
                }
            }
        }
    };
}

codes! {
    InstrumentFailed = "instrument-failed",
    Interrupted = "interrupted",
    InstrumentLeftOut = "instrument-left-out",
    CpuOffline = "cpu-offline",
    ProcessLost = "process-lost",
    Placement = "placement",
    FillsContradict = "fills-contradict",
    ControlsDiffer = "controls-differ",
    Throttled = "throttled",
    CpuQuota = "cpu-quota",
    Steal = "steal",
    Load = "load",
    NotPrecise = "not-precise",
    TwoLevels = "two-levels",
    Outlier = "outlier",
    Bursts = "bursts",
    Dropped = "dropped",
    NumaBalancing = "numa-balancing",
    Hypervisor = "hypervisor",
    Governor = "governor",
    ThpOff = "thp-off",
    CellUnmeasured = "cell-unmeasured",
    PageSizeUnmeasured = "page-size-unmeasured",
}

impl WarningKind {
    /// What it is about.
    pub fn code(&self) -> WarningCode {
        match self {
            Self::Environment(warning) => environment(warning),
            Self::Skipped(SkippedWarning::InstrumentLeftOut { .. }) => {
                WarningCode::InstrumentLeftOut
            }
            Self::Skipped(SkippedWarning::Interrupted { .. }) => WarningCode::Interrupted,
            Self::Skipped(SkippedWarning::InstrumentFailed { .. }) => WarningCode::InstrumentFailed,
            Self::Precision(PrecisionWarning::CellUnmeasured { .. }) => WarningCode::CellUnmeasured,
            Self::Precision(PrecisionWarning::NotPrecise { .. }) => WarningCode::NotPrecise,
            Self::Samples(warning) => samples(warning),
            Self::Cell(CellWarning::Outlier(_)) => WarningCode::Outlier,
            Self::Cell(CellWarning::TwoLevels(_)) => WarningCode::TwoLevels,
            Self::Cell(CellWarning::FillsContradict(_)) => WarningCode::FillsContradict,
        }
    }
}

fn environment(warning: &EnvironmentWarning) -> WarningCode {
    match warning {
        EnvironmentWarning::CpuQuota { .. } => WarningCode::CpuQuota,
        EnvironmentWarning::Throttled { .. } => WarningCode::Throttled,
        EnvironmentWarning::NumaBalancing { .. } => WarningCode::NumaBalancing,
        EnvironmentWarning::Steal { .. } => WarningCode::Steal,
        EnvironmentWarning::Load { .. } => WarningCode::Load,
        EnvironmentWarning::Hypervisor { .. } => WarningCode::Hypervisor,
        EnvironmentWarning::Governor { .. } => WarningCode::Governor,
        EnvironmentWarning::ThpOff { .. } => WarningCode::ThpOff,
    }
}

fn samples(warning: &SampleWarning) -> WarningCode {
    match warning {
        SampleWarning::ControlsDiffer { .. } => WarningCode::ControlsDiffer,
        SampleWarning::Bursts { .. } => WarningCode::Bursts,
        SampleWarning::ProcessLost { .. } => WarningCode::ProcessLost,
        SampleWarning::Placement { .. } => WarningCode::Placement,
        SampleWarning::CpuOffline { .. } => WarningCode::CpuOffline,
        SampleWarning::PageSizeUnmeasured { .. } => WarningCode::PageSizeUnmeasured,
        SampleWarning::Dropped { .. } => WarningCode::Dropped,
    }
}
