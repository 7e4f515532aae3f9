// What a chip says of itself when it is asked: magic value, fuses, the id of its flash.

export type ChipKind = 'esp32' | 'esp32c3';

export type Chip = {
  kind: ChipKind;
  /** As the console's `info` answers it. */
  name: string;
  /** Chip id in the header of an image made for it. */
  imageChipId: number;
  /** Where its ROM looks for the second-stage loader. */
  bootloaderAt: number;
  /** Values of registers that never change, by address. */
  fixed: ReadonlyMap<number, number>;
  /** A second place where the same peripherals answer; loaders before 3.0 ask there. */
  mirror: { from: number; to: number; size: number } | null;
  uartDividerAt: number;
  spi: { base: number; usr2: number; w0: number };
  /** Answer to GET_SECURITY_INFO; the classic ESP32 does not know the question. */
  securityInfo: Uint8Array | null;
  /** Its fuses leave of the loader only what writes: no registers, no code in RAM. */
  isLocked: boolean;
};

/** The address every loader asks first. */
const MAGIC_AT = 0x40001000;
/** Flag of GET_SECURITY_INFO. */
const SECURE_DOWNLOAD = 1 << 2;
/** Winbond, 4 MiB: 0xEF maker, 0x40 type, 0x16 = 2^22 bytes. */
export const FLASH_ID = 0x1640ef;

/** Throws a RangeError for what is no MAC of six bytes. */
export function readMac(text: string): Uint8Array {
  const parts = text.split(':');
  if (parts.length !== 6 || !parts.every((part) => /^[0-9a-f]{2}$/i.test(part)))
    throw new RangeError(`"${text}" is no MAC like 24:6f:28:00:00:01`);
  return Uint8Array.from(parts.map((part) => Number.parseInt(part, 16)));
}

/** ESP32-D0WD-V3 revision 3 with a crystal of 40 MHz: what most controllers are built of. */
export function esp32(mac: Uint8Array): Chip {
  const { low, high } = macWords(mac);
  return {
    kind: 'esp32',
    name: 'ESP32',
    imageChipId: 0,
    bootloaderAt: 0x1000,
    fixed: new Map([
      [MAGIC_AT, 0x00f01d83],
      [0x3ff5a004, low],
      [0x3ff5a008, (crc8(mac) << 16) | high],
      // package 1 in bits 9-11; the three bits of revision 3 lie in three words
      [0x3ff5a00c, (1 << 9) | (1 << 15)],
      [0x3ff5a014, 1 << 20],
      [0x3ff6607c, 0x80000000],
      // the 8 MHz clock and its count of the crystal, from which a client works out the rate that the ROM will really
      // make: 800 x 15,625 x 128 / 40 = 40 MHz
      [0x3ff5a010, 128],
      [0x3ff5f06c, 800 << 7],
    ]),
    // as the AHB bus numbers them
    mirror: { from: 0x60000000, to: 0x3ff40000, size: 0x40000 },
    uartDividerAt: 0x3ff40014,
    spi: { base: 0x3ff42000, usr2: 0x24, w0: 0x80 },
    securityInfo: null,
    isLocked: false,
  };
}

/** The chip a technician takes for the right one: other code, other fuses, other image. */
export function esp32c3(mac: Uint8Array): Chip {
  const { low, high } = macWords(mac);
  const info = new Uint8Array(20);
  new DataView(info.buffer).setUint32(12, 5, true);
  return {
    kind: 'esp32c3',
    name: 'ESP32-C3',
    imageChipId: 5,
    bootloaderAt: 0,
    fixed: new Map([
      [MAGIC_AT, 0x1b31506f],
      [0x60008844, low],
      [0x60008848, high],
      // revision 0.3: the minor number lies in bits 18-20
      [0x60008850, 3 << 18],
    ]),
    mirror: null,
    uartDividerAt: 0x60000014,
    spi: { base: 0x60002000, usr2: 0x20, w0: 0x58 },
    securityInfo: info,
    isLocked: false,
  };
}

/** The same with the fuse for secure download blown, as makers of finished devices do. */
export function lockedEsp32c3(mac: Uint8Array): Chip {
  const open = esp32c3(mac);
  const info = Uint8Array.from(open.securityInfo ?? []);
  new DataView(info.buffer).setUint32(0, SECURE_DOWNLOAD, true);
  return { ...open, securityInfo: info, isLocked: true };
}

function macWords(mac: Uint8Array): { low: number; high: number } {
  const view = new DataView(mac.buffer, mac.byteOffset, 6);
  return { low: view.getUint32(2), high: view.getUint16(0) };
}

/** Polynomial x^8+x^5+x^4+1, low bit first: how the factory seals the MAC in its fuses. */
function crc8(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >> 1) ^ 0x8c : crc >> 1;
  }
  return crc;
}
