//! nearfar-probe
