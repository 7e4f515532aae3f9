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

  it('is one of each person, and one of two', async () => {
    const bodies = bodiesOnDisk(folder, roomy);
    const first = await bodies.take(sent('1'), KIND, 'a');
    expect(await refusal(bodies.take(sent('2'), KIND, 'a'))).toBe(503);
    await bodies.take(sent('3'), KIND, 'b');
    expect(await refusal(bodies.take(sent('4'), KIND, 'c'))).toBe(503);
    await first.answered();
    expect(await refusal(bodies.take(sent('5'), KIND, 'c'))).toBeNull();
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
