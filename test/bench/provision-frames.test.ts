import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findImprovFrame, improvCommand } from '../../gateway/bench/improv-frames.ts';
import { createConsoleReader, type Heard, sfprovFrame } from '../../gateway/bench/provision-console.ts';

const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'));

/** What is heard when the bytes come in pieces of these sizes. */
function heardIn(stream: Uint8Array, sizes: readonly number[]): Heard[] {
  const reader = createConsoleReader();
  const heard: Heard[] = [];
  let at = 0;
  for (let i = 0; at < stream.length; i += 1) {
    const end = at + Math.max(1, sizes[i % sizes.length] ?? 1);
    heard.push(...reader.feed(stream.subarray(at, end)));
    at = end;
  }
  return heard;
}

/** Noise that looks like the head of a frame, whose sum happens to be a byte of ours: no reader could tell. */
function isFrameByChance(noise: readonly Uint8Array[], frame: Uint8Array): boolean {
  const stream = Buffer.concat([...noise, frame]);
  const begin = stream.length - frame.length;
  return Array.from({ length: begin }, (_, at) => findImprovFrame(stream, at)).some(
    (found) => found.is === 'frame' && found.end > begin,
  );
}

describe('the console of a board', () => {
  it('is told the Wi-Fi as the example of the Improv documentation gives it', () => {
    const documented =
      '01 1e 0c 4d 79 57 69 72 65 6c 65 73 73 41 50 10 6d 79 73 65 63 75 72 65 70 61 73 73 77 6f 72 64';
    const frame = Buffer.concat([bytes('49 4d 50 52 4f 56 01 03 20'), bytes(documented)]);
    const sum = frame.reduce((total, byte) => (total + byte) % 256, 0);
    expect(Buffer.from(improvCommand(1, ['MyWirelessAP', 'mysecurepassword']))).toEqual(
      Buffer.concat([frame, Uint8Array.of(sum, 0x0a)]),
    );
  });

  it('is read as frames between log lines, however the bytes are cut', () => {
    const stream = Buffer.concat([
      Buffer.from('ets Jul 29 2019\r\n\u001b[0;32mI (30) boot: ok\u001b[0m\nIMPRO'),
      Buffer.from(improvCommand(3)),
      Buffer.from('IMPROVement of S\n'),
      Buffer.from(sfprovFrame(2, { ok: true, text: 'SFPROV\u0001' })),
      Buffer.from('tail\n'),
    ]);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), (sizes) => {
        expect(heardIn(stream, sizes)).toEqual([
          { kind: 'line', text: 'ets Jul 29 2019' },
          { kind: 'line', text: 'I (30) boot: ok' },
          { kind: 'line', text: 'IMPRO' },
          { kind: 'improv', type: 3, data: Uint8Array.of(3, 0) },
          { kind: 'line', text: 'IMPROVement of S' },
          { kind: 'sfprov', type: 2, body: { ok: true, text: 'SFPROV\u0001' } },
          { kind: 'line', text: 'tail' },
        ]);
      }),
      { numRuns: 200 },
    );
  });

  it('survives any noise, and hears the frame behind it', () => {
    const frame = sfprovFrame(2, { ok: true });
    const noise = fc.oneof(
      fc.uint8Array({ maxLength: 80 }),
      fc.constantFrom(
        bytes('49 4d 50 52 4f 56 01'),
        bytes('53 46 50 52 4f 56 01 02 03 ff'),
        bytes('53 46 50 52 4f 56 01 02 ff ff'),
        frame.subarray(0, 12),
      ),
    );
    fc.assert(
      fc.property(fc.array(noise, { maxLength: 6 }), (pieces) => {
        fc.pre(!isFrameByChance(pieces, frame));
        const reader = createConsoleReader();
        const heard = [...pieces, frame].flatMap((piece) => reader.feed(piece));
        // a frame that was begun by noise is given up when its time is over
        for (let i = 0; i < 600; i += 1) heard.push(...reader.giveUp());
        expect(heard).toContainEqual({ kind: 'sfprov', type: 2, body: { ok: true } });
      }),
      { numRuns: 300 },
    );
  });
});
