//! nearfar-report
