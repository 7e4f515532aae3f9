import { type Board, type BoardEvent, type BoardOptions, createBoard } from '#sim/board/board.ts';
import { createManualClock, type ManualClock } from '#sim/sim-clock.ts';

// A board on the table: no port, time turned by hand, frames put together here and not by the simulator's own code.

export type TableBoard = {
  board: Board;
  clock: ManualClock;
  events: BoardEvent[];
  /** What the board has said since the last look. */
  heard(): Uint8Array;
  text(): string;
  /** One request of a loader's client; the answers' frames, unescaped. */
  ask(op: number, data?: Uint8Array | number[], checksum?: number): Uint8Array[];
};

/** Powered and started, without a job. */
export function aBoard(options: Partial<BoardOptions> = {}): TableBoard {
  const clock = createManualClock();
  const events: BoardEvent[] = [];
  let said: number[] = [];
  const board = createBoard(
    { clock, send: (bytes) => said.push(...bytes), tell: (event) => events.push(event) },
    { mac: '24:6f:28:aa:bb:cc', seed: 1, download: 'sync', faults: {}, ...options },
  );
  board.powerOn();
  clock.advance(500);
  const heard = () => {
    const bytes = Uint8Array.from(said);
    said = [];
    return bytes;
  };
  return {
    board,
    clock,
    events,
    heard,
    text: () => new TextDecoder('latin1').decode(heard()),
    ask: (op, data = [], checksum = 0) => {
      heard();
      board.feed(request(op, Uint8Array.from(data), checksum));
      return framesIn(heard());
    },
  };
}

/** SYNC as every loader's client begins. */
export const SYNC = Uint8Array.from([0x07, 0x07, 0x12, 0x20, ...Array<number>(32).fill(0x55)]);

/** A request as it goes over the wire. */
export function request(op: number, data: Uint8Array, checksum = 0): Uint8Array {
  const head = [0, op, data.length & 0xff, data.length >> 8, ...words(checksum)];
  const out = [0xc0];
  for (const byte of [...head, ...data]) {
    if (byte === 0xc0) out.push(0xdb, 0xdc);
    else if (byte === 0xdb) out.push(0xdb, 0xdd);
    else out.push(byte);
  }
  return Uint8Array.from([...out, 0xc0]);
}

/** Whole SLIP frames; text before them is passed over. */
export function framesIn(bytes: Uint8Array): Uint8Array[] {
  const parts = Buffer.from(bytes).toString('latin1').split('\xc0');
  return parts
    .filter((_part, index) => index % 2 === 1)
    .map((part) => Buffer.from(part.replaceAll('\xdb\xdc', '\xc0').replaceAll('\xdb\xdd', '\xdb'), 'latin1'));
}

export function words(...values: number[]): number[] {
  return values.flatMap((value) => [value & 0xff, (value >> 8) & 0xff, (value >> 16) & 0xff, value >>> 24]);
}

export function xor(data: Uint8Array): number {
  return data.reduce((sum, byte) => sum ^ byte, 0xef);
}

/** A block of a download: length, number, two words of nothing, data. */
export function block(data: Uint8Array, sequence: number): Uint8Array {
  return Uint8Array.from([...words(data.length, sequence, 0, 0), ...data]);
}

/** An Improv or SFPROV frame, summed here. */
export function consoleFrame(
  magic: 'IMPROV' | 'SFPROV',
  type: number,
  data: Uint8Array | number[],
): Uint8Array {
  const length = magic === 'IMPROV' ? [data.length] : [data.length >> 8, data.length & 0xff];
  const bytes = [...Buffer.from(magic), 1, type, ...length, ...data];
  return Uint8Array.from([...bytes, bytes.reduce((sum, byte) => (sum + byte) & 0xff, 0), 0x0a]);
}

export function sfprov(command: object): Uint8Array {
  return consoleFrame('SFPROV', 1, Buffer.from(JSON.stringify(command)));
}

/** The answers among the text of the console; one that is cut off is left out. */
export function sfprovAnswers(bytes: Uint8Array): unknown[] {
  return framesOf('SFPROV', bytes).flatMap((frame) => {
    const length = frame.readUInt16BE(8);
    const isWhole = frame[7] === 2 && frame.length >= 10 + length;
    return isWhole ? [JSON.parse(frame.subarray(10, 10 + length).toString())] : [];
  });
}

/** Type and data of every Improv frame. */
export function improvAnswers(bytes: Uint8Array): { type: number; data: number[] }[] {
  return framesOf('IMPROV', bytes).map((frame) => ({
    type: frame[7] ?? 0,
    data: [...frame.subarray(9, 9 + (frame[8] ?? 0))],
  }));
}

/** From each magic word on to the end of what was heard. */
function framesOf(magic: 'IMPROV' | 'SFPROV', bytes: Uint8Array): Buffer[] {
  const heard = Buffer.from(bytes);
  const found: Buffer[] = [];
  for (let at = heard.indexOf(magic); at !== -1; at = heard.indexOf(magic, at + 1)) {
    if (heard.length >= at + 10) found.push(heard.subarray(at));
  }
  return found;
}
