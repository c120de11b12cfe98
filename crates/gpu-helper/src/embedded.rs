//! The copy of `nearfar-gpu` in this program. The build script decides whether there is one.

#[cfg(embedded_helper)]
pub(crate) const EMBEDDED: Option<&[u8]> =
    Some(include_bytes!(env!("NEARFAR_GPU_HELPER_EMBEDDED")));

#[cfg(not(embedded_helper))]
pub(crate) const EMBEDDED: Option<&[u8]> = None;
