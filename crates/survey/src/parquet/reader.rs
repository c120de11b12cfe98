//! A file's row groups, one at a time.

use std::io;

use nearfar_view::input::Input;

use crate::parquet::pages::{DATA_PAGE, DICTIONARY_PAGE, OPTIONAL, PLAIN, RLE, RLE_DICTIONARY};
use crate::parquet::thrift::{Thrift, ThriftBytes};
use crate::parquet::{Column, ColumnKind, MAGIC, MAX_ROWS, ParquetFault, SCHEMA_KEY, bits};

/// The largest description of a file, and its values: of thousands of row groups.
const MAX_METADATA: u64 = 4 << 20;
const MAX_VALUES: usize = 1 << 20;
/// The same of a page.
const MAX_PAGE_HEADER: usize = 64 << 10;
const MAX_PAGE_VALUES: usize = 256;
/// The largest column of a row group.
const MAX_CHUNK: u64 = 1 << 30;
/// The old number of `RLE_DICTIONARY`.
const PLAIN_DICTIONARY: i32 = 2;
/// Characters of a foreign schema that are shown.
const MAX_SHOWN: usize = 40;

/// Bytes at any place.
pub(crate) trait ReadAt {
    /// How many there are.
    fn size(&self) -> u64;
    /// Fills the buffer from this place on.
    fn read_at(&self, buffer: &mut [u8], at: u64) -> io::Result<()>;
}

impl ReadAt for Input {
    fn size(&self) -> u64 {
        Self::size(self)
    }

    fn read_at(&self, buffer: &mut [u8], at: u64) -> io::Result<()> {
        self.read_exact_at(buffer, at)
    }
}

impl ReadAt for &[u8] {
    fn size(&self) -> u64 {
        self.len() as u64
    }

    fn read_at(&self, buffer: &mut [u8], at: u64) -> io::Result<()> {
        let from = usize::try_from(at).ok().and_then(|at| self.get(at..at + buffer.len()));
        buffer.copy_from_slice(from.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }
}

/// The values of a column, a row each.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ColumnValues {
    /// Words, and the number of each row's word.
    Text {
        words: Vec<String>,
        numbers: Vec<Option<u32>>,
    },
    Integer(Vec<Option<i64>>),
    Real(Vec<Option<f64>>),
}

impl ColumnValues {
    /// A row's text.
    pub(crate) fn text(&self, row: usize) -> Option<&str> {
        match self {
            Self::Text { words, numbers } => Some(&*words[numbers[row]? as usize]),
            _ => None,
        }
    }

    /// The number of a row's word.
    pub(crate) fn word(&self, row: usize) -> Option<u32> {
        match self {
            Self::Text { numbers, .. } => numbers[row],
            _ => None,
        }
    }

    /// A row's integer.
    pub(crate) fn integer(&self, row: usize) -> Option<i64> {
        match self {
            Self::Integer(all) => all[row],
            _ => None,
        }
    }

    /// A row's real number.
    pub(crate) fn real(&self, row: usize) -> Option<f64> {
        match self {
            Self::Real(all) => all[row],
            _ => None,
        }
    }
}

/// A Parquet file of a known schema.
pub(crate) struct ParquetReader<R> {
    source: R,
    columns: Vec<FoundColumn>,
    groups: Vec<FoundGroup>,
}

struct FoundColumn {
    column: Column,
    /// Its place among the file's columns; none where the file lacks it.
    at: Option<usize>,
    has_levels: bool,
}

struct FoundGroup {
    rows: usize,
    chunks: Vec<Thrift>,
}

impl<R: ReadAt> ParquetReader<R> {
    /// Reads the file's description.
    pub(crate) fn new(
        source: R,
        schema: &'static str,
        columns: &[Column],
    ) -> Result<Self, ParquetFault> {
        let metadata = read_metadata(&source)?;
        let properties = metadata.list(5).iter();
        let found =
            properties.filter(|one| one.str(1) == Some(SCHEMA_KEY)).find_map(|one| one.str(2));
        if found != Some(schema) {
            let shown = |found: &str| format!("'{}'", printable(found));
            let found = found.map_or_else(|| "none".to_owned(), shown);
            return Err(ParquetFault::Foreign { wanted: schema, found });
        }
        let elements = metadata.list(2).get(1..).unwrap_or_default();
        if elements.iter().any(|element| element.number(5).unwrap_or(0) > 0) {
            return Err(ParquetFault::Damaged("its columns are not flat"));
        }
        let columns = columns.iter().map(|column| FoundColumn::new(*column, elements));
        let reader = Self {
            columns: columns.collect::<Result<_, _>>()?,
            groups: metadata.list(4).iter().map(FoundGroup::new).collect::<Result<_, _>>()?,
            source,
        };
        reader.check_places(metadata.size(3))?;
        Ok(reader)
    }

    /// Rows that share bytes could be any number in a small file.
    fn check_places(&self, rows: Option<usize>) -> Result<(), ParquetFault> {
        if rows != Some(self.groups.iter().map(|group| group.rows).sum()) {
            return Err(ParquetFault::Damaged("its row groups have other rows than the file"));
        }
        let mut places = Vec::new();
        for group in &self.groups {
            for found in self.columns.iter().filter(|found| found.at.is_some()) {
                places.push(self.place(group, found)?);
            }
        }
        places.sort_unstable();
        let overlap = places.windows(2).any(|two| two[0].0 + two[0].1 > two[1].0);
        if overlap { Err(ParquetFault::Damaged("its columns overlap")) } else { Ok(()) }
    }

    /// How many row groups it has.
    pub(crate) fn groups(&self) -> usize {
        self.groups.len()
    }

    /// A row group: how many rows, and the values of each column.
    pub(crate) fn group(&self, at: usize) -> Result<(usize, Vec<ColumnValues>), ParquetFault> {
        let group = &self.groups[at];
        let columns = self.columns.iter().map(|found| self.column(group, found));
        Ok((group.rows, columns.collect::<Result<_, _>>()?))
    }

    fn column(
        &self,
        group: &FoundGroup,
        found: &FoundColumn,
    ) -> Result<ColumnValues, ParquetFault> {
        let mut read = ReadColumn::new(found, group.rows);
        if found.at.is_none() {
            read.levels = vec![0; group.rows];
            return read.finish();
        }
        let (begin, bytes) = self.place(group, found)?;
        let mut pages = vec![0; usize::try_from(bytes).map_err(|_| ParquetFault::CutOff)?];
        self.source.read_at(&mut pages, begin)?;
        let mut pages = &pages[..];
        while read.levels.len() < group.rows {
            pages = read.page(pages)?;
        }
        read.finish()
    }

    /// Where a column of a row group begins, and its bytes.
    fn place(&self, group: &FoundGroup, found: &FoundColumn) -> Result<(u64, u64), ParquetFault> {
        let column = found.column.name;
        let chunk = found.at.and_then(|at| group.chunks.get(at)?.field(3));
        let chunk = chunk.ok_or(ParquetFault::Column { column })?;
        if chunk.number(4) != Some(0) {
            return Err(ParquetFault::Encoded { column });
        }
        let begin = [11, 9].into_iter().filter_map(|field| chunk.number(field));
        let begin =
            begin.filter_map(|begin| u64::try_from(begin).ok()).filter(|begin| *begin > 0).min();
        let bytes = chunk.number(7).and_then(|bytes| u64::try_from(bytes).ok());
        let place = begin.zip(bytes).filter(|(begin, bytes)| {
            *bytes <= MAX_CHUNK && begin.saturating_add(*bytes) <= self.source.size()
        });
        place.ok_or(ParquetFault::CutOff)
    }
}

fn read_metadata(source: &impl ReadAt) -> Result<Thrift, ParquetFault> {
    const END: u64 = 8;
    let (size, mut head, mut end) = (source.size(), [0; 4], [0; 8]);
    if size < END + 4 {
        return Err(if size == 0 { ParquetFault::CutOff } else { ParquetFault::Other });
    }
    source.read_at(&mut head, 0)?;
    source.read_at(&mut end, size - END)?;
    if head != *MAGIC {
        return Err(ParquetFault::Other);
    }
    let ([a, b, c, d, ..], true) = (end, end.ends_with(MAGIC)) else {
        return Err(ParquetFault::CutOff);
    };
    let length = u64::from(u32::from_le_bytes([a, b, c, d]));
    if length > MAX_METADATA || length + END + 4 > size {
        return Err(ParquetFault::CutOff);
    }
    let mut bytes = vec![0; usize::try_from(length).map_err(|_| ParquetFault::CutOff)?];
    source.read_at(&mut bytes, size - END - length)?;
    ThriftBytes::new(&bytes, MAX_VALUES).structure()
}

fn printable(text: &str) -> String {
    let clean = text.chars().map(|c| if nearfar_model::is_obeyed(c) { '?' } else { c });
    clean.take(MAX_SHOWN).collect()
}

impl FoundColumn {
    fn new(column: Column, elements: &[Thrift]) -> Result<Self, ParquetFault> {
        let name = column.name;
        let at = elements.iter().position(|element| element.str(4) == Some(name));
        let Some(element) = at.map(|at| &elements[at]) else {
            return match column.is_optional {
                true => Ok(Self { column, at: None, has_levels: true }),
                false => Err(ParquetFault::Column { column: name }),
            };
        };
        if element.number(1) != Some(i64::from(column.kind.code())) {
            return Err(ParquetFault::Column { column: name });
        }
        let has_levels = element.number(3) == Some(i64::from(OPTIONAL));
        Ok(Self { column, at, has_levels })
    }
}

impl FoundGroup {
    fn new(group: &Thrift) -> Result<Self, ParquetFault> {
        match group.size(3).filter(|rows| *rows <= MAX_ROWS) {
            Some(rows) => Ok(Self { rows, chunks: group.list(1).to_vec() }),
            None => Err(ParquetFault::Damaged("a row group is too large")),
        }
    }
}

/// A column of a row group as its pages are read.
struct ReadColumn<'c> {
    found: &'c FoundColumn,
    rows: usize,
    words: Vec<String>,
    /// Of each row: 1, or 0 where it is null.
    levels: Vec<u32>,
    /// Of text that is not null: numbers of words.
    numbers: Vec<u32>,
    /// Of numbers that are not null: eight bytes each.
    plain: Vec<[u8; 8]>,
}

impl<'c> ReadColumn<'c> {
    fn new(found: &'c FoundColumn, rows: usize) -> Self {
        let (words, levels, numbers, plain) = Default::default();
        Self { found, rows, words, levels, numbers, plain }
    }

    /// Reads the first of these pages, and returns the rest.
    fn page<'p>(&mut self, pages: &'p [u8]) -> Result<&'p [u8], ParquetFault> {
        let head = &pages[..pages.len().min(MAX_PAGE_HEADER)];
        let mut header = ThriftBytes::new(head, MAX_PAGE_VALUES);
        let page = header.structure()?;
        let pages = &pages[head.len() - header.rest.len()..];
        let size = page.size(3).ok_or(ParquetFault::CutOff)?;
        let (data, rest) = pages.split_at_checked(size).ok_or(ParquetFault::CutOff)?;
        let checksum = i32::from_ne_bytes(crc32fast::hash(data).to_ne_bytes());
        if page.number(4).is_some_and(|noted| noted != i64::from(checksum)) {
            return Err(ParquetFault::Damaged("a checksum is wrong"));
        }
        match page.number(1).and_then(|kind| i32::try_from(kind).ok()) {
            Some(DICTIONARY_PAGE) => {
                let count = page.field(7).and_then(|header| header.size(1));
                let count = count.ok_or(ParquetFault::CutOff)?;
                if count > self.rows {
                    return Err(ParquetFault::Damaged("a dictionary has more words than rows"));
                }
                self.words = words(data, count)?;
            }
            Some(DATA_PAGE) => {
                let header = page.field(5).ok_or(ParquetFault::CutOff)?;
                self.data_page(header, data)?;
            }
            _ => return Err(self.encoded()),
        }
        Ok(rest)
    }

    fn encoded(&self) -> ParquetFault {
        ParquetFault::Encoded { column: self.found.column.name }
    }

    fn data_page(&mut self, header: &Thrift, mut data: &[u8]) -> Result<(), ParquetFault> {
        let most = self.rows - self.levels.len();
        let count = header.size(1).filter(|count| (1..=most).contains(count));
        let count = count.ok_or(ParquetFault::Damaged("a page has too many rows, or none"))?;
        let known = self.levels.len();
        if self.found.has_levels {
            if header.number(3) != Some(i64::from(RLE)) {
                return Err(self.encoded());
            }
            let (length, rest) = data.split_first_chunk().ok_or(ParquetFault::CutOff)?;
            let length = u32::from_le_bytes(*length) as usize;
            let (levels, rest) = rest.split_at_checked(length).ok_or(ParquetFault::CutOff)?;
            self.levels.extend(bits::read(levels, 1, count)?);
            data = rest;
        } else {
            self.levels.resize(known + count, 1);
        }
        let values = self.levels[known..].iter().filter(|level| **level == 1).count();
        let encoding = header.number(2).and_then(|encoding| i32::try_from(encoding).ok());
        match (self.found.column.kind, encoding) {
            (ColumnKind::Text, Some(RLE_DICTIONARY | PLAIN_DICTIONARY)) => {
                let (width, data) = data.split_first().ok_or(ParquetFault::CutOff)?;
                self.numbers.extend(bits::read(data, u32::from(*width), values)?);
            }
            (ColumnKind::Text, Some(PLAIN)) => {
                let first = self.words.len();
                self.words.extend(words(data, values)?);
                let numbers = (first..self.words.len()).map(|at| u32::try_from(at).unwrap_or(0));
                self.numbers.extend(numbers);
            }
            (ColumnKind::Integer | ColumnKind::Real, Some(PLAIN)) => {
                let plain = data.get(..values * 8).ok_or(ParquetFault::CutOff)?.chunks_exact(8);
                self.plain.extend(plain.filter_map(|bytes| <[u8; 8]>::try_from(bytes).ok()));
            }
            _ => return Err(self.encoded()),
        }
        Ok(())
    }

    fn finish(self) -> Result<ColumnValues, ParquetFault> {
        let Self { found, words, levels, numbers, plain, .. } = self;
        if numbers.iter().any(|number| *number as usize >= words.len()) {
            return Err(ParquetFault::Damaged("a word is not in its dictionary"));
        }
        if !found.column.is_optional && levels.contains(&0) {
            return Err(ParquetFault::Column { column: found.column.name });
        }
        let mut numbers = numbers.into_iter();
        let mut plain = plain.into_iter();
        let is_there = levels.into_iter().map(|level| level == 1);
        Ok(match found.column.kind {
            ColumnKind::Text => ColumnValues::Text {
                numbers: is_there.map(|is| is.then(|| numbers.next()).flatten()).collect(),
                words,
            },
            ColumnKind::Integer => {
                let value = |is: bool| is.then(|| plain.next().map(i64::from_le_bytes)).flatten();
                ColumnValues::Integer(is_there.map(value).collect())
            }
            ColumnKind::Real => {
                let value = |is: bool| is.then(|| plain.next().map(f64::from_le_bytes)).flatten();
                ColumnValues::Real(is_there.map(value).collect())
            }
        })
    }
}

/// Texts with their lengths before them.
fn words(mut data: &[u8], count: usize) -> Result<Vec<String>, ParquetFault> {
    let mut words = Vec::with_capacity(count.min(data.len() / 4));
    for _ in 0..count {
        let (length, rest) = data.split_first_chunk().ok_or(ParquetFault::CutOff)?;
        let length = u32::from_le_bytes(*length) as usize;
        let (word, rest) = rest.split_at_checked(length).ok_or(ParquetFault::CutOff)?;
        let word =
            std::str::from_utf8(word).map_err(|_| ParquetFault::Damaged("text is not UTF-8"))?;
        words.push(word.to_owned());
        data = rest;
    }
    Ok(words)
}
