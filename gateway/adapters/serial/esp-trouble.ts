export type EspFault =
  /** Nothing came back, or nothing that makes sense. */
  | 'no_answer'
  /** It had answered, and then did not. */
  | 'fell_silent'
  /** The board runs its program instead of its loader. */
  | 'not_in_loader'
  | 'unknown_chip'
  /** Its fuses forbid the loader. */
  | 'locked'
  /** Bytes arrived otherwise than they were sent. */
  | 'disturbed'
  /** The flash chip did not do what it was told. */
  | 'flash'
  | 'refused';

/** A board that does not do what it was asked. The message says what happened, without advice. */
export class EspTrouble extends Error {
  readonly fault: EspFault;

  constructor(fault: EspFault, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'EspTrouble';
    this.fault = fault;
  }
}

/** Codes of the ROM (second byte of a status 1) and of the flasher stub (first byte). */
const FAULTS: Readonly<Record<number, [EspFault, string]>> = {
  0x05: ['refused', 'the message is not known here'],
  0x06: ['flash', 'could not be carried out'],
  0x07: ['disturbed', 'the checksum of the block is wrong'],
  0x08: ['flash', 'the flash could not be written'],
  0x09: ['flash', 'the flash could not be read'],
  0x0a: ['flash', 'the length to be read is wrong'],
  0x0b: ['disturbed', 'the compressed data is damaged'],
  0xc0: ['disturbed', 'the length of the block is wrong'],
  0xc1: ['disturbed', 'the checksum of the block is wrong'],
  0xc2: ['disturbed', 'the size of the block is wrong'],
  0xc3: ['refused', 'the command is not known here'],
  0xc4: ['flash', 'an operation of the flash failed'],
  0xc5: ['flash', 'the flash could not be unlocked'],
  0xc6: ['disturbed', 'the board was not writing'],
  0xc7: ['disturbed', 'the compressed data is damaged'],
  0xc8: ['disturbed', 'too little data arrived'],
  0xc9: ['disturbed', 'too much data arrived'],
  0xff: ['refused', 'the command is not known here'],
};

/** The stub says of what it hands to a routine of its chip only that it failed. */
const UNEXPLAINED: [EspFault, string] = ['flash', 'could not be carried out'];

/** What a board means by the two bytes of a status that is not 0: the ROM says 1 and why, the stub why and 0. */
export function refusalOf(what: string, first: number, second: number): EspTrouble {
  if (first === 1 && second === 0) return troubleOf(what, UNEXPLAINED, [first, second]);
  const code = first === 1 ? second : first;
  return troubleOf(what, FAULTS[code] ?? ['refused', 'refused'], [first, second]);
}

function troubleOf(what: string, [fault, words]: [EspFault, string], [first, second]: [number, number]) {
  return new EspTrouble(fault, `${what}: ${words} (status ${hex(first)} ${hex(second)})`);
}

/** What the library threw, in our words. It puts the status a board refused with into its message. */
export function asEspTrouble(what: string, error: Error): EspTrouble {
  const [, first, second] = /failed with status (\d+),(\d+)/.exec(error.message) ?? [];
  if (first !== undefined) return refusalOf(what, Number(first), Number(second));
  const isDamaged = /failed with status|bytes of data|invalid response/.test(error.message);
  if (isDamaged) return new EspTrouble('disturbed', `${what}: the answer is damaged`, error);
  return new EspTrouble('fell_silent', `${what}: ${error.message}`, error);
}

const hex = (byte: number) => `0x${byte.toString(16).padStart(2, '0')}`;
