//! Arrays that are used at given rates: what each costs where it is far is known.

use std::error::Error;
use std::fs::{self, File};
use std::hint::black_box;
use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::mapped_file::MappedFile;

/// An array: more than a CPU of the lab caches, even where few of its lines are used.
const SIZE: usize = 4 << 20;
/// Steps in an array of rate 1, before the next array has its turn.
const STEPS: u64 = 64;
/// Turns after which the number of steps is written.
const TURNS: u64 = 4;

/// Uses arrays for ever, each as often as its rate has it, and keeps the number of steps in a file.
/// The arrays are files of a folder, `array-0` and so on: their pages are near the CPU on which
/// this is called.
pub(crate) fn use_arrays(file: &str, folder: &str, rates: &[u64]) -> Result<(), Box<dyn Error>> {
    let mut arrays = Vec::new();
    for (at, rate) in rates.iter().enumerate() {
        let path = Path::new(folder).join(format!("array-{at}"));
        fs::write(&path, vec![0; SIZE])?;
        let array = MappedFile::open(path.to_str().ok_or("a folder's name is no text")?)?;
        black_box(array.walk(array.lines()));
        arrays.push((array, *rate, 0));
    }
    let file = File::create(file)?;
    for part in 0u64.. {
        let steps = part * TURNS * STEPS * rates.iter().sum::<u64>();
        file.write_all_at(format!("{steps}\n").as_bytes(), 0)?;
        for _ in 0..TURNS {
            for (array, rate, line) in &mut arrays {
                *line = black_box(array.walk_from(*line, *rate * STEPS));
            }
        }
    }
    Ok(())
}
