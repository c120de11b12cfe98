//! Memory does not depend on the number of samples.

use std::io::{BufReader, Read};

use nearfar_survey::fleet::DocumentReader;

/// Samples in their text.
const SAMPLE: &[u8] = b",[0,0,0,0,0,0,0,97.25]";

/// A survey with this many samples, in each of its tables.
fn read_with_samples(samples: usize) -> u64 {
    let text = include_str!("../../src/sketch.json").replace('\n', "");
    let (before, after) = text.split_once("[0,0,0,0,0,0,0,100.0]").unwrap();
    let many = SAMPLE.repeat(1_000);
    let repeated = std::iter::repeat_n(&many[..], samples / 1_000);
    let repeated = repeated
        .fold(Box::new(std::io::empty()) as Box<dyn Read>, |all, one| Box::new(all.chain(one)));
    let source = before.as_bytes().chain(&SAMPLE[1..]).chain(repeated).chain(after.as_bytes());
    let mut documents = DocumentReader::new(BufReader::new(source));
    let used = allocation_counter::measure(|| {
        let document = documents.next().unwrap();
        assert!(document.content.is_ok(), "{:?}", document.content);
    });
    used.bytes_max
}

#[test]
fn samples_are_not_kept() {
    let (few, many) = (read_with_samples(1_000), read_with_samples(200_000));
    assert_eq!(few, many);
    assert!(many < 1 << 20, "{many} bytes");
}
