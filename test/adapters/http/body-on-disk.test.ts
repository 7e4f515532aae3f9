import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bodiesOnDisk } from '#adapters/http/body-on-disk.ts';

const MIB = 1_048_576;
const KIND = { media: 'text/csv', maxBytes: MIB };

describe('a file that goes to disk as it comes', () => {
  let root: string;
  let folder: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'bodies-'));
    folder = join(root, 'incoming');
  });
  afterEach(() => rm(root, { recursive: true }));

  const freeOf = (bytes: number) => ({ newId: randomUUID, freeBytes: async () => bytes });
  const roomy = freeOf(10_000 * MIB);
  function sending(headers: Record<string, string> = {}) {
    const stream = new PassThrough();
    const request = Object.assign(stream, { headers: { 'content-type': 'text/csv', ...headers } });
    return { stream, request: request as unknown as IncomingMessage };
  }
  const sent = (text: string) => {
    const { stream, request } = sending({ 'content-length': String(text.length) });
    stream.end(text);
    return request;
  };
  const refusal = (work: Promise<unknown>) =>
    work.then(
      () => null,
      (error: { status?: number }) => error.status,
    );

  it('lies there until its request is answered, and longer where it is kept', async () => {
    const bodies = bodiesOnDisk(folder, roomy);
    const one = await bodies.take(sent('viveiro;od'), KIND, 'a');
    expect([one.bytes, await readFile(one.path, 'utf8')]).toEqual([10, 'viveiro;od']);
    await one.answered();
    expect(await readdir(folder)).toEqual([]);
    const kept = await bodies.take(sent('x'), KIND, 'a');
    kept.keep();
    await kept.answered();
    expect(await readdir(folder)).toHaveLength(1);
    await kept.release();
    expect(await readdir(folder)).toEqual([]);
    // whatever is said of the first again, the next one stays
    const next = await bodies.take(sent('y'), KIND, 'a');
    await one.answered();
    await kept.release();
    expect(await refusal(bodies.take(sent('z'), KIND, 'a'))).toBe(503);
    await next.release();
  });

  it('is one of each person, and one of sixteen', async () => {
    const bodies = bodiesOnDisk(folder, roomy);
    const first = await bodies.take(sent('1'), KIND, 'a');
    expect(await refusal(bodies.take(sent('2'), KIND, 'a'))).toBe(503);
    for (let other = 1; other < 16; other += 1) await bodies.take(sent('3'), KIND, `other ${other}`);
    expect(await refusal(bodies.take(sent('4'), KIND, 'c'))).toBe(503);
    await first.answered();
    expect(await refusal(bodies.take(sent('5'), KIND, 'c'))).toBeNull();
  });

  it('gives way where all places are taken and it comes slowest, however many send next to nothing', async () => {
    const clock = { now: 0 };
    const bodies = bodiesOnDisk(folder, { ...roomy, monotonic: () => clock.now });
    const begun = Array.from({ length: 16 }, (_, n) => {
      const { stream, request } = sending();
      const end = bodies.take(request, KIND, `slow ${n}`).then(
        (file) => file.bytes,
        (error: { status?: number }) => error.status,
      );
      return { stream, end };
    });
    // the first one comes over a poor line, the others hold their places
    begun.forEach(({ stream }, n) => void stream.write(n === 0 ? 'x'.repeat(20_000) : 'x'));
    await expect.poll(async () => (await readdir(folder)).length).toBe(16);
    clock.now = 9_000;
    expect(await refusal(bodies.take(sent('y'), KIND, 'early'))).toBe(503);
    clock.now = 11_000;
    for (let next = 0; next < 15; next += 1)
      expect((await bodies.take(sent('y'), KIND, `next ${next}`)).bytes).toBe(1);
    expect(await Promise.all(begun.slice(1).map(({ end }) => end))).toEqual(Array(15).fill(503));
    begun[0]?.stream.end('x');
    expect(await begun[0]?.end).toBe(20_001);
    // none of those that are whole gives way
    expect(await refusal(bodies.take(sent('z'), KIND, 'slow 1'))).toBe(503);
    expect(await readdir(folder)).toHaveLength(16);
  });

  it('finds no room that others were promised', async () => {
    const bodies = bodiesOnDisk(folder, freeOf(256 * MIB + 1.5 * MIB));
    const { stream, request } = sending({ 'content-length': String(MIB) });
    const first = bodies.take(request, KIND, 'a');
    stream.write('x');
    await expect.poll(async () => (await readdir(folder).catch(() => [])).length).toBe(1);
    expect(await refusal(bodies.take(sending({ 'content-length': String(MIB) }).request, KIND, 'b'))).toBe(
      507,
    );
    stream.end('y');
    expect((await first).bytes).toBe(2);
  });

  it('that is too large, of another kind, cut off or without room leaves nothing behind', async () => {
    const bodies = bodiesOnDisk(folder, roomy);
    expect(
      await refusal(bodies.take(sending({ 'content-length': String(2 * MIB) }).request, KIND, 'a')),
    ).toBe(413);
    expect(await refusal(bodies.take(sending({ 'content-type': 'image/png' }).request, KIND, 'a'))).toBe(415);
    const untold = sending();
    untold.stream.end(Buffer.alloc(MIB + 1));
    expect(await refusal(bodies.take(untold.request, KIND, 'a'))).toBe(413);
    const cut = sending();
    const taken = refusal(bodies.take(cut.request, KIND, 'a'));
    cut.stream.write('half');
    setTimeout(() => cut.stream.destroy(), 20);
    expect(await taken).toBe(400);
    expect(await refusal(bodiesOnDisk(folder, freeOf(200 * MIB)).take(sent('x'), KIND, 'b'))).toBe(507);
    expect(await readdir(folder)).toEqual([]);
    // and the next one of that person is taken
    await (await bodies.take(sent('x'), KIND, 'a')).answered();
  });

  it('of a run before this is gone with the first that comes', async () => {
    await bodiesOnDisk(folder, roomy).take(sent('x'), KIND, 'a');
    await writeFile(join(folder, 'other'), 'y');
    const next = await bodiesOnDisk(folder, roomy).take(sent('z'), KIND, 'a');
    expect(await readdir(folder)).toEqual([next.path.slice(folder.length + 1)]);
  });

  it('whose folder could not be made is taken once it can', async () => {
    await mkdir(folder, { recursive: true });
    const inTheWay = join(folder, 'data');
    await writeFile(inTheWay, 'a file');
    const bodies = bodiesOnDisk(join(inTheWay, 'incoming'), roomy);
    await expect(bodies.take(sent('x'), KIND, 'a')).rejects.toThrow();
    await rm(inTheWay);
    await (await bodies.take(sent('x'), KIND, 'a')).answered();
  });
});
