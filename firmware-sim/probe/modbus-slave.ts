import { MODELS, type Model, type ModelName, type PondValues, registersOf } from './models.ts';

// A Modbus slave, free of any line: bytes of a request in, bytes of the answer out.

export const PROBE_FAULTS = [
  'silent',
  'late',
  'crc',
  'noise',
  'echo',
  'collision',
  'exception',
  'nan',
  'stuck',
  'swapped',
  'fouled',
] as const;
export type ProbeFault = (typeof PROBE_FAULTS)[number];

export type Answer = { bytes: Uint8Array; afterMs: number };

export type SimProbe = {
  unitId: number;
  model: ModelName;
  /** Values that stand in for the pond's. */
  fixed: Partial<PondValues>;
  faults: Set<ProbeFault>;
  /** How late it answers with the fault `late`, ms. */
  lateMs?: number;
};

export type SlaveDeps = { pond: () => PondValues };

const LATE_MS = 900;
/** What slime on an optical window takes away. */
const FOULED = 0.6;

/** The probes of one line. */
export function createSlaves({ pond }: SlaveDeps, probes: readonly SimProbe[]) {
  const stuckAt = new Map<SimProbe, PondValues>();
  const settings = new Map<SimProbe, Map<number, number>>();

  function valuesOf(probe: SimProbe): PondValues {
    if (!probe.faults.has('stuck')) stuckAt.delete(probe);
    const held = stuckAt.get(probe);
    if (held !== undefined) return held;
    const seen = { ...pond(), ...probe.fixed };
    if (probe.faults.has('fouled')) {
      seen.dissolved_oxygen *= FOULED;
      seen.oxygen_saturation *= FOULED;
    }
    if (probe.faults.has('stuck')) stuckAt.set(probe, seen);
    return seen;
  }

  function settingsOf(probe: SimProbe): Map<number, number> {
    const model: Model = MODELS[probe.model];
    const first = Object.entries(model.settings ?? {}).map(([at, word]) => [Number(at), word] as const);
    const known = settings.get(probe) ?? new Map(first);
    settings.set(probe, known);
    return known;
  }

  /** Function and data of a request; answers function and data. */
  function answerTo(probe: SimProbe, body: Uint8Array): Uint8Array {
    const view = new DataView(body.buffer, body.byteOffset, body.length);
    const code = view.getUint8(0);
    const refuse = (exception: number) => Uint8Array.of(code | 0x80, exception);
    if (probe.faults.has('exception')) return refuse(4);
    const model: Model = MODELS[probe.model];
    const isRead = model.functionCodes.includes(code);
    if ((!isRead && code !== 6) || body.length < 5) return refuse(1);
    const address = view.getUint16(1);
    const own = settingsOf(probe);
    if (code === 6) {
      if (!own.has(address)) return refuse(2);
      own.set(address, view.getUint16(3));
      return body.slice(0, 5);
    }
    const count = view.getUint16(3);
    if (count < 1 || count > 125) return refuse(3);
    const how = { hasNoValue: probe.faults.has('nan'), isSwapped: probe.faults.has('swapped') };
    const registers = new Map([...own, ...registersOf(model, valuesOf(probe), how)]);
    const words = Array.from({ length: count }, (_, index) => registers.get(address + index));
    const data = words.flatMap((word) => (word === undefined ? [] : [word >> 8, word & 0xff]));
    return data.length === count * 2 ? Uint8Array.of(code, count * 2, ...data) : refuse(2);
  }

  const probeAt = (unitId: number) => probes.find((probe) => probe.unitId === unitId);
  const afterMsOf = (probe: SimProbe) => (probe.faults.has('late') ? (probe.lateMs ?? LATE_MS) : 0);

  return {
    /** An RTU frame without a fault of the line; null: nobody is meant or wants to answer. */
    rtu(frame: Uint8Array): Answer | null {
      const probe = probeAt(frame[0] ?? 0);
      if (probe === undefined || probe.faults.has('silent')) return null;
      const body = Uint8Array.of(probe.unitId, ...answerTo(probe, frame.subarray(1, -2)));
      const crc = crcOf(body) ^ (probe.faults.has('crc') ? 0x0101 : 0);
      let bytes = Uint8Array.of(...body, crc & 0xff, crc >> 8);
      if (probe.faults.has('collision')) bytes = bytes.map((byte, at) => byte & (body[at - 1] ?? 0xff));
      if (probe.faults.has('noise')) bytes = Uint8Array.of(0x00, 0xff, ...bytes);
      if (probe.faults.has('echo')) bytes = Uint8Array.of(...frame, ...bytes);
      return { bytes, afterMs: afterMsOf(probe) };
    },
    /** A frame of Modbus TCP. */
    tcp(frame: Uint8Array): Answer | null {
      const probe = probeAt(frame[6] ?? 0);
      if (probe === undefined || probe.faults.has('silent')) return null;
      const body = answerTo(probe, frame.subarray(7));
      const head = Uint8Array.of(...frame.subarray(0, 4), 0, body.length + 1, probe.unitId);
      return { bytes: Uint8Array.of(...head, ...body), afterMs: afterMsOf(probe) };
    },
  };
}
export type Slaves = ReturnType<typeof createSlaves>;

/** CRC-16/MODBUS by table-free shifting; the low byte goes first on the line. */
export function crcOf(bytes: Uint8Array): number {
  return bytes.reduce((start, byte) => {
    let crc = start ^ byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >> 1) ^ 0xa001 : crc >> 1;
    return crc;
  }, 0xffff);
}

/** Requests of 8 bytes in a stream that may begin anywhere; answers what is left over. */
export function takeRtuRequests(bytes: Uint8Array, take: (frame: Uint8Array) => void): Uint8Array {
  let rest = bytes;
  while (rest.length >= 8) {
    const frame = rest.slice(0, 8);
    const isFrame = crcOf(frame.subarray(0, 6)) === ((frame[6] ?? 0) | ((frame[7] ?? 0) << 8));
    if (isFrame) take(frame);
    rest = rest.slice(isFrame ? 8 : 1);
  }
  return rest;
}

export function takeTcpRequests(bytes: Uint8Array, take: (frame: Uint8Array) => void): Uint8Array {
  let rest = bytes;
  while (rest.length >= 8) {
    const length = 6 + (((rest[4] ?? 0) << 8) | (rest[5] ?? 0));
    if (length < 8 || length > 260) return new Uint8Array(0);
    if (rest.length < length) break;
    take(rest.slice(0, length));
    rest = rest.slice(length);
  }
  return rest;
}
