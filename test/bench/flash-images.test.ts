import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSlipReader, slipFrame } from '#adapters/serial/esp-transport.ts';
import { readNvs as readAsBoard } from '#sim/board/nvs.ts';
import { startingProgram } from '../../gateway/bench/board-facts.ts';
import { explainLine } from '../../gateway/bench/boot-words.ts';
import { checkFirmware } from '../../gateway/bench/check-firmware.ts';
import { readEspImage } from '../../gateway/bench/esp-image.ts';
import { identityImage, readNvs } from '../../gateway/bench/nvs-image.ts';
import { BenchTrouble } from '../../gateway/bench/trouble.ts';
import { planSegments, readPartitions } from '../../gateway/bench/write-segments.ts';
import { AN_IDENTITY, anImage, aTable, WITH_UPDATES } from './flash-fixtures.ts';

const RUNS = { numRuns: 300 };
const TARGET = { chip: 'ESP32', imageChipId: 0, bootloaderOffset: 0x1000, flash_bytes: 4 * 2 ** 20 };

describe('the identity partition', () => {
  test('reads the same to the board and to the bench, with the Wi-Fi it had', () => {
    const word = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
      .filter((text) => !text.includes('\0'));
    const port = fc.nat(65_535);
    const identity = fc.record({
      device_id: word,
      mqtt_id: word,
      key: word,
      gw_host: word,
      gw_http: port,
      gw_mqtt: port,
      gw_mqtts: port,
      gw_pin: fc.option(word),
      cp: fc.option(word),
      fail_safe: fc.option(word),
      claim: fc.constant(null),
    });
    fc.assert(
      fc.property(identity, fc.record({ ssid: word, wifi_key: word, claim: word }), (who, kept) => {
        const image = identityImage(who, kept);
        const told = Object.fromEntries(
          Object.entries({ ...who, ...kept }).filter(([, value]) => value !== null),
        );
        expect(Object.fromEntries(readNvs(image) ?? [])).toEqual(told);
        expect(readAsBoard(image, 'sf')).toEqual(told);
      }),
      RUNS,
    );
  });

  test('that is damaged anywhere says less, never something else', () => {
    const image = identityImage(AN_IDENTITY, {});
    const whole = readNvs(image);
    fc.assert(
      fc.property(fc.nat(4_095), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const copy = Buffer.from(image);
        copy.writeUInt8(copy.readUInt8(at) ^ flip, at);
        for (const [key, value] of readNvs(copy) ?? []) expect(value).toBe(whole?.get(key));
      }),
      RUNS,
    );
  });

  test('that would not fit a page is refused', () => {
    const long = { ...AN_IDENTITY, device_id: 'é'.repeat(2_200) };
    expect(() => identityImage(long, {})).toThrow(expect.objectContaining({ code: 'IDENTITY_REFUSED' }));
  });
});

describe('an image', () => {
  test('tells its chip, its length and its program', () => {
    const image = anImage({ chipId: 5, version: '1.2.3', bytes: 1_000 });
    expect(readEspImage(Buffer.concat([image, Buffer.alloc(100)]), 'app.bin')).toEqual({
      chipId: 5,
      length: image.length,
      program: { project: 'aerator-controller', version: '1.2.3' },
    });
  });

  test('with one wrong bit is refused wherever it is', () => {
    const image = anImage({ bytes: 300 });
    fc.assert(
      fc.property(fc.nat(image.length - 1), fc.nat(7), (at, bit) => {
        const copy = Buffer.from(image);
        copy.writeUInt8(copy.readUInt8(at) ^ (1 << bit), at);
        // without its mark of a digest there is none to hold it to; the checksum still counts
        if (at !== 23) expect(() => readEspImage(copy, 'app.bin')).toThrow(BenchTrouble);
      }),
      RUNS,
    );
  });

  test('of any bytes whatever is refused with a word for people', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const parts = [{ name: 'any.bin', offset: 0x1_0000, bytes: Buffer.from([0xe9, ...bytes]) }];
        expect(() => checkFirmware({ chip: null, version: null, parts, signed: null }, TARGET)).toThrow(
          BenchTrouble,
        );
        expect(readPartitions(Buffer.from(bytes))).toBeInstanceOf(Array);
        readNvs(Buffer.from(bytes));
      }),
      RUNS,
    );
  });
});

describe('a firmware', () => {
  const part = (offset: number, bytes: Buffer) => ({ name: 'part.bin', offset, bytes });
  const check = (...parts: ReturnType<typeof part>[]) =>
    checkFirmware({ chip: null, version: null, parts, signed: null }, TARGET);

  test.each<[string, () => void]>([
    ['at an odd offset', () => check(part(0x1_0004, anImage()))],
    ['beyond the flash', () => check(part(0x3f_f000, Buffer.alloc(8_192)))],
    ['whose parts overlap', () => check(part(0x1_0000, anImage()), part(0x1_1000, anImage()))],
    ['without a place for the identity', () => check(part(0x8000, aTable([0, 0x10, 0x1_0000, 0x10_0000])))],
    ['with the identity elsewhere', () => check(part(0x8000, aTable([1, 2, 0xa000, 0x6000])))],
    [
      'larger than its partition',
      () =>
        check(
          part(0x8000, aTable([1, 2, 0x9000, 0x6000], [0, 0x10, 0x1_0000, 0x1000])),
          part(0x1_0000, anImage()),
        ),
    ],
  ])('%s is refused', (_, checking) => {
    expect(checking).toThrow(expect.objectContaining({ code: 'WRONG_IMAGE' }));
  });

  test('whose partition table has one wrong bit is refused: with it nothing on the board would start', () => {
    const table = aTable(...WITH_UPDATES);
    expect(() => check(part(0x8000, table), part(0x2_0000, anImage()))).not.toThrow();
    fc.assert(
      fc.property(fc.nat((WITH_UPDATES.length + 1) * 32 - 1), fc.nat(7), (at, bit) => {
        const copy = Buffer.from(table);
        copy.writeUInt8(copy.readUInt8(at) ^ (1 << bit), at);
        // 14 bytes of the row of the digest say nothing
        const isIdle = at >= WITH_UPDATES.length * 32 + 2 && at < WITH_UPDATES.length * 32 + 16;
        if (!isIdle) expect(() => check(part(0x8000, copy))).toThrow(BenchTrouble);
      }),
      RUNS,
    );
    const unsigned = Buffer.from(table).fill(0xff, WITH_UPDATES.length * 32);
    expect(() => check(part(0x8000, unsigned))).not.toThrow();
    const endless = aTable(
      ...Array.from({ length: 95 }, () => [1, 2, 0x9000, 0x6000] as [number, number, number, number]),
    ).fill(0, 95 * 32);
    expect(() => check(part(0x8000, endless))).toThrow(expect.objectContaining({ code: 'CHECKSUM_REFUSED' }));
  });

  test('starts what an update chose last and its loader did not reject, else what the board came with', () => {
    const choice = (sequence: number, state = 2) => {
      const bytes = Buffer.alloc(32, 0xff);
      bytes.writeUInt32LE(sequence, 0);
      bytes.writeUInt32LE(state, 24);
      bytes.writeUInt32LE(crc32(bytes.subarray(0, 4), 0xffff_ffff), 28);
      return bytes;
    };
    // the very bytes that the maker's tools write for the first update
    expect(choice(1).subarray(28).toString('hex')).toBe('9a984347');
    const slots = readPartitions(aTable(...WITH_UPDATES));
    const withFactory = readPartitions(aTable(...WITH_UPDATES, [0, 0, 0x22_0000, 0x10_0000]));
    const blank = Buffer.alloc(32, 0xff);
    const starts = (partitions: typeof slots, ...choices: Buffer[]) =>
      startingProgram(partitions, choices)?.slot ?? null;
    expect([
      starts(slots),
      starts(slots, blank, blank),
      starts(slots, choice(1), choice(2)),
      starts(slots, choice(3), choice(2)),
      starts(slots, choice(1), choice(2, 4)),
      starts(slots, Buffer.from(choice(2)).fill(0, 28), blank),
      starts(withFactory, blank, blank),
      starts(withFactory, choice(2), blank),
      starts([]),
    ]).toEqual([0, 0, 1, 0, 0, 0, 'factory', 1, null]);
  });

  test('is cut into pieces that hold it all, and nothing of the identity partition', () => {
    const spared = { offset: 0x9000, size: 0x6000 };
    fc.assert(
      fc.property(fc.nat(40), fc.integer({ min: 1, max: 300_000 }), (sector, length) => {
        const offset = sector * 4_096;
        const flash = Buffer.alloc(1_048_576, 0xff);
        for (const { address, bytes } of planSegments([part(offset, Buffer.alloc(length, 7))], spared)) {
          expect(address % 4_096).toBe(0);
          expect(bytes.length).toBeLessThanOrEqual(131_072);
          flash.set(bytes, address);
        }
        const wanted = Buffer.alloc(1_048_576, 0xff)
          .fill(7, offset, offset + length)
          .fill(0xff, 0x9000, 0xf000);
        expect(flash.equals(wanted)).toBe(true);
      }),
      { numRuns: 100 },
    );
  });
});

test('frames come through in any pieces, whatever lies between them', () => {
  const frame = fc.uint8Array({ minLength: 1, maxLength: 200 });
  const noise = fc.uint8Array({ maxLength: 20 }).map((bytes) => bytes.filter((byte) => byte !== 0xc0));
  fc.assert(
    fc.property(fc.array(fc.tuple(noise, frame)), fc.integer({ min: 1, max: 50 }), (sent, piece) => {
      const stream = Buffer.concat(sent.flatMap(([text, bytes]) => [text, slipFrame(bytes)]));
      const reader = createSlipReader();
      const heard: Buffer[] = [];
      for (let at = 0; at < stream.length; at += piece)
        heard.push(...reader.feed(stream.subarray(at, at + piece)));
      expect(heard).toEqual(sent.map(([, bytes]) => Buffer.from(bytes)));
    }),
    RUNS,
  );
});

test.each([
  [
    "Guru Meditation Error: Core  1 panic'ed (LoadProhibited). Exception was unhandled.",
    'alarm',
    'LoadProhibited',
  ],
  ['Brownout detector was triggered', 'alarm', 'supply'],
  [
    'rst:0x1 (POWERON_RESET),boot:0x3 (DOWNLOAD_BOOT(UART0/UART1/SDIO_REI_REO_V2))',
    'warning',
    'boot mode 0x3',
  ],
  ['rst:0x8 (TG1WDT_SYS_RESET),boot:0x13 (SPI_FAST_FLASH_BOOT)', 'warning', 'watchdog'],
  ['invalid header: 0xffffffff', 'alarm', 'flash the board'],
  ['waiting for download', 'warning', 'let go BOOT'],
  ['I (312) wifi: connected', 'info', null],
])('the boot log is explained: %s', (line, level, words) => {
  const { level: said, meaning } = explainLine(line);
  expect(said).toBe(level);
  if (words === null) expect(meaning).toBeNull();
  else expect(meaning?.en).toContain(words);
});
