//! Pages of columns, and the description of a file.

use crate::parquet::thrift::Thrift;
use crate::parquet::words::Words;
use crate::parquet::{Column, ColumnKind, SCHEMA_KEY, Value, bits};

/// Text of a row group: more ends it.
pub(super) const PENDING_TEXT: usize = 64 << 20;

// Numbers of the format.
pub(super) const INT64: i32 = 2;
pub(super) const DOUBLE: i32 = 5;
pub(super) const BYTE_ARRAY: i32 = 6;
const UTF8: i32 = 0;
const REQUIRED: i32 = 0;
pub(super) const OPTIONAL: i32 = 1;
pub(super) const PLAIN: i32 = 0;
pub(super) const RLE: i32 = 3;
pub(super) const RLE_DICTIONARY: i32 = 8;
pub(super) const DATA_PAGE: i32 = 0;
pub(super) const DICTIONARY_PAGE: i32 = 2;

impl ColumnKind {
    /// Its physical type.
    pub(super) fn code(self) -> i32 {
        match self {
            Self::Text => BYTE_ARRAY,
            Self::Integer => INT64,
            Self::Real => DOUBLE,
        }
    }
}

/// A column of a row group that is not written yet.
#[derive(Default)]
pub(super) struct PendingColumn {
    words: Words,
    /// Of text: numbers of words. Of numbers: none.
    indexes: Vec<u32>,
    /// Numbers as they are written.
    plain: Vec<u8>,
    /// Of each row: 1, or 0 where it is null.
    levels: Vec<u32>,
}

/// Where a column of a row group is.
pub(super) struct ChunkPlace {
    kind: ColumnKind,
    name: &'static str,
    begin: u64,
    /// The dictionary's page, before the data.
    dictionary_bytes: u64,
    bytes: u64,
    values: usize,
}

/// A row group that is written.
pub(super) struct GroupPlace {
    pub(super) chunks: Vec<ChunkPlace>,
    pub(super) rows: usize,
}

impl PendingColumn {
    pub(super) fn push(&mut self, value: Value<'_>) {
        match value {
            Value::None => {}
            Value::Text(text) => {
                let number = self.words.number(text);
                self.indexes.push(number);
            }
            Value::Integer(number) => self.plain.extend_from_slice(&number.to_le_bytes()),
            Value::Real(number) => self.plain.extend_from_slice(&number.to_le_bytes()),
        }
        self.levels.push(u32::from(value != Value::None));
    }

    pub(super) fn text_bytes(&self) -> usize {
        self.words.page.len()
    }

    /// Its pages, and where they will be.
    pub(super) fn chunk(self, column: &Column, rows: usize, at: u64) -> (Vec<u8>, ChunkPlace) {
        let mut out = Vec::new();
        let is_text = column.kind == ColumnKind::Text;
        if is_text {
            let header = [(1, self.words.len()), (2, 0)].map(|(field, n)| (field, small(n)));
            write_page(DICTIONARY_PAGE, (7, Thrift::of(header)), &self.words.page, &mut out);
        }
        let dictionary_bytes = out.len() as u64;
        let mut data = Vec::new();
        if column.is_optional {
            let mut levels = Vec::new();
            bits::write(&self.levels, 1, &mut levels);
            data.extend_from_slice(&u32::try_from(levels.len()).unwrap_or(0).to_le_bytes());
            data.extend_from_slice(&levels);
        }
        if is_text {
            let width = bits::width(self.words.len());
            data.push(width.to_le_bytes()[0]);
            bits::write(&self.indexes, width, &mut data);
        } else {
            data.extend_from_slice(&self.plain);
        }
        let encoding = if is_text { RLE_DICTIONARY } else { PLAIN };
        let header = Thrift::of([
            (1, small(rows)),
            (2, Thrift::Small(encoding)),
            (3, Thrift::Small(RLE)),
            (4, Thrift::Small(RLE)),
        ]);
        write_page(DATA_PAGE, (5, header), &data, &mut out);
        let bytes = out.len() as u64;
        let (kind, name) = (column.kind, column.name);
        (out, ChunkPlace { kind, name, begin: at, dictionary_bytes, bytes, values: rows })
    }
}

fn small(number: usize) -> Thrift {
    Thrift::Small(i32::try_from(number).unwrap_or(i32::MAX))
}

fn large(number: u64) -> Thrift {
    Thrift::Integer(i64::try_from(number).unwrap_or(i64::MAX))
}

fn write_page(kind: i32, (field, header): (i16, Thrift), data: &[u8], out: &mut Vec<u8>) {
    let checksum = i32::from_ne_bytes(crc32fast::hash(data).to_ne_bytes());
    let page = Thrift::of([
        (1, Thrift::Small(kind)),
        (2, small(data.len())),
        (3, small(data.len())),
        (4, Thrift::Small(checksum)),
        (field, header),
    ]);
    page.write(out);
    out.extend_from_slice(data);
}

/// What stands at the end of a file.
pub(super) fn metadata(schema: &str, columns: &[Column], groups: &[GroupPlace]) -> Thrift {
    let root = Thrift::of([(4, Thrift::text("schema")), (5, small(columns.len()))]);
    let element = |column: &Column| {
        let repetition = if column.is_optional { OPTIONAL } else { REQUIRED };
        let mut fields = vec![
            (1, Thrift::Small(column.kind.code())),
            (3, Thrift::Small(repetition)),
            (4, Thrift::text(column.name)),
        ];
        if column.kind == ColumnKind::Text {
            fields.push((6, Thrift::Small(UTF8)));
        }
        Thrift::of(fields)
    };
    let rows = groups.iter().map(|group| group.rows as u64).sum();
    let property = Thrift::of([(1, Thrift::text(SCHEMA_KEY)), (2, Thrift::text(schema))]);
    let writer = format!("nearfar version {}", env!("CARGO_PKG_VERSION"));
    Thrift::of([
        (1, Thrift::Small(1)),
        (2, Thrift::List(std::iter::once(root).chain(columns.iter().map(element)).collect())),
        (3, large(rows)),
        (4, Thrift::List(groups.iter().map(group_metadata).collect())),
        (5, Thrift::List(vec![property])),
        (6, Thrift::text(&writer)),
    ])
}

fn group_metadata(group: &GroupPlace) -> Thrift {
    let bytes = group.chunks.iter().map(|chunk| chunk.bytes).sum();
    Thrift::of([
        (1, Thrift::List(group.chunks.iter().map(chunk_metadata).collect())),
        (2, large(bytes)),
        (3, large(group.rows as u64)),
    ])
}

fn chunk_metadata(chunk: &ChunkPlace) -> Thrift {
    let has_dictionary = chunk.dictionary_bytes > 0;
    let encodings =
        if has_dictionary { vec![PLAIN, RLE, RLE_DICTIONARY] } else { vec![PLAIN, RLE] };
    let mut fields = vec![
        (1, Thrift::Small(chunk.kind.code())),
        (2, Thrift::List(encodings.into_iter().map(Thrift::Small).collect())),
        (3, Thrift::List(vec![Thrift::text(chunk.name)])),
        (4, Thrift::Small(0)), // not compressed
        (5, large(chunk.values as u64)),
        (6, large(chunk.bytes)),
        (7, large(chunk.bytes)),
        (9, large(chunk.begin + chunk.dictionary_bytes)),
    ];
    if has_dictionary {
        fields.push((11, large(chunk.begin)));
    }
    Thrift::of([(2, large(chunk.begin)), (3, Thrift::of(fields))])
}
