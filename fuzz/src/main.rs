//! One reader of input under libFuzzer: the one that NEARFAR_READER names.
//!
//! Without a name it lists the readers, and writes their seeds into NEARFAR_SEEDS.

#![no_main]

mod readers;
mod tree;

use std::path::Path;
use std::sync::OnceLock;
use std::{env, fs, process};

use libfuzzer_sys::fuzz_target;

use readers::{READERS, Reader};

static READER: OnceLock<&Reader> = OnceLock::new();

fuzz_target!(
    init: {
        let name = env::var("NEARFAR_READER").unwrap_or_default();
        match READERS.iter().find(|reader| reader.name == name) {
            Some(reader) => drop(READER.set(reader)),
            None => list(),
        }
    },
    |bytes: &[u8]| {
        let reader = READER.get().expect("set at the start");
        let peak = allocation_counter::measure(|| (reader.read)(bytes)).bytes_max;
        if let Some(times) = reader.bytes_per_byte {
            let most = times * bytes.len() as u64 + (64 << 10);
            assert!(peak <= most, "{peak} bytes for an input of {}, limit {most}", bytes.len());
        }
    }
);

/// Prints the names; writes seeds.
fn list() -> ! {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for reader in READERS {
        println!("{}", reader.name);
        let Some(seeds) = env::var_os("NEARFAR_SEEDS") else { continue };
        let folder = Path::new(&seeds).join(reader.name);
        let files = reader.files.iter().map(|file| fs::read(repository.join(file)));
        let texts = reader.texts.iter().map(|text| Ok(text.as_bytes().to_vec()));
        let kept = fs::read_dir(repository.join("fuzz/seeds").join(reader.name));
        let kept = kept.into_iter().flatten().flatten().map(|entry| fs::read(entry.path()));
        fs::create_dir_all(&folder).expect("a folder for seeds");
        for (index, seed) in texts.chain(files).chain(kept).enumerate() {
            let seed = seed.expect("each seed can be read");
            fs::write(folder.join(format!("seed-{index}")), seed).expect("seeds are written");
        }
    }
    process::exit(0)
}
