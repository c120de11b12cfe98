//! nearfar
