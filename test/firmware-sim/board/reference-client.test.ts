import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { refusalOf } from '#adapters/serial/esp-trouble.ts';
import { aBoard, block, words, xor } from './a-board.ts';
import { CHIPS, createReferenceClient, type ReferenceChip, Refused } from './reference-client.ts';

const image = Uint8Array.from({ length: 20_000 }, (_each, index) => (index * index) & 0xff);
const md5Of = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex');

function aClient(chip: ReferenceChip, mode: 'ROM' | 'stub', options: Parameters<typeof aBoard>[0] = {}) {
  const faults = { ...options.faults, ...(chip.name === 'ESP32' ? {} : { 'wrong-chip': 1 }) };
  const table = aBoard({ ...options, faults });
  const client = createReferenceClient(table, chip, 'behind');
  client.connect();
  if (mode === 'stub') client.loadStub();
  return { client, table };
}

/** The status a question is refused with, and what our flasher makes of it. */
function refusal(question: () => unknown): string[] {
  try {
    question();
    return ['done'];
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const [first = 0, second = 0] = Buffer.from(error.status, 'hex');
    return [error.status, refusalOf('write', first, second).fault];
  }
}

const VARIANTS = CHIPS.flatMap((chip) =>
  (['ROM', 'stub'] as const).flatMap((mode) =>
    (['last', 'behind'] as const).map((rule) => [chip.name, mode, rule, chip] as const),
  ),
);

describe('the chip maker’s tool', () => {
  test.each(VARIANTS)(
    'finds all it asks of an %s in its %s, with the status %s of the answer',
    (name, mode, rule, chip) => {
      const table = aBoard(name === 'ESP32' ? {} : { faults: { 'wrong-chip': 1 } });
      const client = createReferenceClient(table, chip, rule);
      client.connect();
      expect([client.mac(), client.crystalMhz()]).toEqual(['24:6f:28:aa:bb:cc', 40]);
      if (mode === 'stub') client.loadStub();
      client.attach();
      expect([client.changeBaud(460_800), client.changeBaud(921_600)]).toEqual([460_800, 921_600]);
      expect(client.flashId()).toBe(0x1640ef);
      client.writePlain(0x2_0000, image);
      client.writeDeflated(0x3_0000, image);
      expect([0x2_0000, 0x3_0000].map((at) => client.md5(at, image.length))).toEqual([
        md5Of(image),
        md5Of(image),
      ]);
      expect(md5Of(client.read(0x3_0000, image.length))).toBe(md5Of(image));
      if (mode === 'stub') {
        client.eraseRegion(0x2_0000, 0x5000);
        expect(client.read(0x2_0000, 64).every((byte) => byte === 0xff)).toBe(true);
        client.eraseAll();
        expect(client.md5(0, 4 * 2 ** 20)).toBe(md5Of(new Uint8Array(4 * 2 ** 20).fill(0xff)));
      }
      client.restart();
      table.clock.advance(500);
      expect(table.board.mode()).toBe(mode === 'stub' ? 'broken' : 'program');
    },
  );

  test('is refused in the words of whoever answers, which our flasher understands', () => {
    const part = image.subarray(0, 0x400);
    const begin = words(0x400, 1, 0x400, 0x2_0000);
    const [esp32] = CHIPS;
    if (esp32 === undefined) throw new Error('no chip');
    const refusals = (mode: 'ROM' | 'stub') => {
      const { client } = aClient(esp32, mode, { faults: { 'dead-block': 0x4_0000 } });
      const { check } = client;
      const damaged = () => check(0x03, block(part, 0), { sum: xor(part) ^ 1 });
      const cut = () => check(0x03, block(part, 0).subarray(0, 100), { sum: 0 });
      const unknown = () => check(0x77, []);
      const notBegun = () => check(0x03, block(part, 0), { sum: xor(part) });
      const beyond = () => check(0x02, words(0x1000, 4, 0x400, 0x40_0000));
      const dead = () => client.writePlain(0x4_0000, part);
      return {
        notBegun: refusal(notBegun),
        damaged: (check(0x02, begin), refusal(damaged)),
        cut: refusal(cut),
        unknown: refusal(unknown),
        beyond: refusal(beyond),
        dead: refusal(dead),
      };
    };
    expect(refusals('ROM')).toEqual({
      notBegun: ['0106', 'flash'],
      damaged: ['0107', 'disturbed'],
      cut: ['0105', 'refused'],
      unknown: ['0105', 'refused'],
      beyond: ['0108', 'flash'],
      dead: ['0108', 'flash'],
    });
    expect(refusals('stub')).toEqual({
      notBegun: ['c600', 'disturbed'],
      damaged: ['c100', 'disturbed'],
      cut: ['c000', 'disturbed'],
      unknown: ['ff00', 'refused'],
      // what a routine of the chip could not do is not explained
      beyond: ['0100', 'flash'],
      dead: ['c400', 'flash'],
    });
  });
});
