//! Arm.
