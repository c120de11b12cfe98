//! Folded Plackett-Burman designs: which objects are far in which run.
//!
//! # References
//!
//! Plackett and Burman, *The Design of Optimum Multifactorial Experiments*, Biometrika 33, 1946.

use fastrand::Rng;

/// Objects at most.
pub const MAX_OBJECTS: usize = 24;
/// By the number of rows, the first row; the others are its rotations, and one of minus signs.
const GENERATORS: [&str; 6] = [
    "++-",
    "+++-+--",
    "++-+++---+-",
    "++++-+-++--+---",
    "++--++++-+-+----++-",
    "+++++-+-++--++--+-+----",
];

/// A run of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DesignRun {
    /// The row of the design.
    pub row: u32,
    /// Whether near and far are exchanged.
    pub is_mirror: bool,
}

/// As many rows as columns, each pair of columns orthogonal. Each row has a mirror. In row 0 all
/// objects are far, in its mirror all are near.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectDesign {
    rows: Vec<Vec<bool>>,
    objects: usize,
}

impl ObjectDesign {
    /// The smallest one for this number of objects; `None` for none, and for more than
    /// [`MAX_OBJECTS`].
    pub fn new(objects: usize) -> Option<Self> {
        let generator = GENERATORS.into_iter().find(|row| row.len() + 1 >= objects)?;
        (objects > 0).then(|| Self { rows: rows(generator), objects })
    }

    /// Rows: each is run twice in a block, the second time as its mirror.
    pub fn rows(&self) -> u32 {
        self.rows.len() as u32
    }

    /// Runs of a block.
    pub fn runs(&self) -> u32 {
        2 * self.rows()
    }

    /// Number of objects.
    pub fn objects(&self) -> usize {
        self.objects
    }

    /// Whether an object is far.
    pub fn is_far(&self, run: DesignRun, object: usize) -> bool {
        self.rows[run.row as usize][object] != run.is_mirror
    }

    /// The signs of a row: 1 for far.
    pub(super) fn signs(&self, row: u32) -> Vec<f64> {
        let far = self.rows[row as usize].iter().take(self.objects);
        far.map(|is_far| if *is_far { 1.0 } else { -1.0 }).collect()
    }

    /// The runs of a block: rows in random order, each beside its mirror, either of them first.
    pub fn block(&self, block: u32, seed: u64) -> Vec<DesignRun> {
        let mut rng =
            Rng::with_seed(seed ^ (u64::from(block) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut rows: Vec<u32> = (0..self.rows()).collect();
        rng.shuffle(&mut rows);
        let mut pair = |row: u32| {
            let first = rng.bool();
            [first, !first].map(|is_mirror| DesignRun { row, is_mirror })
        };
        rows.into_iter().flat_map(&mut pair).collect()
    }
}

/// The rotations, below a row of minus signs, with a column of plus signs; then each column such
/// that row 0 has plus.
fn rows(generator: &str) -> Vec<Vec<bool>> {
    let signs: Vec<bool> = generator.bytes().map(|sign| sign == b'+').collect();
    let rotated = |by: usize| signs.iter().cycle().skip(by).take(signs.len()).copied();
    let mut rows = vec![vec![false; signs.len()]];
    rows.extend((0..signs.len()).map(|by| rotated(by).collect::<Vec<bool>>()));
    for row in &mut rows {
        row.iter_mut().for_each(|sign| *sign = !*sign);
        row.push(true);
    }
    rows
}
