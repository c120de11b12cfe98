//! The few instructions that mean something to the lab besides their memory accesses.
//!
//! To the emulator a cache flush touches no memory, and a CPU that waits in a loop works as hard as
//! one that computes. A program that asks for the time, or asks the kernel for anything, wants all
//! that came before to be over. A store past the caches is an ordinary one to the emulator.
//! Encodings: Intel SDM volume 2 (CLFLUSH, CLFLUSHOPT, PAUSE, RDTSC, RDTSCP, SYSCALL, MOVNTI,
//! MOVNTPS, MOVNTPD, MOVNTDQ, MOVNTQ; 2.3.5 VEX, 2.7.1 EVEX); Arm ARM C5, C6 and D24 (DC CIVAC,
//! ISB, YIELD, MRS of CNTPCT_EL0, CNTVCT_EL0, CNTPCTSS_EL0 and CNTVCTSS_EL0, SVC), C4.1 (STNP).

/// The guest's instruction set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstructionSet {
    /// Intel's and AMD's, 64 bits.
    X86_64,
    /// Arm's, 64 bits.
    Aarch64,
}

/// What an instruction is to the lab.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instruction {
    /// It throws a line out of all caches.
    Flush,
    /// Its CPU waits for another.
    Wait,
    /// It asks for the time, or asks the kernel for something.
    Ask,
    /// It stores past the caches (non-temporal).
    StorePastCaches,
    /// Anything else.
    Other,
}

impl Instruction {
    /// What the bytes of an instruction are.
    pub fn from_bytes(set: InstructionSet, bytes: &[u8]) -> Self {
        match set {
            InstructionSet::X86_64 => x86_64(bytes),
            InstructionSet::Aarch64 => aarch64(bytes),
        }
    }
}

fn x86_64(bytes: &[u8]) -> Instruction {
    let segments = [0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65];
    let is_prefix = |byte: &u8| {
        matches!(byte, 0x40..=0x4f | 0x66 | 0x67 | 0xf2 | 0xf3) || segments.contains(byte)
    };
    let prefixes = bytes.iter().take_while(|byte| is_prefix(byte)).count();
    match bytes[prefixes..] {
        [0x90, ..] if bytes[..prefixes].contains(&0xf3) => Instruction::Wait,
        [0x0f, 0x31, ..] | [0x0f, 0x01, 0xf9, ..] | [0x0f, 0x05, ..] => Instruction::Ask,
        [0x0f, 0xae, operand, ..] if operand >> 3 & 7 == 7 && operand < 0xc0 => Instruction::Flush,
        [0x0f, 0xc3 | 0x2b | 0xe7, operand, ..] if operand < 0xc0 => Instruction::StorePastCaches,
        // VEX of two and three bytes and EVEX, with the opcode map of 0x0f.
        [0xc5, _, 0x2b | 0xe7, ..] => Instruction::StorePastCaches,
        [0xc4, map, _, 0x2b | 0xe7, ..] if map & 0x1f == 1 => Instruction::StorePastCaches,
        [0x62, map, _, _, 0x2b | 0xe7, ..] if map & 7 == 1 => Instruction::StorePastCaches,
        _ => Instruction::Other,
    }
}

fn aarch64(bytes: &[u8]) -> Instruction {
    let Some(word) = bytes.first_chunk().map(|bytes| u32::from_le_bytes(*bytes)) else {
        return Instruction::Other;
    };
    match word {
        0xd503_203f | 0xd503_3fdf => Instruction::Wait,
        _ if word & 0xffff_ffe0 == 0xd50b_7e20 => Instruction::Flush,
        _ if word & 0xffff_ff00 == 0xd53b_e000 && matches!(word >> 5 & 7, 1 | 2 | 5 | 6) => {
            Instruction::Ask
        }
        _ if word & 0xffe0_001f == 0xd400_0001 => Instruction::Ask,
        // Pairs of general and of vector registers.
        _ if word & 0x3bc0_0000 == 0x2800_0000 => Instruction::StorePastCaches,
        _ => Instruction::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flushes_are_known() {
        for bytes in [
            &[0x66, 0x0f, 0xae, 0x3f][..],
            &[0x0f, 0xae, 0x7f, 0x40],
            &[0x66, 0x41, 0x0f, 0xae, 0x3c, 0x24],
        ] {
            assert_eq!(
                Instruction::from_bytes(InstructionSet::X86_64, bytes),
                Instruction::Flush,
                "{bytes:x?}"
            );
        }
        assert_eq!(
            Instruction::from_bytes(InstructionSet::Aarch64, &0xd50b_7e23_u32.to_le_bytes()),
            Instruction::Flush
        );
    }

    #[test]
    fn waiting_is_known() {
        assert_eq!(
            Instruction::from_bytes(InstructionSet::X86_64, &[0xf3, 0x90]),
            Instruction::Wait
        );
        assert_eq!(
            Instruction::from_bytes(InstructionSet::Aarch64, &0xd503_3fdf_u32.to_le_bytes()),
            Instruction::Wait
        );
        assert_eq!(
            Instruction::from_bytes(InstructionSet::Aarch64, &0xd503_203f_u32.to_le_bytes()),
            Instruction::Wait
        );
    }

    #[test]
    fn asking_is_known() {
        for bytes in [&[0x0f, 0x31][..], &[0x0f, 0x01, 0xf9], &[0x0f, 0x05]] {
            assert_eq!(
                Instruction::from_bytes(InstructionSet::X86_64, bytes),
                Instruction::Ask,
                "{bytes:x?}"
            );
        }
        for word in [0xd53b_e042_u32, 0xd53b_e0c3, 0xd53b_e020, 0xd53b_e0bf, 0xd400_0001] {
            assert_eq!(
                Instruction::from_bytes(InstructionSet::Aarch64, &word.to_le_bytes()),
                Instruction::Ask,
                "{word:x}"
            );
        }
    }

    #[test]
    fn stores_past_the_caches_are_known() {
        let stores: [&[u8]; 8] = [
            &[0x0f, 0xc3, 0x07],                         // movnti [rdi], eax
            &[0x48, 0x0f, 0xc3, 0x47, 0x08],             // movnti [rdi+8], rax
            &[0x0f, 0x2b, 0x07],                         // movntps [rdi], xmm0
            &[0x66, 0x41, 0x0f, 0xe7, 0x04, 0x24],       // movntdq [r12], xmm0
            &[0xc5, 0xfd, 0xe7, 0x07],                   // vmovntdq [rdi], ymm0
            &[0xc5, 0xfc, 0x2b, 0x07],                   // vmovntps [rdi], ymm0
            &[0xc4, 0xc1, 0x7d, 0xe7, 0x00],             // vmovntdq [r8], ymm0
            &[0x62, 0xf1, 0x7d, 0x48, 0xe7, 0x47, 0x01], // vmovntdq [rdi+64], zmm0
        ];
        for bytes in stores {
            assert_eq!(
                Instruction::from_bytes(InstructionSet::X86_64, bytes),
                Instruction::StorePastCaches,
                "{bytes:x?}"
            );
        }
        // stnp x0, x1, [x2]; stnp w0, w1, [x2]; stnp q0, q1, [x2, #32]
        for word in [0xa800_0440_u32, 0x2800_0440, 0xac01_0440] {
            let bytes = word.to_le_bytes();
            assert_eq!(
                Instruction::from_bytes(InstructionSet::Aarch64, &bytes),
                Instruction::StorePastCaches,
                "{word:x}"
            );
        }
    }

    #[test]
    fn loads_and_ordinary_stores_are_not_taken_for_them() {
        let others: [&[u8]; 5] = [
            &[0x66, 0x0f, 0x38, 0x2a, 0x07], // movntdqa xmm0, [rdi]
            &[0x0f, 0x29, 0x07],             // movaps [rdi], xmm0
            &[0xc5, 0xfe, 0x7f, 0x07],       // vmovdqu [rdi], ymm0
            &[0xc4, 0xe2, 0x7d, 0x2a, 0x07], // vmovntdqa ymm0, [rdi]
            &[0xe7, 0x07],                   // out 7, eax
        ];
        for bytes in others {
            assert_eq!(
                Instruction::from_bytes(InstructionSet::X86_64, bytes),
                Instruction::Other,
                "{bytes:x?}"
            );
        }
        // stp x0, x1, [x2]; ldnp x0, x1, [x2]; stp q0, q1, [x2], #32
        for word in [0xa900_0440_u32, 0xa840_0440, 0xac81_0440] {
            let bytes = word.to_le_bytes();
            assert_eq!(
                Instruction::from_bytes(InstructionSet::Aarch64, &bytes),
                Instruction::Other,
                "{word:x}"
            );
        }
    }

    #[test]
    fn fences_and_nothing_are_neither() {
        for bytes in [
            &[0x0f, 0xae, 0xf0][..],
            &[0x0f, 0xae, 0xf8],
            &[0x90],
            &[0xf3],
            &[],
            &[0x0f, 0xae],
            &[0x0f, 0x01, 0xf8],
        ] {
            assert_eq!(
                Instruction::from_bytes(InstructionSet::X86_64, bytes),
                Instruction::Other,
                "{bytes:x?}"
            );
        }
        assert_eq!(Instruction::from_bytes(InstructionSet::Aarch64, &[0x3f]), Instruction::Other);
        let frequency_of_the_timer = 0xd53b_e000_u32.to_le_bytes();
        assert_eq!(
            Instruction::from_bytes(InstructionSet::Aarch64, &frequency_of_the_timer),
            Instruction::Other
        );
    }
}
