import type { Chip } from './chip.ts';
import { FLASH_ID } from './chip.ts';

// The chip's registers as far as a loader looks at them: fuses, the divider of the serial line, the SPI controller.

export type Registers = {
  read(address: number): number;
  write(address: number, value: number, mask: number): void;
  reset(): void;
};

const CRYSTAL_HZ = 40_000_000;
const SPI_USER_COMMAND = 1 << 18;
const READ_FLASH_ID = 0x9f;
const READ_STATUS = 0x05;
/** A loader touches a few dozen; a broken one shall not fill the memory. */
const MAX_WRITTEN = 1_024;

/** `baud` tells the rate of the line: from it the loader works out the crystal. */
export function createRegisters(chip: Chip, baud: () => number): Registers {
  const written = new Map<number, number>();
  const commandAt = chip.spi.base;
  const w0At = chip.spi.base + chip.spi.w0;

  const store = (address: number, value: number) => {
    if (written.has(address) || written.size < MAX_WRITTEN) written.set(address, value >>> 0);
  };
  const runSpi = () => {
    const opcode = (written.get(chip.spi.base + chip.spi.usr2) ?? 0) & 0xff;
    if (opcode === READ_FLASH_ID) store(w0At, FLASH_ID);
    else if (opcode === READ_STATUS) store(w0At, 0);
  };
  const placed = (address: number) => {
    const { mirror } = chip;
    const within = mirror === null ? -1 : address - mirror.from;
    return mirror !== null && within >= 0 && within < mirror.size ? mirror.to + within : address;
  };
  return {
    read: (asked) => {
      const address = placed(asked);
      if (address === chip.uartDividerAt) return Math.floor(CRYSTAL_HZ / baud());
      return chip.fixed.get(address) ?? written.get(address) ?? 0;
    },
    write: (asked, value, mask) => {
      const address = placed(asked);
      store(address, ((written.get(address) ?? 0) & ~mask) | (value & mask));
      if (address !== commandAt || (value & mask & SPI_USER_COMMAND) === 0) return;
      runSpi();
      // done: the loader waits for this bit to clear
      store(commandAt, 0);
    },
    reset: () => written.clear(),
  };
}
