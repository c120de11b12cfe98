//! A quantity in published rows: its range, what stands behind it, and how far another method may
//! be off.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::atlas::row::{AtlasRow, Method, Span};

/// Figures of one's own method agree within this.
const SAME_METHOD: f64 = 0.10;
/// Figures of other methods within this.
const OTHER_METHOD: f64 = 0.30;

/// What rows publish of a quantity.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Published {
    /// Lowest and highest.
    pub range: [f64; 2],
    /// The range widened by what methods differ by.
    pub accepted: [f64; 2],
    /// Ids of the rows.
    pub rows: Vec<String>,
    /// How many sources these have.
    pub sources: usize,
    /// How they measured.
    pub methods: Vec<Method>,
}

impl Published {
    /// Of the rows that have the quantity; none where none has it.
    pub(crate) fn of<'a>(
        rows: impl Iterator<Item = &'a AtlasRow>,
        is_huge_chase: bool,
        quantity: impl Fn(&AtlasRow) -> Option<Span>,
    ) -> Option<Self> {
        let mut found: Option<Self> = None;
        let (mut sources, mut methods) = (BTreeSet::new(), BTreeSet::new());
        for (row, span) in rows.filter_map(|row| Some((row, quantity(row)?))) {
            let is_same = is_huge_chase && row.method.is_nearfars();
            let band = if is_same { SAME_METHOD } else { OTHER_METHOD };
            let [low, high] = span.ends();
            sources.insert(&row.source);
            methods.insert(row.method);
            let all = found.get_or_insert_with(|| Self {
                range: [low, high],
                accepted: [low * (1.0 - band), high * (1.0 + band)],
                rows: vec![],
                sources: 0,
                methods: vec![],
            });
            all.rows.push(row.id.clone());
            all.range = [all.range[0].min(low), all.range[1].max(high)];
            let [lowest, highest] = all.accepted;
            all.accepted = [lowest.min(low * (1.0 - band)), highest.max(high * (1.0 + band))];
        }
        found.map(|found| Self {
            sources: sources.len(),
            methods: methods.into_iter().collect(),
            ..found
        })
    }
}
