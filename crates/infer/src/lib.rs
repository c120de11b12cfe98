//! nearfar-infer
