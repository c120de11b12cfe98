//! Tables that are written and read back, and damaged ones.

use proptest::prelude::*;

use super::pages::{GroupPlace, PendingColumn, metadata};
use super::*;

const COLUMNS: [Column; 4] = [
    Column::new("name", ColumnKind::Text),
    Column::optional("host", ColumnKind::Text),
    Column::optional("count", ColumnKind::Integer),
    Column::new("cost", ColumnKind::Real),
];
const SCHEMA: &str = "nearfar-tables/1 test";

type Row = (String, Option<String>, Option<i64>, f64);

fn written(rows: &[Row]) -> Vec<u8> {
    let mut table = ParquetWriter::new(Vec::new(), SCHEMA, &COLUMNS).unwrap();
    for (name, host, count, cost) in rows {
        let count = count.map_or(Value::None, Value::Integer);
        table
            .row([Value::Text(name), Value::text(host.as_deref()), count, Value::Real(*cost)])
            .unwrap();
    }
    table.finish().unwrap()
}

fn read(bytes: &[u8]) -> Result<Vec<Row>, ParquetFault> {
    let table = ParquetReader::new(bytes, SCHEMA, &COLUMNS)?;
    let mut rows = Vec::new();
    for at in 0..table.groups() {
        let (count, columns) = table.group(at)?;
        rows.extend((0..count).map(|row| {
            let text = |column: usize| columns[column].text(row).map(str::to_owned);
            (text(0).unwrap(), text(1), columns[2].integer(row), columns[3].real(row).unwrap())
        }));
    }
    Ok(rows)
}

fn many(count: usize) -> Vec<Row> {
    let row = |at: usize| {
        let host = (at % 3 > 0).then(|| format!("host {}", at / 100));
        (
            format!("node{at}"),
            host,
            (at % 7 == 0).then(|| -i64::try_from(at).unwrap()),
            at as f64 / 3.0,
        )
    };
    (0..count).map(row).collect()
}

#[test]
fn tables_come_back() {
    for count in [0, 1, 7, 8, 9, 1000] {
        assert!(read(&written(&many(count))).unwrap() == many(count), "{count}");
    }
    let large = many(GROUP_ROWS + 17);
    let bytes = written(&large);
    assert_eq!(ParquetReader::new(&bytes[..], SCHEMA, &COLUMNS).unwrap().groups(), 2);
    assert!(read(&bytes).unwrap() == large);
}

#[test]
fn other_files_have_their_reason() {
    let bytes = written(&many(100));
    let why = |bytes: &[u8]| read(bytes).unwrap_err().to_string();
    assert!(why(&bytes[..bytes.len() - 1]).starts_with("it ends too early"));
    assert!(why(&bytes[..500]).starts_with("it ends too early"));
    assert!(why(b"").starts_with("it ends too early"));
    assert_eq!(why(b"{\"schema\": \"nearfar.survey/2\"}"), "it is no Parquet file");
    let other = ParquetReader::new(&bytes[..], "nearfar-tables/1 other", &COLUMNS).err().unwrap();
    let foreign = "nearfar did not write it: its schema is not 'nearfar-tables/1 other', but \
        'nearfar-tables/1 test'";
    assert_eq!(other.to_string(), foreign);
    let mut damaged = bytes.clone();
    damaged[200] ^= 1;
    assert_eq!(why(&damaged), "it is damaged: a checksum is wrong");
    const MORE: [Column; 2] =
        [Column::optional("new", ColumnKind::Real), Column::new("name", ColumnKind::Text)];
    let table = ParquetReader::new(&bytes[..], SCHEMA, &MORE).unwrap();
    assert_eq!(table.group(0).unwrap().1[0].real(5), None);
    const OTHER: [Column; 1] = [Column::new("name", ColumnKind::Real)];
    let fault = ParquetReader::new(&bytes[..], SCHEMA, &OTHER).err().unwrap();
    assert_eq!(fault.to_string(), "its column 'name' is missing, or of another type");
}

/// A file of one row group that is listed this often.
fn listed(times: usize) -> Vec<u8> {
    const ONE: [Column; 1] = [Column::new("cost", ColumnKind::Real)];
    let (mut bytes, mut groups) = (MAGIC.to_vec(), Vec::new());
    for _ in 0..times {
        let mut pending = PendingColumn::default();
        pending.push(Value::Real(1.0));
        let (pages, chunk) = pending.chunk(&ONE[0], 1, MAGIC.len() as u64);
        bytes.truncate(MAGIC.len());
        bytes.extend_from_slice(&pages);
        groups.push(GroupPlace { chunks: vec![chunk], rows: 1 });
    }
    let mut end = Vec::new();
    metadata(SCHEMA, &ONE, &groups).write(&mut end);
    let length = u32::try_from(end.len()).unwrap();
    [&bytes[..], &end, &length.to_le_bytes(), MAGIC].concat()
}

/// A small file does not become a large table.
#[test]
fn rows_do_not_share_bytes() {
    const ONE: [Column; 1] = [Column::new("cost", ColumnKind::Real)];
    let why =
        |bytes: &[u8]| ParquetReader::new(bytes, SCHEMA, &ONE).err().map(|why| why.to_string());
    assert_eq!(why(&listed(1)), None);
    assert_eq!(why(&listed(2)).as_deref(), Some("it is damaged: its columns overlap"));
}

#[test]
fn long_descriptions_are_refused() {
    // Structures of one flag, in a field that no reader knows.
    let flags = 1_500_000_u32;
    let mut end = vec![0xf9, 0xfc];
    super::thrift::write_varint(&mut end, u64::from(flags));
    end.extend(std::iter::repeat_n([0x11, 0], flags as usize).flatten());
    end.push(0);
    let length = u32::try_from(end.len()).unwrap().to_le_bytes();
    let file = [MAGIC, &end[..], &length, MAGIC].concat();
    assert_eq!(read(&file).unwrap_err().to_string(), "it is damaged: its description is too long");
}

/// Wherever a file is cut or damaged, it is read, or has a reason.
#[test]
fn damaged_files_do_not_panic() {
    let bytes = written(&many(60));
    for at in 0..bytes.len() {
        let _ = read(&bytes[..at]);
        for change in [1, 0x80, 0xff] {
            let mut damaged = bytes.clone();
            damaged[at] ^= change;
            let _ = read(&damaged);
        }
    }
}

proptest! {
    #[test]
    fn numbers_come_back(values in prop::collection::vec(0_u32..9, 0..200), run in 0_usize..40) {
        let mut values = values;
        values.extend(std::iter::repeat_n(3, run));
        let mut bytes = Vec::new();
        bits::write(&values, 4, &mut bytes);
        prop_assert_eq!(bits::read(&bytes, 4, values.len()).unwrap(), values);
    }

    #[test]
    fn any_bytes_have_an_answer(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut file = MAGIC.to_vec();
        file.extend_from_slice(&bytes);
        file.extend_from_slice(&u32::try_from(bytes.len()).unwrap().to_le_bytes());
        file.extend_from_slice(MAGIC);
        let _ = read(&file);
        let _ = bits::read(&bytes, 5, 1000);
    }
}
