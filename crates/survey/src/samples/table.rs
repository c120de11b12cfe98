//! Samples as documents hold them: the names of the fields once, then a line of values for each
//! sample.
//!
//! Lines are read by those names. So a later version may add fields (such as "at_s") or put them in
//! another order within the same schema, and this one reads on: what it does not know it passes
//! over.

use std::fmt;

use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use nearfar_model::{CellIndex, Sample};

use super::Samples;

/// The fields of a table, in the order they are written.
pub(super) const FIELDS: [(&str, SampleField); 8] = [
    ("process", SampleField::Process),
    ("round", SampleField::Round),
    ("row", SampleField::Row),
    ("column", SampleField::Column),
    ("treatment", SampleField::Treatment),
    ("cpu", SampleField::Cpu),
    ("page", SampleField::Page),
    ("ns", SampleField::Value),
];

/// The field of other CPUs' traffic, only in tables with measurements beside others; null where it
/// was not measured.
const TRAFFIC: &str = "traffic_bytes_per_s";

#[derive(Clone, Copy)]
pub(super) enum SampleField {
    Process,
    Round,
    Row,
    Column,
    Treatment,
    Cpu,
    Page,
    Value,
    Traffic,
}

impl Serialize for Samples {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut table = serializer.serialize_struct("Samples", 2)?;
        let has_traffic = self.lines.iter().any(|sample| sample.traffic.is_some());
        let names = FIELDS.iter().map(|(name, _)| *name).chain(has_traffic.then_some(TRAFFIC));
        table.serialize_field("fields", &names.collect::<Vec<_>>())?;
        let lines = self.lines.iter().map(|sample| SampleLine { sample, has_traffic });
        table.serialize_field("data", &lines.collect::<Vec<_>>())?;
        table.end()
    }
}

/// A line of a table, which may have the traffic's field.
struct SampleLine<'s> {
    sample: &'s Sample,
    has_traffic: bool,
}

impl Serialize for SampleLine<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Sample {
            process,
            round,
            place: CellIndex { row, column, treatment },
            cpu,
            page,
            value,
            traffic,
        } = self.sample;
        match self.has_traffic {
            true => (process, round, row, column, treatment, cpu, page, value, traffic)
                .serialize(serializer),
            false => {
                (process, round, row, column, treatment, cpu, page, value).serialize(serializer)
            }
        }
    }
}

impl<'de> Deserialize<'de> for Samples {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_struct("Samples", &["fields", "data"], TableVisitor)
    }
}

/// Reads the whole table.
struct TableVisitor;

impl<'de> Visitor<'de> for TableVisitor {
    type Value = Samples;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("samples: {fields[], data[][]}")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Samples, A::Error> {
        let (mut header, mut lines, mut early) = (None, None, None);
        while let Some(name) = map.next_key::<String>()? {
            match (name.as_str(), &header) {
                ("fields", _) => {
                    header = Some(Header::from_names(&map.next_value::<Vec<String>>()?)?);
                }
                ("data", Some(header)) => lines = Some(map.next_value_seed(LinesSeed(header))?),
                // Lines before their header wait for it.
                ("data", None) => early = Some(map.next_value::<serde_json::Value>()?),
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        let header = header.ok_or_else(|| Error::missing_field("fields"))?;
        let late = || {
            LinesSeed(&header)
                .deserialize(early.ok_or_else(|| Error::missing_field("data"))?)
                .map_err(Error::custom)
        };
        Ok(Samples { lines: lines.map_or_else(late, Ok)? })
    }
}

/// What each place of a line holds; nothing that is known here where it is `None`.
struct Header(Vec<Option<SampleField>>);

impl Header {
    fn from_names<E: Error>(names: &[String]) -> Result<Self, E> {
        let missing = FIELDS.iter().find(|(known, _)| !names.iter().any(|name| name == known));
        if let Some((name, _)) = missing {
            return Err(E::custom(format!("samples lack the field '{name}'")));
        }
        let known = || FIELDS.iter().chain([&(TRAFFIC, SampleField::Traffic)]);
        let field =
            |name: &String| known().find(|(known, _)| name == known).map(|(_, field)| *field);
        Ok(Self(names.iter().map(field).collect()))
    }
}

struct LinesSeed<'h>(&'h Header);

impl<'de> DeserializeSeed<'de> for LinesSeed<'_> {
    type Value = Vec<Sample>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Vec<Sample>, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for LinesSeed<'_> {
    type Value = Vec<Sample>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of samples")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Vec<Sample>, A::Error> {
        let mut lines = Vec::new();
        while let Some(sample) = seq.next_element_seed(OneLine(self.0))? {
            lines.push(sample);
        }
        Ok(lines)
    }
}

struct OneLine<'h>(&'h Header);

impl<'de> DeserializeSeed<'de> for OneLine<'_> {
    type Value = Sample;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Sample, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for OneLine<'_> {
    type Value = Sample;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a sample of {} values, as many as it has fields", self.0.0.len())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Sample, A::Error> {
        let mut sample = Sample::new(0, 0, CellIndex::default(), 0.0);
        let wanted = self.0.0.len();
        for (place, field) in self.0.0.iter().enumerate() {
            let there = match field {
                Some(SampleField::Process) => take(&mut seq, &mut sample.process)?,
                Some(SampleField::Round) => take(&mut seq, &mut sample.round)?,
                Some(SampleField::Row) => take(&mut seq, &mut sample.place.row)?,
                Some(SampleField::Column) => take(&mut seq, &mut sample.place.column)?,
                Some(SampleField::Treatment) => take(&mut seq, &mut sample.place.treatment)?,
                Some(SampleField::Cpu) => take(&mut seq, &mut sample.cpu)?,
                Some(SampleField::Page) => take(&mut seq, &mut sample.page)?,
                Some(SampleField::Value) => take(&mut seq, &mut sample.value)?,
                Some(SampleField::Traffic) => take(&mut seq, &mut sample.traffic)?,
                None => seq.next_element::<IgnoredAny>()?.is_some(),
            };
            if !there {
                return Err(Error::invalid_length(place, &self));
            }
        }
        match seq.next_element::<IgnoredAny>()? {
            Some(_) => Err(Error::invalid_length(wanted + 1, &self)),
            None => Ok(sample),
        }
    }
}

/// Takes the next value of a line; false where the line has no more.
fn take<'de, A: SeqAccess<'de>, T: Deserialize<'de>>(
    seq: &mut A,
    into: &mut T,
) -> Result<bool, A::Error> {
    let Some(value) = seq.next_element()? else { return Ok(false) };
    *into = value;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use nearfar_model::CpuId;
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Result<Samples, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    const WRITTEN: &str = concat!(
        r#"{"fields":["process","round","row","column","treatment","cpu","page","ns"],"#,
        r#""data":[[1,2,3,4,0,5,6,97.0],[1,2,3,4,2,5,6,97.125]]}"#
    );

    #[test]
    fn tables_are_written_as_read() {
        assert_eq!(serde_json::to_string(&read(WRITTEN).unwrap()).unwrap(), WRITTEN);
    }

    #[test]
    fn fields_are_found_by_name() {
        let later = r#"{
            "fields": [
                "at_s", "ns", "page", "cpu", "note", "treatment", "column", "row", "round",
                "process"
            ],
            "data": [
                [0.5, 97, 6, 5, {"any": []}, 0, 4, 3, 2, 1],
                [null, 97.125, 6, 5, "", 2, 4, 3, 2, 1]
            ],
            "more": 1
        }"#;
        assert_eq!(read(later), read(WRITTEN));
    }

    #[test]
    fn lines_may_stand_before_their_fields() {
        let (start, data) = WRITTEN.split_once(r#","data":"#).unwrap();
        let (fields, data) = (start.trim_start_matches('{'), data.trim_end_matches('}'));
        assert_eq!(read(&format!(r#"{{"data":{data},{fields}}}"#)), read(WRITTEN));
    }

    #[test]
    fn each_kind_of_damage_has_its_line() {
        let error_of = |from, to| read(&WRITTEN.replace(from, to)).unwrap_err();
        assert!(
            error_of(r#","ns""#, "").starts_with("samples lack the field 'ns' at line 1"),
            "{}",
            error_of(r#","ns""#, "")
        );
        let length = |n| {
            format!("invalid length {n}, expected a sample of 8 values, as many as it has fields")
        };
        assert!(error_of(",97.0", "").starts_with(&length(7)), "{}", error_of(",97.0", ""));
        assert!(
            error_of("97.0", "97.0,1").starts_with(&length(9)),
            "{}",
            error_of("97.0", "97.0,1")
        );
        assert!(
            error_of("97.0", "null").starts_with("invalid type: null, expected f64"),
            "{}",
            error_of("97.0", "null")
        );
        assert!(error_of("[1,2", "[-1,2").starts_with("invalid value: integer `-1`, expected u32"));
        assert!(error_of(r#""fields""#, r#""names""#).starts_with("missing field `fields`"));
        assert!(error_of(r#""data""#, r#""lines""#).starts_with("missing field `data`"));
    }

    proptest! {
        #[test]
        fn any_samples_come_back_exactly(
            lines in proptest::collection::vec(
                (any::<u32>(), 0..9_000usize, any::<u32>(), 1u32.., any::<bool>()),
                0..20,
            ),
        ) {
            let lines = lines.into_iter().map(|(process, row, cpu, thousandths, traffic)| {
                let value = f64::from(thousandths) / 1000.0;
                let place = CellIndex::new(row, row).with_treatment(row % 7);
                let traffic = traffic.then_some(value);
                let sample = Sample::new(process, cpu, place, value);
                Sample { cpu: CpuId(cpu), page: process, traffic, ..sample }
            });
            let samples = Samples { lines: lines.collect() };
            let text = serde_json::to_string(&samples).unwrap();
            prop_assert_eq!(read(&text), Ok(samples));
        }
    }
}
