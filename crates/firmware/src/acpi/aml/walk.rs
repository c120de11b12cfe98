//! Walks over the code that runs when a table is loaded. No code is evaluated.

use super::UndecodedReason;
use super::bytes::{AmlBytes, NamePath, begins_a_name};
use super::object::{AmlObject, ObjectName};
use super::opcode::{Opcode, Operand};
use super::scopes::{MAX_DEPTH, ROOT, ScopeId, Scopes};
use super::value::AmlData;
use crate::acpi::MAX_ENTRIES;

const NAME: Opcode = Opcode::new(0x08);
const SCOPE: Opcode = Opcode::new(0x10);
const METHOD: Opcode = Opcode::new(0x14);
const EXTERNAL: Opcode = Opcode::new(0x15);
const IF: Opcode = Opcode::new(0xa0);
const ELSE: Opcode = Opcode::new(0xa1);
const WHILE: Opcode = Opcode::new(0xa2);
const DEVICE: Opcode = Opcode::extended(0x82);
const PROCESSOR: Opcode = Opcode::extended(0x83);
const POWER_RESOURCE: Opcode = Opcode::extended(0x84);
const THERMAL_ZONE: Opcode = Opcode::extended(0x85);
/// ObjectType of a method in an External.
const METHOD_OBJECT: u8 = 8;

/// What a walk collects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Walk {
    pub(super) scopes: Scopes,
    /// Devices in order, with the offset of their declaration.
    pub(super) devices: Vec<(ScopeId, u32)>,
    pub(super) objects: Vec<AmlObject>,
    pub(super) undecoded: Vec<Undecoded>,
}

/// Code from `start` to `end` that was not decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Undecoded {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) scope: ScopeId,
    pub(super) why: UndecodedReason,
}

/// Where a list of terms stands.
#[derive(Clone, Copy)]
struct Place {
    scope: ScopeId,
    /// Whether an If, Else or While decides if the terms run.
    conditional: bool,
    /// Number of packages around.
    depth: u8,
}

type Step = Result<(), UndecodedReason>;

impl Walk {
    /// Walks over all code of a table from an offset on.
    pub(super) fn new(table: &[u8], start: usize) -> Self {
        let mut walk = Self {
            scopes: Scopes::new(),
            devices: Vec::new(),
            objects: Vec::new(),
            undecoded: Vec::new(),
        };
        let code = AmlBytes::new(table, start, table.len());
        let place = Place { scope: ROOT, conditional: false, depth: 0 };
        // A scrubbed table keeps its checksum with one last byte.
        let body = table.get(start..).unwrap_or_default();
        if body.len() > 1 && body[..body.len() - 1].iter().all(|&byte| byte == 0) {
            walk.add_undecoded(start, code, place, UndecodedReason::Zeros);
        } else {
            walk.terms(code, place);
        }
        walk
    }

    fn add_undecoded(
        &mut self,
        start: usize,
        code: AmlBytes<'_>,
        place: Place,
        why: UndecodedReason,
    ) {
        // A table's length has 32 bits.
        let (start, end) = (start as u32, code.end as u32);
        self.undecoded.push(Undecoded { start, end, scope: place.scope, why });
    }

    /// Walks over a list of terms. A term that cannot be decoded ends it.
    fn terms(&mut self, mut code: AmlBytes<'_>, place: Place) {
        while !code.is_at_end() {
            let start = code.at;
            if let Err(why) = self.term(&mut code, place) {
                self.add_undecoded(start, code, place, why);
                return;
            }
        }
    }

    fn term(&mut self, code: &mut AmlBytes<'_>, place: Place) -> Step {
        let start = code.at;
        if begins_a_name(code.peek()?) {
            return self.call(code, place);
        }
        match code.opcode()? {
            NAME => self.name(code, place, start),
            METHOD => self.method(code, place, start),
            EXTERNAL => self.external(code, place),
            opcode @ (SCOPE | DEVICE | PROCESSOR | POWER_RESOURCE | THERMAL_ZONE | IF | ELSE
            | WHILE) => {
                let inner = code.package()?;
                if let Err(why) = self.package(opcode, inner, place, start) {
                    self.add_undecoded(start, inner, place, why);
                }
                Ok(())
            }
            opcode => {
                let operands = opcode.statement().ok_or(opcode)?;
                operands.iter().try_for_each(|&operand| self.skip(operand, code, place.scope, 0))
            }
        }
    }

    /// Walks over a package that contains terms.
    fn package(
        &mut self,
        opcode: Opcode,
        mut inner: AmlBytes<'_>,
        place: Place,
        start: usize,
    ) -> Step {
        if place.depth >= MAX_DEPTH {
            return Err(UndecodedReason::Depth);
        }
        let place = Place { depth: place.depth + 1, ..place };
        if matches!(opcode, IF | ELSE | WHILE) {
            if opcode != ELSE {
                self.skip_term(&mut inner, place.scope, 0)?;
            }
            self.terms(inner, Place { conditional: true, ..place });
            return Ok(());
        }
        let name = name(&mut inner)?;
        let scope = match opcode {
            SCOPE => self.scopes.open(place.scope, &name)?,
            _ => self.scopes.declare(place.scope, &name)?,
        };
        match opcode {
            DEVICE if self.devices.len() >= MAX_ENTRIES => {
                return Err(UndecodedReason::TooManyDevices);
            }
            DEVICE => self.devices.push((scope, start as u32)),
            // ProcID, PblkAddr, PblkLen.
            PROCESSOR => drop(inner.take(6)?),
            // SystemLevel, ResourceOrder.
            POWER_RESOURCE => drop(inner.take(3)?),
            _ => {}
        }
        self.terms(inner, Place { scope, ..place });
        Ok(())
    }

    fn name(&mut self, code: &mut AmlBytes<'_>, place: Place, start: usize) -> Step {
        let name = name(code)?;
        let value = *code;
        self.skip_term(code, place.scope, 0)?;
        self.add_object(&name, place, start, || AmlData::read(value).unwrap_or(AmlData::Computed))
    }

    fn method(&mut self, code: &mut AmlBytes<'_>, place: Place, start: usize) -> Step {
        let mut body = code.package()?;
        let name = name(&mut body)?;
        let arguments = body.byte()? & 7;
        let method = self.scopes.declare(place.scope, &name)?;
        self.scopes.set_arguments(method, arguments);
        self.add_object(&name, place, start, || AmlData::returned(body))
    }

    /// Keeps a predefined object that locates a device. Others are dropped.
    fn add_object(
        &mut self,
        name: &NamePath<'_>,
        place: Place,
        start: usize,
        data: impl FnOnce() -> AmlData,
    ) -> Step {
        if let Some(object) = ObjectName::from_path(name) {
            let scope = self.scopes.declare_parent(place.scope, name)?;
            let data = if place.conditional { AmlData::Computed } else { data() };
            self.objects.push(AmlObject { scope, name: object, offset: start as u32, data });
        }
        Ok(())
    }

    fn external(&mut self, code: &mut AmlBytes<'_>, place: Place) -> Step {
        let name = name(code)?;
        let (kind, arguments) = (code.byte()?, code.byte()? & 7);
        let declared = self.scopes.declare(place.scope, &name)?;
        if kind == METHOD_OBJECT {
            self.scopes.set_arguments(declared, arguments);
        }
        Ok(())
    }

    /// A call of a method as a statement.
    fn call(&self, code: &mut AmlBytes<'_>, place: Place) -> Step {
        let name = name(code)?;
        let count = self.scopes.arguments(place.scope, &name).ok_or(UndecodedReason::Call)?;
        (0..count).try_for_each(|_| self.skip_term(code, place.scope, 0))
    }

    fn skip(&self, operand: Operand, code: &mut AmlBytes<'_>, scope: ScopeId, depth: u8) -> Step {
        match operand {
            Operand::Term => self.skip_term(code, scope, depth)?,
            Operand::Name => drop(name(code)?),
            Operand::Bytes(count) => drop(code.take(count)?),
            Operand::Text => drop(code.text()?),
            Operand::Package => drop(code.package()?),
        }
        Ok(())
    }

    /// Skips an operand: a constant, a name, a call or an expression. A name that the table does
    /// not declare as a method is taken for an object: if it is a method, its arguments remain and
    /// are no statements.
    fn skip_term(&self, code: &mut AmlBytes<'_>, scope: ScopeId, depth: u8) -> Step {
        if depth >= MAX_DEPTH {
            return Err(UndecodedReason::Depth);
        }
        if begins_a_name(code.peek()?) {
            let name = name(code)?;
            let count = self.scopes.arguments(scope, &name).unwrap_or(0);
            return (0..count).try_for_each(|_| self.skip_term(code, scope, depth + 1));
        }
        let opcode = code.opcode()?;
        let operands = opcode.operand().ok_or(opcode)?;
        operands.iter().try_for_each(|&operand| self.skip(operand, code, scope, depth + 1))
    }
}

fn name<'a>(code: &mut AmlBytes<'a>) -> Result<NamePath<'a>, UndecodedReason> {
    code.name()?.ok_or(UndecodedReason::Name)
}
