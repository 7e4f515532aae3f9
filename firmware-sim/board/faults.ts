import * as z from 'zod';

// What can be wrong with a board or its cable, as one asks for it on the command line: name or name=value.

const share = z.coerce.number().gt(0).max(0.5);
const address = z
  .string()
  .regex(/^(0x[0-9a-f]+|\d+)$/i)
  .transform(Number);
const seconds = z.coerce.number().positive().max(86_400);

/** Each fault's schema of its value and the value it has when none is given. */
const FAULTS = {
  /** Share of bytes with a flipped bit, in both directions. */
  noise: { value: share, fallback: '0.0005' },
  /** Share of bytes that never arrive, in both directions. */
  lost: { value: share, fallback: '0.0005' },
  /** Another chip than the one the firmware is made for. */
  'wrong-chip': null,
  /** A chip whose fuses let nobody look into it over the cable. */
  locked: null,
  /** A sector that keeps a wrong bit and does not say so. */
  'bad-block': { value: address, fallback: '0x10000' },
  /** A sector that refuses to be written. */
  'dead-block': { value: address, fallback: '0x10000' },
  /** The cable is pulled once, after so many bytes of the host. */
  unplug: { value: z.coerce.number().int().positive(), fallback: '65536' },
  /** No Wi-Fi password is right. */
  'wifi-password': null,
  /** The access point never answers. */
  'wifi-silent': null,
  /** No current flows although the relay is on. */
  'no-motor': null,
  /** The relay does not move. */
  'stuck-relay': null,
  /** Nothing ever comes back. */
  silent: null,
  /** It cannot be brought into download mode: the BOOT button is not held. */
  'no-download': null,
  /** The program dies so many seconds after its start, again and again. */
  crash: { value: seconds, fallback: '5' },
} as const satisfies Record<string, { value: z.ZodType<number>; fallback: string } | null>;

export type FaultName = keyof typeof FAULTS;
/** The faults a board has; 1 stands for a fault without a value. */
export type BoardFaults = Partial<Record<FaultName, number>>;

/** Reads `noise,bad-block=0x12000`. Throws a RangeError with one sentence. */
export function readFaults(text: string): BoardFaults {
  const faults: BoardFaults = {};
  for (const part of text.split(',').filter((each) => each.trim() !== '')) {
    const [name = '', given] = part.trim().split('=');
    if (!isFault(name)) throw new RangeError(`"${name}" is none of the faults ${faultNames().join(', ')}`);
    const shape = FAULTS[name];
    if (shape === null) {
      if (given !== undefined) throw new RangeError(`the fault "${name}" has no value`);
      faults[name] = 1;
      continue;
    }
    const parsed = shape.value.safeParse(given ?? shape.fallback);
    if (!parsed.success) throw new RangeError(`the fault "${name}" cannot have the value "${given}"`);
    faults[name] = parsed.data;
  }
  return faults;
}

export function faultNames(): FaultName[] {
  return Object.keys(FAULTS).filter(isFault);
}

function isFault(name: string): name is FaultName {
  return Object.hasOwn(FAULTS, name);
}
