//! The operands of each opcode: enough to find the end of a term without evaluating it.

use std::fmt;

/// An opcode: one byte, or two after `ExtOpPrefix` (0x5B).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Opcode(u16);

/// An operand of an opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operand {
    /// An expression, a target, a constant.
    Term,
    /// A name that is declared.
    Name,
    /// Bytes of a fixed size.
    Bytes(usize),
    /// Text up to a NUL.
    Text,
    /// A package that is skipped.
    Package,
}

impl Opcode {
    pub(super) const fn new(byte: u8) -> Self {
        Self(byte as u16)
    }

    pub(super) const fn extended(byte: u8) -> Self {
        Self(0x5b00 | byte as u16)
    }

    /// Its number: 0x08, or 0x5B82 for two bytes.
    pub(super) fn number(self) -> u16 {
        self.0
    }

    /// The operands of an opcode that may stand where a term is expected in a list of terms;
    /// `None` for opcodes without a meaning there. Opcodes that open a scope are not among them.
    ///
    /// # References
    ///
    /// ACPI 6.5, sections 20.2.5.2 to 20.2.5.4
    pub(super) fn statement(self) -> Option<&'static [Operand]> {
        use Operand::{Bytes, Name, Package, Term};
        Some(match self.0 {
            // Alias, Name, External.
            0x06 => &[Name, Name],
            0x08 => &[Name, Term],
            0x15 => &[Name, Bytes(2)],
            // Continue, Noop, Break, BreakPoint.
            0x9f | 0xa3 | 0xa5 | 0xcc => &[],
            // Return.
            0xa4 => &[Term],
            // Mutex, Event.
            0x5b01 => &[Name, Bytes(1)],
            0x5b02 => &[Name],
            // OperationRegion, DataTableRegion.
            0x5b80 => &[Name, Bytes(1), Term, Term],
            0x5b88 => &[Name, Term, Term, Term],
            // Field, IndexField, BankField.
            0x5b81 | 0x5b86 | 0x5b87 => &[Package],
            // CreateDWordField, CreateWordField, CreateByteField, CreateBitField, CreateQWordField.
            0x8a..=0x8d | 0x8f => &[Term, Term, Name],
            // CreateField.
            0x5b13 => &[Term, Term, Term, Name],
            // Load, Stall, Sleep, Signal, Reset, Release, Unload.
            0x5b20 => &[Name, Term],
            0x5b21 | 0x5b22 | 0x5b24 | 0x5b26 | 0x5b27 | 0x5b2a => &[Term],
            // Fatal.
            0x5b32 => &[Bytes(1), Bytes(4), Term],
            _ => return self.expression(),
        })
    }

    /// The operands of an expression with an opcode.
    fn expression(self) -> Option<&'static [Operand]> {
        use Operand::{Bytes, Term};
        Some(match self.0 {
            // RefOf, Increment, Decrement, DerefOf, SizeOf, ObjectType, LNot.
            0x71 | 0x75 | 0x76 | 0x83 | 0x87 | 0x8e | 0x92 => &[Term],
            // Store, Not, FindSetLeftBit, FindSetRightBit, Notify, LAnd, LOr, LEqual to LLess,
            // ToBuffer to ToInteger, CopyObject.
            0x70 | 0x80..=0x82 | 0x86 | 0x90 | 0x91 | 0x93..=0x99 | 0x9d => &[Term, Term],
            // Add, Concat, Subtract, Multiply, ShiftLeft to Xor, ConcatRes, Mod, Index, ToString.
            0x72..=0x74 | 0x77 | 0x79..=0x7f | 0x84 | 0x85 | 0x88 | 0x9c => &[Term, Term, Term],
            // Divide, Mid.
            0x78 | 0x9e => &[Term, Term, Term, Term],
            // Match.
            0x89 => &[Term, Bytes(1), Term, Bytes(1), Term, Term],
            // CondRefOf, Wait, FromBCD, ToBCD.
            0x5b12 | 0x5b25 | 0x5b28 | 0x5b29 => &[Term, Term],
            // LoadTable.
            0x5b1f => &[Term, Term, Term, Term, Term, Term],
            // Acquire.
            0x5b23 => &[Term, Bytes(2)],
            _ => return None,
        })
    }

    /// The operands of a term that is an operand itself: constants and data too.
    ///
    /// # References
    ///
    /// ACPI 6.5, sections 20.2.3 and 20.2.5.4
    pub(super) fn operand(self) -> Option<&'static [Operand]> {
        use Operand::{Bytes, Package, Text};
        Some(match self.0 {
            // Zero, One, Ones, Local0 to Local7, Arg0 to Arg6, Revision, Debug, Timer.
            0x00 | 0x01 | 0xff | 0x60..=0x6e | 0x5b30 | 0x5b31 | 0x5b33 => &[],
            0x0a => &[Bytes(1)],
            0x0b => &[Bytes(2)],
            0x0c => &[Bytes(4)],
            0x0e => &[Bytes(8)],
            0x0d => &[Text],
            // Buffer, Package, VarPackage.
            0x11..=0x13 => &[Package],
            _ => return self.expression(),
        })
    }
}

impl fmt::Display for Opcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#04x}", self.0)
    }
}
