//! nearfar-machine
