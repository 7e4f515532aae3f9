import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSlipReader, encodeSlip } from '#sim/board/loader-codes.ts';
import { createRfc2217 } from '#sim/board/rfc2217.ts';
import { createLine } from '#sim/board/start-board.ts';
import { aBoard, block, framesIn, request, SYNC, words, xor } from './a-board.ts';

// The loader of the simulated chip, asked by a client that never loads a stub, and by one that does.

const OK = [0, 0, 0, 0];
const firmware = Uint8Array.from({ length: 2_500 }, (_each, index) => (index * 7) & 0xff);

const md5Of = (bytes: Uint8Array) => createHash('md5').update(bytes).digest();
/** Status of the only answer. */
const statusOf = (answers: Uint8Array[]) => answers.map((answer) => [...answer.subarray(8)])[0];
const valueOf = (answers: Uint8Array[]) => Buffer.from(answers[0] ?? []).readUInt32LE(4);

function inDownload(options: Parameters<typeof aBoard>[0] = {}) {
  const table = aBoard(options);
  table.ask(0x08, SYNC);
  return table;
}

function withStub(options: Parameters<typeof aBoard>[0] = {}) {
  const table = inDownload(options);
  const stub = Uint8Array.of(1, 2, 3, 0xc0, 0xdb);
  table.ask(0x05, words(stub.length, 1, 0x1800, 0x40090000));
  table.ask(0x07, block(stub, 0), xor(stub));
  const started = table.ask(0x06, words(0, 0x400be3ac));
  return { ...table, started };
}

describe('the loader in the chip', () => {
  test('answers SYNC eight times and says that it is the ROM', () => {
    const table = aBoard();
    const answers = table.ask(0x08, SYNC);
    expect(answers.map((answer) => [...answer])).toEqual(
      Array(8).fill([1, 0x08, 4, 0, 0x07, 0x07, 0x12, 0x20, ...OK]),
    );
    expect(table.board.mode()).toBe('rom');
  });

  test('tells chip, revision, MAC, crystal and flash by its registers', () => {
    const { ask } = inDownload();
    const read = (address: number) => valueOf(ask(0x0a, words(address)));
    expect(read(0x40001000)).toBe(0x00f01d83);
    expect([read(0x3ff5a004), read(0x3ff5a008) & 0xffff]).toEqual([0x28aabbcc, 0x246f]);
    expect([(read(0x3ff5a00c) >> 15) & 1, (read(0x3ff5a014) >> 20) & 1, read(0x3ff6607c) >>> 31]).toEqual([
      1, 1, 1,
    ]);
    expect(read(0x3ff40014)).toBe(Math.floor(40e6 / 115_200));
    ask(0x09, words(0x3ff42024, 0x7000009f, 0xffffffff, 0));
    ask(0x09, words(0x3ff42000, 1 << 18, 0xffffffff, 0));
    expect([read(0x3ff42000), read(0x3ff42080)]).toEqual([0, 0x1640ef]);
  });

  test('tells the same where loaders of before 2020 ask', () => {
    const { ask } = inDownload();
    const read = (address: number) => valueOf(ask(0x0a, words(address)));
    expect([read(0x6001a004), read(0x6001a008) & 0xffff]).toEqual([0x28aabbcc, 0x246f]);
    ask(0x09, words(0x60002024, 0x7000009f, 0xffffffff, 0));
    ask(0x09, words(0x60002000, 1 << 18, 0xffffffff, 0));
    expect([read(0x60002000), read(0x60002080)]).toEqual([0, 0x1640ef]);
  });

  test('keeps a plain download, and proves it by MD5 in text and 64 bytes at a time', () => {
    const { ask } = inDownload();
    expect(statusOf(ask(0x02, words(firmware.length, 3, 0x400, 0x20000)))).toEqual(OK);
    for (let number = 0; number < 3; number += 1) {
      const part = new Uint8Array(0x400).fill(0xff);
      part.set(firmware.subarray(number * 0x400, (number + 1) * 0x400));
      expect(statusOf(ask(0x03, block(part, number), xor(part)))).toEqual(OK);
    }
    const sum = ask(0x13, words(0x20000, firmware.length, 0, 0))[0] ?? new Uint8Array();
    expect(Buffer.from(sum.subarray(8, 40)).toString()).toBe(md5Of(firmware).toString('hex'));
    const piece = ask(0x0e, words(0x20040, 64))[0] ?? new Uint8Array();
    expect([...piece.subarray(8, 72)]).toEqual([...firmware.subarray(64, 128)]);
  });

  test('inflates a deflated download', () => {
    const { ask } = inDownload();
    const packed = deflateSync(firmware);
    const blocks = Math.ceil(packed.length / 0x100);
    ask(0x10, words(0x1000, blocks, 0x100, 0x30000));
    for (let number = 0; number < blocks; number += 1) {
      const part = packed.subarray(number * 0x100, (number + 1) * 0x100);
      expect(statusOf(ask(0x11, block(part, number), xor(part)))).toEqual(OK);
    }
    const sum = ask(0x13, words(0x30000, firmware.length, 0, 0))[0] ?? new Uint8Array();
    expect(Buffer.from(sum.subarray(8, 40)).toString()).toBe(md5Of(firmware).toString('hex'));
  });

  test.each([
    ['a block with a wrong checksum', 0x07, (part: Uint8Array) => [block(part, 0), xor(part) ^ 1] as const],
    ['a block out of order', 0x06, (part: Uint8Array) => [block(part, 2), xor(part)] as const],
    [
      'a block shorter than it says',
      0x05,
      (part: Uint8Array) => [block(part, 0).subarray(0, 20), 0] as const,
    ],
  ])('refuses %s, and writes nothing of it', (_what, code, make) => {
    const { ask } = inDownload();
    ask(0x02, words(0x400, 1, 0x400, 0x20000));
    expect(statusOf(ask(0x03, ...make(new Uint8Array(0x400))))).toEqual([1, code, 0, 0]);
    expect([...(ask(0x0e, words(0x20000, 64))[0] ?? [])].slice(8, 72)).toEqual(Array(64).fill(0xff));
  });

  test('takes a block again whose answer was lost', () => {
    const { ask } = inDownload();
    const part = firmware.subarray(0, 0x400);
    ask(0x02, words(0x400, 2, 0x400, 0x20000));
    expect(statusOf(ask(0x03, block(part, 0), xor(part)))).toEqual(OK);
    expect(statusOf(ask(0x03, block(part, 0), xor(part)))).toEqual(OK);
  });

  test('does not know what only newer chips and the stub know', () => {
    const { ask } = inDownload();
    for (const op of [0x14, 0xd0, 0xd1, 0xd2, 0x77]) expect(statusOf(ask(op))).toEqual([1, 0x05, 0, 0]);
  });

  test('another chip says so by its id', () => {
    const { ask } = inDownload({ faults: { 'wrong-chip': 1 } });
    const answer = ask(0x14)[0] ?? new Uint8Array();
    expect(Buffer.from(answer).readUInt32LE(8 + 12)).toBe(5);
  });

  test('the stub greets, answers in two bytes and streams the flash with its MD5 at the end', () => {
    const { ask, started, board, heard } = withStub();
    expect(started.map((frame) => Buffer.from(frame).toString('latin1')).at(-1)).toBe('OHAI');
    expect(valueOf(ask(0x08, SYNC))).toBe(0);
    ask(0x02, words(firmware.length, 1, 0x4000, 0x40000));
    expect(statusOf(ask(0x03, block(firmware, 0), xor(firmware)))).toEqual([0, 0]);
    const sum = ask(0x13, words(0x40000, firmware.length, 0, 0))[0] ?? new Uint8Array();
    expect(Buffer.from(sum.subarray(8, 24))).toEqual(md5Of(firmware));

    const frames = ask(0xd2, words(0x40000, firmware.length, 0x400, 64)).slice(1);
    const got: number[] = [];
    for (let next = frames; got.length < firmware.length; ) {
      got.push(...(next[0] ?? []));
      board.feed(encodeSlip(Uint8Array.from(words(got.length))));
      next = [];
      createSlipReader(0x1000, (frame) => next.push(frame)).feed(heard());
      if (got.length === firmware.length) expect(Buffer.from(next[0] ?? [])).toEqual(md5Of(firmware));
    }
    expect(got).toEqual([...firmware]);
    expect(statusOf(ask(0xd1, words(0x40000, 0x1000)))).toEqual([0, 0]);
    expect(statusOf(ask(0xd0))).toEqual([0, 0]);
    expect(board.mode()).toBe('stub');
  });

  test('a new rate holds after the answer, and until the next reset', () => {
    const { ask, board, clock } = inDownload();
    expect(statusOf(ask(0x0f, words(921_600, 0)))).toEqual(OK);
    expect([board.baud(), valueOf(ask(0x0a, words(0x3ff40014)))]).toEqual([921_600, 43]);
    clock.advance(4_000);
    expect(board.baud()).toBe(115_200);
  });

  test.each([
    [
      'the end of a download',
      (table: ReturnType<typeof inDownload>) => table.board.feed(request(0x04, Uint8Array.from(words(1)))),
    ],
    ['three seconds of silence', (table: ReturnType<typeof inDownload>) => table.clock.advance(3_001)],
    ['the host hanging up', (table: ReturnType<typeof inDownload>) => table.board.hangUp()],
  ])('%s starts the program again', (_what, leave) => {
    const table = inDownload();
    leave(table);
    table.clock.advance(500);
    expect(table.board.mode()).toBe('program');
    expect(table.text()).toContain('Loaded app from partition');
  });

  test('DTR and RTS choose between program and download', () => {
    const table = aBoard({ download: 'lines' });
    table.board.feed(request(0x08, SYNC));
    expect(table.board.mode()).toBe('program');
    table.board.setLines({ dtr: false, rts: true });
    expect(table.board.mode()).toBe('held');
    table.board.setLines({ dtr: true, rts: true });
    table.heard();
    table.board.setLines({ dtr: true, rts: false });
    expect(table.text()).toContain('waiting for download');
    table.clock.advance(60_000);
    expect(table.board.mode()).toBe('rom');
    table.board.setLines({ dtr: false, rts: true });
    table.board.setLines({ dtr: false, rts: false });
    table.clock.advance(500);
    expect(table.board.mode()).toBe('program');
  });

  test('an empty or damaged flash is told on the console and tried again', () => {
    const { board, text, clock } = aBoard({ isBlank: true });
    expect([board.mode(), text()]).toEqual(['broken', expect.stringContaining('invalid header: 0xffffffff')]);
    clock.advance(1_200);
    expect(text()).toContain('RTCWDT_RTC_RESET');
  });

  test('a worn sector keeps a wrong bit, a dead one refuses', () => {
    const part = firmware.subarray(0, 0x400);
    const write = (faults: { 'bad-block'?: number; 'dead-block'?: number }) => {
      const { ask } = inDownload({ faults });
      ask(0x02, words(0x400, 1, 0x400, 0x20000));
      const status = statusOf(ask(0x03, block(part, 0), xor(part)));
      const sum = ask(0x13, words(0x20000, 0x400, 0, 0))[0] ?? new Uint8Array();
      return { status, isRight: Buffer.from(sum.subarray(8, 40)).toString() === md5Of(part).toString('hex') };
    };
    expect(write({ 'bad-block': 0x20010 })).toEqual({ status: OK, isRight: false });
    expect(write({ 'dead-block': 0x20010 })).toEqual({ status: [1, 0x08, 0, 0], isRight: false });
  });
});

test('a board on a line so slow that a block takes longer than its patience still hears it to the end', () => {
  const { board, clock, heard } = inDownload();
  const carry = createLine(
    { clock, random: () => 1, toBoard: board.feed, toHost: () => undefined, unplug: () => undefined },
    { baud: () => 9_600, noise: 0, lost: 0, unplugAfterBytes: null },
  );
  const part = new Uint8Array(0x1000);
  carry.fromHost(request(0x02, Uint8Array.from(words(0x1000, 1, 0x1000, 0x20000))));
  carry.fromHost(request(0x03, block(part, 0), xor(part)));
  heard();
  // 4,096 bytes of ten bits, and some more
  clock.advance(4_400);
  expect(board.mode()).toBe('rom');
  expect(framesIn(heard()).map((frame) => [frame[1], ...frame.subarray(8)])).toEqual([
    [0x02, ...OK],
    [0x03, ...OK],
  ]);
});

describe('frames', () => {
  test('a telnet that never ends its words fills no memory', () => {
    let answered = 0;
    const port = createRfc2217({
      data: () => undefined,
      hangUp: () => undefined,
      lines: () => undefined,
      reply: (bytes) => {
        answered += bytes.length;
      },
    });
    port.feed(Uint8Array.of(255, 250, 44, 1));
    port.feed(new Uint8Array(100_000).fill(255));
    port.feed(Uint8Array.of(255, 240));
    // what it said is given back with each 255 doubled
    expect(answered).toBeLessThan(200);
  });

  test('telnet carries every byte, and no telnet breaks the port behind it', () => {
    const got: number[] = [];
    const port = createRfc2217({
      data: (bytes) => got.push(...bytes),
      hangUp: () => undefined,
      lines: () => undefined,
      reply: () => undefined,
    });
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.uint8Array({ maxLength: 60 }), (bytes, noise) => {
        got.length = 0;
        port.feed(port.escape(bytes));
        expect(got).toEqual([...bytes]);
        port.feed(noise);
        // ends whatever the noise began
        port.feed(Uint8Array.of(0, 255, 240, 255, 240));
      }),
      { numRuns: 200 },
    );
  });

  test('whatever stands in a frame comes out of it, wherever the wire cuts it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ minLength: 1, maxLength: 200 }), { maxLength: 5 }),
        fc.integer({ min: 1, max: 50 }),
        (frames, cut) => {
          const got: number[][] = [];
          const reader = createSlipReader(256, (frame) => got.push([...frame]));
          const wire = Buffer.concat(frames.map(encodeSlip));
          for (let at = 0; at < wire.length; at += cut) reader.feed(wire.subarray(at, at + cut));
          expect(got).toEqual(frames.map((frame) => [...frame]));
        },
      ),
      { numRuns: 300 },
    );
  });

  test('no noise on the wire keeps the loader from hearing the next SYNC', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 8 }), (noises) => {
        const { ask, board, clock } = inDownload();
        for (const noise of noises) board.feed(request(noise[0] ?? 0, noise, noise.length));
        for (const noise of noises) board.feed(noise);
        board.feed(Uint8Array.of(0xc0));
        // what the noise may have asked for: a restart
        if (board.mode() === 'program') clock.advance(500);
        ask(0x08, SYNC);
        expect(ask(0x08, SYNC)).toHaveLength(8);
      }),
      { numRuns: 150 },
    );
  });
});
