//! nearfar-place
