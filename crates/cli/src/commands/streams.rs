//! Options of commands that stream through memory: kernels, instructions and sizes.

use nearfar_model::Bytes;
use nearfar_probe::{Isa, Kernel};
use nearfar_view::terminal::exit::WrongUsage;

use crate::named_value::NamedValue;

/// Smaller buffers fit in caches, and a pass takes too little time.
const SMALLEST: Bytes = Bytes::mib(1);

/// A kernel by its name.
pub(super) const KERNEL: NamedValue<Kernel> = NamedValue {
    parse: |name| Kernel::from_name(name).map_err(|error| error.to_string()),
    names: || Kernel::ALL.iter().map(|kernel| kernel.name()).collect(),
};

/// Instructions by their name.
pub(super) fn isa(name: &str) -> Result<Isa, WrongUsage> {
    Isa::from_name(name).map_err(|error| WrongUsage(format!("--isa: {error}")))
}

/// A `--size` that is large enough, or none.
pub(super) fn large_enough(size: Option<Bytes>) -> Result<Option<Bytes>, WrongUsage> {
    match size.filter(|size| *size < SMALLEST) {
        Some(size) => Err(WrongUsage(format!("--size {size} is too small: at least {SMALLEST}"))),
        None => Ok(size),
    }
}
