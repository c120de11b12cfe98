//! The two programming interfaces of GPU drivers.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Whose functions a driver's library has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GpuApi {
    /// NVIDIA's driver API, in `libcuda.so.1`.
    Cuda,
    /// AMD's HIP, in `libamdhip64.so`.
    Hip,
}

impl GpuApi {
    /// Every interface, in the order in which they are tried.
    pub const ALL: [Self; 2] = [Self::Cuda, Self::Hip];

    /// Its name, as its vendor writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cuda => "CUDA",
            Self::Hip => "HIP",
        }
    }

    /// Names of its library, as the loader searches them, newest first.
    pub(crate) fn libraries(self) -> &'static [&'static str] {
        match self {
            Self::Cuda => &["libcuda.so.1"],
            // ROCm installs its libraries where the loader searches only on some distributions.
            Self::Hip => &[
                "libamdhip64.so.7",
                "libamdhip64.so.6",
                "libamdhip64.so.5",
                "libamdhip64.so",
                "/opt/rocm/lib/libamdhip64.so",
            ],
        }
    }

    /// The attribute of a GPU that is the nearest node of the host:
    /// `CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID` and `hipDeviceAttributeHostNumaId`.
    pub(crate) fn host_node_attribute(self) -> i32 {
        match self {
            Self::Cuda => 134,
            Self::Hip => 92,
        }
    }

    /// A version number as the driver codes it, for people: CUDA's 12040 is 12.4, HIP's 50221153
    /// is 5.2.
    pub(crate) fn version(self, number: i32) -> String {
        match self {
            Self::Cuda => format!("{}.{}", number / 1000, number % 1000 / 10),
            Self::Hip => format!("{}.{}", number / 10_000_000, number % 10_000_000 / 100_000),
        }
    }
}

impl fmt::Display for GpuApi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::GpuApi;

    #[test]
    fn versions_are_for_people() {
        let versions = [
            (GpuApi::Cuda, 12040, "12.4"),
            (GpuApi::Cuda, 13000, "13.0"),
            (GpuApi::Cuda, 9000, "9.0"),
            (GpuApi::Hip, 50_221_153, "5.2"),
            (GpuApi::Hip, 70_226_015, "7.2"),
        ];
        for (api, number, text) in versions {
            assert_eq!(api.version(number), text);
        }
    }
}
