import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { utils, write } from '@e965/xlsx';
import { type BenchOptions, type Finding, median } from './finding.ts';
import { startBenchGateway } from './gateway.ts';
import type { Beats, CrowdLoad } from './load/crowd.ts';
import { familyRssMb, usageOf } from './process-usage.ts';
import { addPonds, type ProvisionedOwner, provision } from './provision.ts';
import { type Remote, startRemote } from './remote.ts';
import type { RunningServer } from './start-server.ts';

const MOST_S = 30;
const MOST_GROWTH_MB = 150;
const MOST_TIMES_CALM = 2;
const SAMPLE_MS = 50;
const REST_MS = 3_000;

type Size = { controllers: number; rows: number; calmMs: number };
type Sheet = { name: 'csv' | 'xlsx'; bytes: Uint8Array };
type Brought = { s: number; imported: number; state: string };

/** A hundred thousand rows of water as csv and as xlsx, beside the heartbeats of a farm. */
export async function importing({ isQuick, tell }: BenchOptions): Promise<Finding[]> {
  const size: Size = isQuick
    ? { controllers: 5, rows: 2_000, calmMs: 2_000 }
    : { controllers: 200, rows: 100_000, calmMs: 20_000 };
  const gateway = await startBenchGateway(['--poll-interval-s', '1']);
  const crowd = startRemote<CrowdLoad>(new URL('load/crowd.ts', import.meta.url));
  try {
    const owner = await provision(gateway.http, { count: size.controllers, prefix: 'import' });
    await addPonds(gateway.http, { token: owner.token, farmId: owner.farms[0] ?? '', count: 2 });
    await crowd.call('arrive', { mqttUrl: gateway.mqtt, clients: owner.controllers, atOnce: 20 });
    await beat(crowd, size.calmMs);
    const findings: Finding[] = [];
    for (const sheet of [csvOf(size.rows, 'V1'), xlsxOf(size.rows, 'V2')]) {
      tell(`${size.rows} rows of ${sheet.name}`);
      findings.push(...(await one(gateway, crowd, { owner, size, sheet })));
    }
    return findings;
  } finally {
    await crowd.stop();
    await gateway.stop();
  }
}

const beat = (crowd: Remote<CrowdLoad>, forMs: number): Promise<Beats> =>
  crowd.call('beat', { everyMs: 1_000, forMs });

async function one(
  gateway: RunningServer,
  crowd: Remote<CrowdLoad>,
  { owner, size, sheet }: { owner: ProvisionedOwner; size: Size; sheet: Sheet },
): Promise<Finding[]> {
  await pause(REST_MS);
  const calm = await beat(crowd, size.calmMs);
  const restingMb = familyRssMb(gateway.pid);
  let mostMb = restingMb;
  const watch = setInterval(() => (mostMb = Math.max(mostMb, familyRssMb(gateway.pid))), SAMPLE_MS);
  const state = { isDone: false };
  const cpuBefore = usageOf(gateway.pid)?.cpuMs ?? Number.NaN;
  const importing = bring(gateway.http, owner, sheet).finally(() => (state.isDone = true));
  const busy: Beats[] = [];
  while (!state.isDone) busy.push(await beat(crowd, Math.min(5_000, size.calmMs)));
  clearInterval(watch);
  const brought = await importing;
  const cpuMs = (usageOf(gateway.pid)?.cpuMs ?? Number.NaN) - cpuBefore;
  const p99Ms = median(busy.map((beats) => beats.p99Ms));
  const missed = [calm, ...busy].reduce((sum, beats) => sum + beats.missed, 0);
  const ratio = p99Ms / calm.p99Ms;
  const none = { cpuUs: null, perS: null, p50Ms: null, p99Ms: null, rssMb: null };
  const shared = { cpuRatio: null, spread: null, rounds: 1 } as const;
  const load = `load average of the machine ${loadavg()[0]?.toFixed(1)}`;
  return [
    {
      ...shared,
      measure: `${size.rows} rows of ${sheet.name} imported in the background`,
      subject: {
        ...none,
        name: 'import',
        perS: brought.imported / brought.s,
        cpuUs: (1_000 * cpuMs) / size.rows,
        counted: `${brought.imported} rows, ${brought.state}`,
      },
      baseline: { ...none, name: `${MOST_S} s`, perS: size.rows / MOST_S },
      ratioOf: 'rate',
      ratio: brought.imported / brought.s / (size.rows / MOST_S),
      must: `≤ ${MOST_S} s`,
      isMet: brought.s <= MOST_S && brought.imported === size.rows,
      notes: [`${brought.s.toFixed(1)} s, ${(sheet.bytes.length / 1_000_000).toFixed(1)} MB`, load],
    },
    {
      ...shared,
      measure: `memory of that, ${sheet.name}`,
      subject: { ...none, name: 'at most', rssMb: mostMb },
      baseline: { ...none, name: 'at rest', rssMb: restingMb },
      ratioOf: 'RSS',
      ratio: mostMb / restingMb,
      must: `RSS + ≤ ${MOST_GROWTH_MB} MB`,
      isMet: mostMb - restingMb <= MOST_GROWTH_MB,
      notes: [`it grew by ${(mostMb - restingMb).toFixed(1)} MB, its processes counted`],
    },
    {
      ...shared,
      measure: `heartbeats of ${size.controllers} controllers meanwhile, ${sheet.name}`,
      subject: { ...none, name: 'while it imports', p99Ms },
      baseline: { ...none, name: 'calm', p99Ms: calm.p99Ms },
      ratioOf: 'p99',
      ratio,
      must: `p99 ≤ ${MOST_TIMES_CALM} × calm`,
      isMet: ratio <= MOST_TIMES_CALM && missed === 0,
      notes: [`${missed} heartbeats unanswered`, load],
    },
  ];
}

/** Sends the file as the console does, and follows its record to the end. */
async function bring(base: string, { token, farms }: ProvisionedOwner, sheet: Sheet): Promise<Brought> {
  const from = performance.now();
  const headers = { authorization: `Bearer ${token}` };
  const query = `farm_id=${farms[0]}&dry_run=false&background=true&file_name=bench.${sheet.name}`;
  const sent = await fetch(`${base}/api/v1/imports/measurements?${query}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/octet-stream' },
    body: new Blob([new Uint8Array(sheet.bytes)]),
  });
  if (sent.status !== 202) throw new Error(`the import was answered ${sent.status}: ${await sent.text()}`);
  const { id } = (await sent.json()) as { id: string };
  for (;;) {
    const reply = await fetch(`${base}/api/v1/imports/${id}`, { headers });
    const { state, imported, fault } = (await reply.json()) as Brought & { fault: string | null };
    if (state !== 'CHECKING' && state !== 'IMPORTING') {
      if (state !== 'DONE') throw new Error(`the import ended as ${state}: ${fault}`);
      return { s: (performance.now() - from) / 1_000, imported, state };
    }
    await pause(500);
  }
}

const FIRST = Date.UTC(2025, 0, 1);
const at = (n: number) => new Date(FIRST + n * 300_000).toISOString();
const oxygen = (n: number) => 4 + (n % 41) / 10;
const warmth = (n: number) => 26 + (n % 37) / 10;

/** A probe's reading every five minutes, as spreadsheets in Brazil write it. */
function csvOf(rows: number, pond: string): Sheet {
  const lines = Array.from({ length: rows }, (_, n) => {
    const [day = '', time = ''] = at(n).split('T');
    const [year, month, date] = day.split('-');
    const figures = [oxygen(n), warmth(n)].map((value) => value.toFixed(1).replace('.', ','));
    return `${pond};${date}/${month}/${year};${time.slice(0, 5)};${figures.join(';')}`;
  });
  const text = ['viveiro;data;hora;od;temperatura', ...lines].join('\r\n');
  return { name: 'csv', bytes: new TextEncoder().encode(text) };
}

function xlsxOf(rows: number, pond: string): Sheet {
  const lines = Array.from({ length: rows }, (_, n) => [
    pond,
    at(n).slice(0, 10),
    at(n).slice(11, 16),
    oxygen(n),
    warmth(n),
  ]);
  const sheet = utils.aoa_to_sheet([['Viveiro', 'Data', 'Hora', 'OD', 'Temperatura'], ...lines]);
  const book = utils.book_new();
  utils.book_append_sheet(book, sheet, 'Água');
  const bytes = write(book, { type: 'array', bookType: 'xlsx', compression: true }) as ArrayBuffer;
  return { name: 'xlsx', bytes: new Uint8Array(bytes) };
}
