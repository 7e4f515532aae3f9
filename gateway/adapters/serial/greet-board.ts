import { ESPError, ESPLoader, type ROM } from 'esptool-js';
import { CHIP_DEFS, ROM_LIST } from 'esptool-js/lib/targets/index.js';
import { EspTransport } from './esp-transport.ts';
import { asEspTrouble, EspTrouble } from './esp-trouble.ts';
import type { SerialLink } from './open-port.ts';

export const ROM_BAUD = 115_200;
/** Some seven seconds: boards with a large capacitor at EN need the second, longer reset. */
const ATTEMPTS = 6;
/** Where nothing can be reset, patience helps only a board that leaves its loader by itself after some seconds. */
const ATTEMPTS_WITHOUT_LINES = 4;
export const MAGIC_REGISTER = 0x4000_1000;
/** Chips whose ROM does not tell its id: their magic value is read instead. */
const BY_MAGIC: Readonly<Record<number, ROM>> = {
  0x00f0_1d83: CHIP_DEFS.esp32,
  0x0000_07c6: CHIP_DEFS.esp32s2,
  0xfff0_c101: CHIP_DEFS.esp8266,
};
/** Boards without reset lines leave their loader after three seconds of silence. */
const ANSWER_MS = 2_000;
const STUB_TRIES = 3;

export type Connecting = {
  /** For the time after the greeting; the ROM itself always begins at 115,200. */
  baud: number;
  usb: { vendorId?: number; productId?: number };
  signal: AbortSignal;
  /** answers: it is in its loader; slow: the cable does not carry the baud, it goes on at 115,200. */
  say: (news: 'answers' | 'slow') => void;
};

const SYNC = 0x08;
const SYNC_WORDS = Buffer.concat([Buffer.from([0x07, 0x07, 0x12, 0x20]), Buffer.alloc(32, 0x55)]);
const SYNC_TRIES = 4;
const SYNC_TIMEOUT_MS = 250;

/**
 * Why a board gave no answer: one that still answers a short question has not got the long one whole, and its line is to
 * blame; one that does not has left its loader, or its power.
 */
export async function diagnosed(
  silent: EspTrouble,
  { loader, transport }: Omit<Greeted, 'chip'>,
): Promise<EspTrouble> {
  for (let attempt = 0; attempt < SYNC_TRIES; attempt += 1) {
    try {
      await loader.command(SYNC, SYNC_WORDS, 0, true, SYNC_TIMEOUT_MS);
      return new EspTrouble('disturbed', `${silent.message}; short questions it answers`, silent);
    } catch (error) {
      if (!(error instanceof ESPError)) throw error;
    }
  }
  await transport.drainInput(50, 50);
  return silent;
}

export type Greeted = { loader: ESPLoader; transport: EspTransport; chip: ROM };

/**
 * Brings the board into its loader, finds out which chip it is and starts the flasher stub. Where that fails, the board
 * is reset into its program.
 */
export async function greet(link: SerialLink, { usb, signal, say }: Connecting): Promise<Greeted> {
  const transport = new EspTransport(link, usb, signal);
  const loader = new ESPLoader({
    transport,
    baudrate: ROM_BAUD,
    romBaudrate: ROM_BAUD,
    terminal: { clean: () => undefined, write: () => undefined, writeLine: () => undefined },
  });
  loader.DEFAULT_TIMEOUT = ANSWER_MS;
  try {
    await enterLoader(loader, transport);
    say('answers');
    const chip = await identify(loader);
    loader.chip = chip;
    if (chip.SPI_ADDR_REG_MSB !== undefined) loader.SPI_ADDR_REG_MSB = chip.SPI_ADDR_REG_MSB;
    await startStub(loader, transport);
    if (!loader.IS_STUB) throw new EspTrouble('unknown_chip', `no flasher is known for ${chip.CHIP_NAME}`);
    return { loader, transport, chip };
  } catch (error) {
    // what cannot be worked on goes back to what it did before
    await transport.resetIntoProgram().catch(() => false);
    await transport.disconnect();
    signal.throwIfAborted();
    link.lost.throwIfAborted();
    if (error instanceof ESPError) throw asEspTrouble('find out which chip it is', error);
    throw error;
  }
}

/** Its blocks go over the line as they are: one that arrives damaged is refused, and all is sent again. */
async function startStub(loader: ESPLoader, transport: EspTransport): Promise<void> {
  let disturbed: EspTrouble | null = null;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await loader.runStub();
      return;
    } catch (error) {
      if (!(error instanceof ESPError)) throw error;
      const trouble = asEspTrouble('start the flasher', error);
      if (trouble.fault === 'disturbed') disturbed = trouble;
      // a disturbed line also loses answers: the damage says more than the silence after it
      if (attempt === STUB_TRIES) throw disturbed ?? (await diagnosed(trouble, { loader, transport }));
      await transport.drainInput(100, 100);
    }
  }
}

async function enterLoader(loader: ESPLoader, transport: EspTransport): Promise<void> {
  await transport.connect(ROM_BAUD);
  const resets = loader.constructResetSequence('default_reset');
  let said = '';
  const attempts = () => (transport.hasLines ? ATTEMPTS : ATTEMPTS_WITHOUT_LINES);
  for (let attempt = 0; attempt < attempts(); attempt += 1) {
    const answer = await loader._connectAttempt('default_reset', resets[attempt % resets.length] ?? null);
    if (answer === 'success') return;
    // the library swallows what the wait was ended by
    await transport.write(new Uint8Array());
    said = answer;
  }
  const mode = /Wrong boot mode detected \((0x[0-9a-f]+)\)/i.exec(said)?.[1];
  if (mode === undefined) throw new EspTrouble('no_answer', 'the board does not answer to its loader');
  throw new EspTrouble(
    'not_in_loader',
    `the board started its program (boot mode ${mode}) instead of its loader`,
  );
}

async function identify(loader: ESPLoader): Promise<ROM> {
  const magic = (await loader.readReg(MAGIC_REGISTER)) >>> 0;
  const known = BY_MAGIC[magic];
  if (known !== undefined) return known;
  const info = await loader.getSecurityInfo();
  if (info.parsedFlags.SECURE_DOWNLOAD_ENABLE)
    throw new EspTrouble('locked', 'the fuses of this chip forbid to write it over the cable');
  const found = ROM_LIST.find((rom) => !rom.USES_MAGIC_VALUE && rom.IMAGE_CHIP_ID === info.chipId);
  if (found !== undefined) return found;
  throw new EspTrouble(
    'unknown_chip',
    `a chip with id ${info.chipId} and magic 0x${magic.toString(16)} is not known`,
  );
}
