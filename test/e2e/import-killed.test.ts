import { readdirSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ImportRecordAnswer } from '#contract/resources/import-records.ts';
import { farmClock, startGatewayProcess, until } from '#test/gateway-process.ts';
import { readStrictCsv } from '#test/read-csv.ts';

// The power of a box goes while a file of the past comes in: rows are written beside the loop and reach the disk later, so
// what was written last is lost, or a part of it stands there.

const ROWS = 1_500;
/** A minute of the farm, after which an import without a sign of life counts as interrupted, in three seconds. */
const SPEED = 20;
const LOGIN = { email: 'ana@farm.test', password: 'camarao-123' };

let gateway: Awaited<ReturnType<typeof startGatewayProcess>>;
let token = '';
let farmId = '';
let pondId = '';
beforeAll(async () => {
  gateway = await startGatewayProcess(farmClock(Date.UTC(2026, 2, 2, 12), SPEED), [
    '--local-plan',
    'ENTERPRISE',
  ]);
  await gateway.call('POST', '/auth/register', { body: { ...LOGIN, name: 'Ana', role: 'OWNER' } });
  await logIn();
  const farm = await gateway.call('POST', '/farms/', { token, body: { name: 'Norte' } });
  farmId = (farm.body as { id: string }).id;
  const pond = await gateway.call('POST', '/ponds/', { token, body: { farm_id: farmId, cod: 'V-1' } });
  pondId = (pond.body as { id: string }).id;
});
afterAll(() => gateway.close());

/** A token of the farm's clock is soon over. */
async function logIn(): Promise<void> {
  const login = await gateway.call('POST', '/auth/login', { body: LOGIN });
  ({ access_token: token } = login.body as { access_token: string });
}

/** The power is cut and comes back. */
async function cutPower(forgotten = 0): Promise<void> {
  await gateway.kill();
  forgetEnd(forgotten);
  await gateway.start();
  await logIn();
}

const FILE = [
  'viveiro;data;hora;od',
  ...Array.from({ length: ROWS }, (_, n) => {
    const at = new Date(Date.UTC(2025, 1, 1) + n * 600_000).toISOString();
    const day = `${at.slice(8, 10)}/${at.slice(5, 7)}/${at.slice(0, 4)}`;
    return `V-1;${day};${at.slice(11, 16)};${(4 + (n % 30) / 10).toFixed(1).replace('.', ',')}`;
  }),
].join('\n');

async function send(query: string): Promise<Record<string, unknown>> {
  const reply = await fetch(`${gateway.http()}/api/v1/imports/measurements?farm_id=${farmId}&${query}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'text/csv', Connection: 'close' },
    body: FILE,
  });
  if (!reply.ok) throw new Error(`${reply.status}: ${await reply.text()}`);
  return (await reply.json()) as Record<string, unknown>;
}
const bring = () => send('dry_run=false&background=true');
const records = async () =>
  (await gateway.call('GET', `/imports/?farm_id=${farmId}`, { token })).body as ImportRecordAnswer[];
const isQuiet = ({ state }: ImportRecordAnswer) => !['CHECKING', 'IMPORTING', 'UNDOING'].includes(state);
const quietRecords = () => until(records, (all) => all.every(isQuiet), 120_000);

/** The rows that the pond has, each with its time. */
async function rowsOfPond(): Promise<string[]> {
  const reply = await fetch(`${gateway.http()}/api/v1/exports/water-quality/csv?pond_id=${pondId}`, {
    headers: { Authorization: `Bearer ${token}`, Connection: 'close' },
  });
  expect(reply.status).toBe(200);
  return readStrictCsv(await reply.text())
    .slice(1)
    .map((cells) => cells.join(';'));
}

const FRAME_HEAD = 24;
/** From so many pages on SQLite moves the log into the database, and has synced it before. */
const MOVED_FROM = 1_000;

/**
 * What a disk forgets that lost its power: pages of the last commit, which is the only one that may stand unsynced. What was
 * synced stays, and so does a log that may have been moved into the database.
 */
function forgetEnd(share: number): void {
  const [name] = readdirSync(gateway.data, { recursive: true })
    .map(String)
    .filter((each) => each.endsWith('farm.db-wal'));
  if (name === undefined || share === 0) return;
  const file = join(gateway.data, name);
  const log = readFileSync(file);
  if (log.length < 32) return;
  const frame = FRAME_HEAD + log.readUInt32BE(8);
  const salts = log.subarray(16, 24);
  const commits: number[] = [];
  let frames = 0;
  for (let at = 32; at + frame <= log.length && log.subarray(at + 8, at + 16).equals(salts); at += frame) {
    frames += 1;
    if (log.readUInt32BE(at + 4) > 0) commits.push(frames);
  }
  const [before = 0, last = 0] = commits.slice(-2);
  if (frames >= MOVED_FROM || commits.length < 2) return;
  cuts.push(last - before);
  truncateSync(file, 32 + frame * (before + Math.floor(share * (last - before))));
}

/** Pages of the commits that were cut in half. */
const cuts: number[] = [];

/** What every record says it brought is there, and nothing else is, and no row twice. */
async function requireWhole(): Promise<number> {
  const all = await quietRecords();
  const there = await rowsOfPond();
  expect(new Set(there).size).toBe(there.length);
  expect(all.reduce((sum, { imported, undone }) => sum + imported - undone, 0)).toBe(there.length);
  return there.length;
}

it('at any moment: what records tell is what is there, the same file brings the rest, and all of it can be undone', async () => {
  let seed = 20_261_129;
  const chance = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  const counts: number[] = [];
  for (let cut = 0; cut < 3; cut += 1) {
    const { id } = await bring();
    // in the look at the file, between its first rows, among the others
    if (cut > 0)
      await until(
        async () => (await records()).find((record) => record.id === id),
        (record) => record?.state === 'DONE' || (record?.imported ?? 0) > 0,
      );
    await pause(chance() * 300);
    await cutPower(cut === 0 ? 0 : chance());
    counts.push(await requireWhole());
  }
  // a part of a commit stood on the disk
  expect(cuts).not.toEqual([]);
  expect(counts).toEqual(counts.toSorted((one, other) => one - other));

  await logIn();
  await bring();
  expect(await requireWhole()).toBe(ROWS);
  const again = await send('dry_run=true');
  expect([again['to_import'], again['already_there']]).toEqual([0, ROWS]);

  // an undo is cut off, too, and goes on when it is asked for again
  const [one] = (await records()).filter(({ imported }) => imported > 0);
  await gateway.call('POST', `/imports/${one?.id}/undo`, { token });
  await pause(chance() * 200);
  await cutPower();
  await requireWhole();
  for (const { id, imported, undone } of await records()) {
    if (imported > undone) await gateway.call('POST', `/imports/${id}/undo`, { token });
    await quietRecords();
  }
  expect(await requireWhole()).toBe(0);
}, 300_000);
