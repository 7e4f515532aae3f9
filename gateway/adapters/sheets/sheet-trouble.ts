/** A workbook that is none, or larger than a sheet of a farm: what the sender is told. Told here, for who does not read it. */
export class SheetTrouble extends Error {}
