//! Which cells of a square its rows hold.

/// Cells that all rows have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Full,
    Hollow,
    Lower,
    LowerDiagonal,
    Upper,
    UpperDiagonal,
}

impl Shape {
    pub(super) const ALL: [Self; 6] = [
        Self::Full,
        Self::Hollow,
        Self::Lower,
        Self::LowerDiagonal,
        Self::Upper,
        Self::UpperDiagonal,
    ];

    /// Cells of a row in a square of `cpus`.
    pub(super) fn cells(self, row: usize, cpus: usize) -> usize {
        match self {
            Self::Full => cpus,
            Self::Hollow => cpus - 1,
            Self::Lower => row,
            Self::LowerDiagonal => row + 1,
            Self::Upper => cpus - 1 - row,
            Self::UpperDiagonal => cpus - row,
        }
    }

    /// The column of a row's cell.
    pub(super) fn column(self, row: usize, cell: usize) -> usize {
        match self {
            Self::Full | Self::Lower | Self::LowerDiagonal => cell,
            Self::Hollow => cell + usize::from(cell >= row),
            Self::Upper => row + 1 + cell,
            Self::UpperDiagonal => row + cell,
        }
    }
}
