// Compiled by iasl to fuzz/seeds/acpi/dsdt-iasl (see ../asl.rs).
DefinitionBlock ("", "DSDT", 2, "NEAR", "FAR ASL", 1)
{
    OperationRegion (GNVS, SystemMemory, 0x7A000000, 0x40)
    Field (GNVS, AnyAcc, NoLock, Preserve)
    {
        SNC0, 8,
        PXM7, 32
    }

    Name (PKG0, Package () { "_PXM", 1, Package () { 2, 3 } })
    Mutex (MTX0, 0)
    Alias (PKG0, PKG1)

    Method (CNT1, 1, NotSerialized)
    {
        Name (_PXM, 9)
        Return (Arg0)
    }

    Scope (_SB)
    {
        Processor (CPU0, 0, 0x00000000, 0) { Name (_PXM, 1) }

        Device (PC00)
        {
            Name (_HID, EisaId ("PNP0A08"))
            Name (_CID, EisaId ("PNP0A03"))
            Name (_UID, Zero)
            Name (_SEG, Zero)
            Name (_BBN, Zero)
            Name (_PXM, Zero)
            Name (_CRS, ResourceTemplate () { WordBusNumber (ResourceProducer, MinFixed, MaxFixed,
                PosDecode, 0, 0, 0x1F, 0, 0x20) })
            Device (RP01)
            {
                Name (_ADR, 0x001C0000)
                Device (SLOT) { Name (_ADR, Zero) }
            }
        }

        Device (PC20)
        {
            Name (_HID, EisaId ("PNP0A08"))
            Name (_CID, Package () { EisaId ("PNP0A03"), "ACPI0016" })
            Name (_UID, "P20")
            Name (_BBN, 0x20)
            Method (_PXM, 0, NotSerialized) { Return (0x12345) }
        }

        Device (PC40)
        {
            Name (_HID, "PNP0A08")
            Method (_BBN, 0, NotSerialized) { Return (CNT1 (0x40)) }
            Method (_PXM, 0, NotSerialized)
            {
                If (SNC0) { Return (4) } Else { Return (2) }
            }
        }

        Device (PC60)
        {
            Name (_HID, EisaId ("PNP0A03"))
            Method (_PXM, 0, NotSerialized) { Return (\PXM7) }
            PowerResource (PWR0, 0, 0) { Name (_PXM, 0xFFFF) }
        }
    }

    If (LEqual (CNT1 (SNC0), 1))
    {
        Scope (\_SB.PC20) { Device (RP01) { Name (_ADR, 0x001C0000) Name (_PXM, 5) } }
    }
    Else
    {
        Device (\_SB.PC20.RP02) { Name (_ADR, 0x001C0001) Name (_PXM, 6) }
    }

    Store (CNT1 (Add (SNC0, 1)), PXM7)
    CNT1 (3)
    ThermalZone (\_TZ.THM0) { Name (_PXM, One) }
}
