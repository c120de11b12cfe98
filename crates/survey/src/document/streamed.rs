//! Parts of many cells and samples, read one by one.
//!
//! Parts flatten their matrix: the same names in the document, other types here. To read such a
//! type, serde keeps all of it in memory first, at ten times its final size. So cells and samples
//! are read here by their own types, and the few other fields as before.
//!
//! Within [`figures_only`], samples are skipped as they are read, and so are cells without an
//! interval: most pairs of a large machine have none.

use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::{Bandwidth, Caches, CoreToCore, GpuTable, IoTable, Loaded};
use crate::limited_value::LimitedValue;
use crate::{MatrixCell, NoTreatment, PageSizeMatrix, Samples, TreatmentMatrix};

thread_local! {
    static IS_FIGURES_ONLY: Cell<bool> = const { Cell::new(false) };
}

/// Reads a document, on this thread, without its samples.
pub(crate) fn figures_only<R>(read: impl FnOnce() -> R) -> R {
    IS_FIGURES_ONLY.set(true);
    let result = read();
    IS_FIGURES_ONLY.set(false);
    result
}

/// A part with a matrix in it.
pub(crate) trait ManyCells: DeserializeOwned {
    type Treatment: DeserializeOwned;
    /// Adds what was read apart from the rest.
    fn add(&mut self, cells: Vec<MatrixCell<Self::Treatment>>, samples: Option<Samples>);
}

impl<T: DeserializeOwned> ManyCells for TreatmentMatrix<T> {
    type Treatment = T;

    fn add(&mut self, cells: Vec<MatrixCell<T>>, samples: Option<Samples>) {
        self.matrix.cells = cells;
        self.samples = samples;
    }
}

impl ManyCells for PageSizeMatrix {
    type Treatment = NoTreatment;

    fn add(&mut self, cells: Vec<MatrixCell>, samples: Option<Samples>) {
        self.matrix.cells = cells;
        self.samples = samples;
    }
}

macro_rules! with_part {
    ($([$($generic:ident)?] $part:ty: $treatment:ty),+) => {$(
        impl<$($generic: DeserializeOwned)?> ManyCells for $part {
            type Treatment = $treatment;

            fn add(&mut self, cells: Vec<MatrixCell<$treatment>>, samples: Option<Samples>) {
                self.part.add(cells, samples);
            }
        }
    )+};
}

with_part!(
    [] Bandwidth: super::BandwidthTreatment,
    [] Caches: super::Paging,
    [] CoreToCore: super::ExchangeTreatment,
    [] Loaded: super::LoadTreatment,
    [T] IoTable<T>: T,
    [T] GpuTable<T>: T
);

/// Reads a part, or null. The latencies of disks are many, and no cells: with them, it is read as
/// any other.
pub(crate) fn disk_part<'de, P: ManyCells, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<P>, D::Error> {
    if IS_FIGURES_ONLY.get() { part(deserializer) } else { Option::deserialize(deserializer) }
}

/// Reads a part, or null.
pub(crate) fn part<'de, P: ManyCells, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<P>, D::Error> {
    deserializer.deserialize_option(PartVisitor(PhantomData))
}

struct PartVisitor<P>(PhantomData<P>);

impl<'de, P: ManyCells> Visitor<'de> for PartVisitor<P> {
    type Value = Option<P>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an instrument's part of a survey")
    }

    fn visit_unit<E>(self) -> Result<Option<P>, E> {
        Ok(None)
    }

    fn visit_none<E>(self) -> Result<Option<P>, E> {
        Ok(None)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<P>, D::Error> {
        deserializer.deserialize_map(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Option<P>, A::Error> {
        let (mut cells, mut samples, mut rest) = (None, None, Map::new());
        let left = LimitedValue::limit();
        while let Some(name) = fields.next_key::<String>()? {
            let is_second = match name.as_str() {
                "cells" => cells.replace(fields.next_value::<Cells<_>>()?.0).is_some(),
                "samples" | "latencies" if IS_FIGURES_ONLY.get() => {
                    fields.next_value::<IgnoredAny>()?;
                    false
                }
                "samples" => samples.replace(fields.next_value()?).is_some(),
                _ => {
                    let value = fields.next_value_seed(LimitedValue::of(&left))?;
                    rest.insert(name.clone(), value).is_some()
                }
            };
            if is_second {
                return Err(A::Error::custom(format!("duplicate field `{name}`")));
            }
        }
        // Without cells the part's own type reports that they are missing.
        rest.extend(cells.as_ref().map(|_| ("cells".to_owned(), Value::Array(Vec::new()))));
        let mut part: P = serde_json::from_value(rest.into()).map_err(A::Error::custom)?;
        part.add(cells.unwrap_or_default(), samples.flatten());
        Ok(Some(part))
    }
}

/// The cells that are kept.
struct Cells<T>(Vec<MatrixCell<T>>);

impl<'de, T: DeserializeOwned> Deserialize<'de> for Cells<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(CellsVisitor(PhantomData))
    }
}

struct CellsVisitor<T>(PhantomData<T>);

impl<'de, T: DeserializeOwned> Visitor<'de> for CellsVisitor<T> {
    type Value = Cells<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the cells of a matrix")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut all: A) -> Result<Cells<T>, A::Error> {
        let mut kept = Vec::new();
        while let Some(cell) = all.next_element::<MatrixCell<T>>()? {
            let has_interval = cell.median.is_some() && (cell.ci95.is_some() || cell.se.is_some());
            if has_interval || !IS_FIGURES_ONLY.get() {
                kept.push(cell);
            }
        }
        Ok(Cells(kept))
    }
}
