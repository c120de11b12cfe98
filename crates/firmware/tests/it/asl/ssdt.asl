// Compiled by iasl to fuzz/seeds/acpi/ssdt-iasl (see ../asl.rs).
DefinitionBlock ("", "SSDT", 2, "NEAR", "FAR ASL", 1)
{
    External (\_SB.PC80, DeviceObj)
    External (\_SB.INIT, MethodObj)

    Scope (\_SB)
    {
        Scope (PC80)
        {
            Name (_PXM, 0x03)
            Name (_BBN, 0x80)
        }
        Device (CL00)
        {
            Name (_HID, "ACPI0016")
            Name (_UID, 7)
            Name (_PXM, 0x100000002)
        }
    }
}
