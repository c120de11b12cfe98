//! Rows to a file.

use std::io::{self, Write};

use crate::parquet::pages::{GroupPlace, PENDING_TEXT, PendingColumn, metadata};
use crate::parquet::{Column, GROUP_ROWS, MAGIC, Value};

/// Writes a table. Memory is that of one row group.
pub(crate) struct ParquetWriter<W> {
    out: W,
    at: u64,
    schema: &'static str,
    columns: &'static [Column],
    pending: Vec<PendingColumn>,
    rows: usize,
    groups: Vec<GroupPlace>,
}

impl<W: Write> ParquetWriter<W> {
    /// Begins a file. `schema` names what it holds.
    pub(crate) fn new(
        mut out: W,
        schema: &'static str,
        columns: &'static [Column],
    ) -> io::Result<Self> {
        out.write_all(MAGIC)?;
        Ok(Self {
            out,
            at: MAGIC.len() as u64,
            schema,
            columns,
            pending: columns.iter().map(|_| PendingColumn::default()).collect(),
            rows: 0,
            groups: Vec::new(),
        })
    }

    /// Adds a row: a value of each column, in their order. A value of another kind than its
    /// column's is null.
    pub(crate) fn row<const N: usize>(&mut self, values: [Value<'_>; N]) -> io::Result<()> {
        debug_assert_eq!(N, self.columns.len());
        for (pending, value) in self.pending.iter_mut().zip(values) {
            pending.push(value);
        }
        self.rows += 1;
        let text = self.pending.iter().map(PendingColumn::text_bytes).sum::<usize>();
        if self.rows < GROUP_ROWS && text < PENDING_TEXT { Ok(()) } else { self.end_group() }
    }

    /// Writes what is left, and the file's description.
    pub(crate) fn finish(mut self) -> io::Result<W> {
        self.end_group()?;
        let mut end = Vec::new();
        metadata(self.schema, self.columns, &self.groups).write(&mut end);
        let length = u32::try_from(end.len()).map_err(io::Error::other)?;
        self.out.write_all(&end)?;
        self.out.write_all(&length.to_le_bytes())?;
        self.out.write_all(MAGIC)?;
        Ok(self.out)
    }

    fn end_group(&mut self) -> io::Result<()> {
        if self.rows == 0 {
            return Ok(());
        }
        let mut chunks = Vec::new();
        for (column, pending) in self.columns.iter().zip(&mut self.pending) {
            let (bytes, chunk) = std::mem::take(pending).chunk(column, self.rows, self.at);
            self.out.write_all(&bytes)?;
            self.at += bytes.len() as u64;
            chunks.push(chunk);
        }
        self.groups.push(GroupPlace { chunks, rows: self.rows });
        self.rows = 0;
        Ok(())
    }
}
