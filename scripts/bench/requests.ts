import { rm } from 'node:fs/promises';
import * as z from 'zod';
import { callHttp } from '#sim/fetch-firmware.ts';
import { type BenchOptions, type Finding, inTurn, rateFinding, STARTS } from './finding.ts';
import { newDataFolder, startBareServer, startBenchGateway } from './gateway.ts';
import type { HttpLoad, HttpRequest } from './load/http-load.ts';
import type { LoadResult } from './load/load-window.ts';
import { addPonds, provision } from './provision.ts';
import { startRemote } from './remote.ts';
import { httpAddressOf } from './start-server.ts';

type Size = { connections: number; ms: number; rounds: number; starts: number };
type Rounds = { subject: LoadResult[]; baseline: LoadResult[] };

const CASES = [
  { what: 'one pond', must: 0.4, baseline: 'express 5, one row read' },
  { what: 'a measurement', must: 0.5, baseline: 'express 5, zod, one row on disk', oxygen: 5.6 },
  {
    what: 'a measurement with an alert',
    must: 0.3,
    baseline: 'express 5, zod, one row on disk',
    oxygen: 2.6,
  },
];
type Case = (typeof CASES)[number];

const ponds = z.array(z.looseObject({ id: z.string() }));

/** What people and probes ask by the thousand, against express alone with the same answer and the least of SQLite. */
export async function requests({ isQuick, tell }: BenchOptions): Promise<Finding[]> {
  const size: Size = isQuick
    ? { connections: 4, ms: 200, rounds: 1, starts: 1 }
    : { connections: 32, ms: 1_500, rounds: 3, starts: STARTS };
  const roundsOf = new Map(CASES.map((one) => [one, { subject: [], baseline: [] } as Rounds]));
  for (let start = 1; start <= size.starts; start += 1) {
    tell(`requests over ${size.connections} connections, start ${start} of ${size.starts}`);
    await runOnce(size, roundsOf);
  }
  return [...roundsOf].map(([{ what, must, baseline }, rounds]) =>
    rateFinding(
      `${what}, ${size.connections} connections`,
      must,
      { name: 'gateway', rounds: rounds.subject },
      { name: baseline, rounds: rounds.baseline },
    ),
  );
}

async function runOnce(size: Size, roundsOf: ReadonlyMap<Case, Rounds>): Promise<void> {
  const gateway = await startBenchGateway();
  const folder = await newDataFolder();
  const load = startRemote<HttpLoad>(new URL('load/http-load.ts', import.meta.url));
  const { token, farms } = await provision(gateway.http, { count: 1, prefix: 'request' });
  await addPonds(gateway.http, { token, farmId: farms[0] ?? '', count: size.connections });
  const made = ponds.parse((await callHttp(gateway.http, '/api/v1/ponds/', { bearer: token })).body);
  const bare = await startBareServer('bare-farm', [folder, JSON.stringify(made[0])]);
  try {
    for (const [one, rounds] of roundsOf) {
      const asked = made.map(({ id }) => requestOf(one, { id, token }));
      await load.call('connect', {
        crowd: `gateway ${one.what}`,
        ...httpAddressOf(gateway),
        requests: asked,
      });
      // the one pond it has
      const ofBare = asked.map((request) => (request.method === 'GET' ? (asked[0] ?? request) : request));
      await load.call('connect', { crowd: `bare ${one.what}`, ...httpAddressOf(bare), requests: ofBare });
      const { subject, baseline } = await inTurn(
        size.rounds,
        () => load.call('run', { crowd: `gateway ${one.what}`, ms: size.ms }),
        () => load.call('run', { crowd: `bare ${one.what}`, ms: size.ms }),
      );
      rounds.subject.push(...subject);
      rounds.baseline.push(...baseline);
    }
  } finally {
    await load.stop();
    await Promise.all([gateway.stop(), bare.stop()]);
    await rm(folder, { recursive: true, force: true });
  }
}

function requestOf({ oxygen }: Case, { id, token }: { id: string; token: string }): HttpRequest {
  if (oxygen === undefined) return { method: 'GET', path: `/api/v1/ponds/${id}`, bearer: token, body: null };
  const body = { pond_id: id, temperature: 28.4, dissolved_oxygen: oxygen, ph: 8 };
  return { method: 'POST', path: '/api/v1/water-quality/', bearer: token, body };
}
