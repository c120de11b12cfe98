//! nearfar-survey
