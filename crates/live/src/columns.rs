//! Columns of `nearfar top` and figures of `nearfar export`, each declared once by [`columns!`].
//!
//! The declaration of a field gives the document's field and its description in the schema, the
//! column of the screen with its line in F1 and docs/why/live.md, the field of the CSV, the metric
//! of Prometheus, and how it is read.

/// Declares a type of rows, `Row from Reading`. A field has
///
/// - its description, and `#[serde(skip)]` where documents do not have it; the first line is also
///   Prometheus's;
/// - its name, its type, and the type in the schema where that is another (`as "u64"`);
/// - its [`Metric`], if it is a figure (`= Gauge(...)`);
/// - its [`Column`], where the screen has one (`[head, importance, least width, cell, help]`).
macro_rules! columns {
    (
        $(#[doc = $about:literal])+
        $Row:ident from $Reading:ty {
            $(
                #[doc = $help:literal]
                $(#[doc = $more:literal])*
                $(#[serde($serde:ident)])?
                $field:ident: $Type:ty
                $(as $schema:tt)?
                $(= $metric:expr)?
                $(, [$($column:expr),+ $(,)?])?;
            )+
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Debug, Default, PartialEq)]
        #[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        pub struct $Row {
            $(
                #[doc = $help]
                $(#[doc = $more])*
                $(#[serde($serde)])?
                $(#[schemars(with = $schema)])?
                pub $field: $Type,
            )+
        }

        impl crate::columns::Row for $Row {
            type Reading = $Reading;
            const FIELDS: &[&str] = &[$(stringify!($field)),+];
            const COLUMNS: &[crate::columns::Column<Self>] =
                &[$($(crate::columns::Column::new($($column),+),)?)+];
            const FIGURES: &[crate::columns::Figure<Self>] = &[$($(crate::columns::Figure {
                help: $help,
                metric: $metric,
                set: |row, value| row.$field = crate::columns::Shown::shown(value),
            },)?)+];
        }
    };
}

mod figure;
pub(crate) mod groups;
pub(crate) mod machine;
pub(crate) mod nodes;
pub(crate) mod processes;
pub(crate) mod targets;
pub(crate) mod value;

pub(crate) use figure::{Figure, Metric, Shown, add_metrics, row};

/// A type of rows, as [`columns!`] declares it.
pub(crate) trait Row: Sized + Default + 'static {
    /// What its figures are read from.
    type Reading: 'static;
    /// The names of its fields.
    const FIELDS: &'static [&'static str];
    /// The columns of the screen, from left to right.
    const COLUMNS: &'static [Column<Self>];
    /// The figures, as Prometheus has them.
    const FIGURES: &'static [Figure<Self>];
}

/// A column of rows of type `R`. Its text is at the right edge; that of the last one at the left.
pub(crate) struct Column<R> {
    pub(crate) head: &'static str,
    /// Columns with the lowest importance are left out first.
    pub(crate) importance: u8,
    /// Least width, so that columns stand still from tick to tick. 0: left out without any text.
    pub(crate) least: usize,
    pub(crate) cell: fn(&R) -> String,
    /// What it shows, in F1 and docs/why/live.md; empty where the head is enough.
    pub(crate) help: &'static str,
}

impl<R> Column<R> {
    pub(crate) const fn new(
        head: &'static str,
        importance: u8,
        least: usize,
        cell: fn(&R) -> String,
        help: &'static str,
    ) -> Self {
        Self { head, importance, least, cell, help }
    }
}
