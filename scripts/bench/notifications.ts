import { rm } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { notificationChannel } from '#contract/resources/notification-channels.ts';
import { user } from '#contract/resources/users.ts';
import { type Change, insert, update } from '#core/changes.ts';
import { callHttp } from '#sim/fetch-firmware.ts';
import { type BenchOptions, type Figures, type Finding, median, orderFigures } from './finding.ts';
import { newDataFolder, startGatewayOn } from './gateway.ts';
import { composeHere } from './in-process.ts';
import type { Beats, CrowdLoad } from './load/crowd.ts';
import { quantile } from './load/load-window.ts';
import type { OrderLoad } from './load/order-load.ts';
import type { WebhookSink } from './load/webhook-sink.ts';
import { switchWithoutRest } from './order-latency.ts';
import { type ProvisionedOwner, provisionFolder } from './provision.ts';
import { type Remote, startRemote, stopAll } from './remote.ts';

const MUST_S = 5;
/** From the order to its level at the controller, whatever else goes on. */
const MUST_ORDER_P99_MS = 250;
/** What a heartbeat waits: a few flushes of a memory card. */
const MUST_BEAT_P99_MS = 50;
/** As many as the gateway has under way. */
const PARALLEL = 64;
const ROWS_A_COMMIT = 500;

type Size = {
  people: number;
  controllers: number;
  ordered: number;
  orders: number;
  rounds: number;
  calmMs: number;
};
type Loads = {
  crowd: Remote<CrowdLoad>;
  orders: Remote<OrderLoad>;
  sink: Remote<WebhookSink>;
  poster: Remote<WebhookSink>;
};
/** What control does meanwhile. */
type Control = { beats: Beats; orderMs: number[] };
type Round = { ms: number; bareMs: number; repeats: number; calm: Control; busy: Control };

/** News for everybody: a notification and a webhook for each of ten thousand people, and what it does to control. */
export async function notifications({ isQuick, tell }: BenchOptions): Promise<Finding[]> {
  const size: Size = isQuick
    ? { people: 200, controllers: 10, ordered: 2, orders: 3, rounds: 1, calmMs: 500 }
    : { people: 10_000, controllers: 200, ordered: 50, orders: 30, rounds: 5, calmMs: 4_500 };
  const data = await newDataFolder();
  const loads: Loads = {
    crowd: startRemote<CrowdLoad>(new URL('load/crowd.ts', import.meta.url)),
    orders: startRemote<OrderLoad>(new URL('load/order-load.ts', import.meta.url)),
    sink: startRemote<WebhookSink>(new URL('load/webhook-sink.ts', import.meta.url)),
    poster: startRemote<WebhookSink>(new URL('load/webhook-sink.ts', import.meta.url)),
  };
  try {
    const owner = await provisionFolder(data, { count: size.controllers, prefix: 'news' }, switchWithoutRest);
    const { url } = await loads.sink.call('listen', undefined);
    tell(`${size.people} people with a webhook each`);
    await addPeople(data, size.people, url);
    const gateway = await startGatewayOn(data, ['--start-step-s', '0', '--outbound-networks', '127.0.0.1']);
    try {
      const [ordered, clients] = [
        owner.controllers.slice(0, size.ordered),
        owner.controllers.slice(size.ordered),
      ];
      await loads.crowd.call('arrive', { mqttUrl: gateway.mqtt, clients, atOnce: 20 });
      await loads.orders.call('startGatewayFarm', {
        httpBase: gateway.http,
        mqttUrl: gateway.mqtt,
        token: owner.token,
        controllers: ordered,
      });
      await controlMeanwhile(loads, size, 0);
      const rounds: Round[] = [];
      for (let n = 0; n <= size.rounds; n += 1) {
        tell(`news, round ${n} of ${size.rounds}`);
        const round = await oneRound(loads, { base: gateway.http, owner, url, size, n });
        // the first one warms up
        if (n > 0) rounds.push(round);
      }
      return findings(size, rounds);
    } finally {
      await gateway.stop();
    }
  } finally {
    await stopAll([loads.crowd, loads.orders, loads.sink, loads.poster]);
    await rm(data, { recursive: true, force: true });
  }
}

/** Heartbeats of the crowd, and orders one after the other. */
async function controlMeanwhile(
  { crowd, orders }: Pick<Loads, 'crowd' | 'orders'>,
  { calmMs, orders: count }: Size,
  nth: number,
): Promise<Control> {
  const [beats, times] = await Promise.all([
    crowd.call('beat', { everyMs: 1_000, forMs: calmMs }),
    orders.call('order', { from: nth * count, count }),
  ]);
  return { beats, orderMs: times.toDeviceMs };
}

async function oneRound(
  loads: Loads,
  {
    base,
    owner,
    url,
    size,
    n,
  }: { base: string; owner: ProvisionedOwner; url: string; size: Size; n: number },
): Promise<Round> {
  const { sink, poster } = loads;
  const calm = await controlMeanwhile(loads, size, 2 * n + 1);
  const control = controlMeanwhile(loads, size, 2 * n + 2);
  const startedAt = performance.now();
  const body = { title: 'Manutenção', message: 'O sistema para por dez minutos às 03:00.' };
  const told = await callHttp(base, '/api/v1/announcements/', { body, bearer: owner.token });
  if (told.status !== 201) throw new Error(`the news were answered ${told.status}`);
  const { repeats } = await sink.call('wait', { count: size.people });
  const ms = performance.now() - startedAt;
  const busy = await control;
  const text = await sink.call('lastBody', undefined);
  const bareMs = await poster.call('post', { url, count: size.people, parallel: PARALLEL, body: text });
  await sink.call('wait', { count: size.people });
  return { ms, bareMs, repeats, calm, busy };
}

/** Straight into the database, and the owner may tell everybody. */
async function addPeople(data: string, count: number, url: string): Promise<void> {
  const { kernel, database, delivery } = await composeHere(data);
  const [owner] = await database.read.selectFrom('users').select('id').execute();
  const changes: Change[] = [update(user, owner?.id ?? '', { role: 'ADMIN' })];
  for (let n = 0; n < count; n += 1) {
    const id = kernel.newId();
    const created_at = new Date(kernel.now()).toISOString();
    changes.push(
      insert(user, {
        id,
        numeric_id: n + 1,
        email: `person-${n}@fazenda.example`,
        email_key: `person-${n}@fazenda.example`,
        name: `Person ${n}`,
        phone_number: null,
        role: 'VIEWER',
        is_active: true,
        password_hash: '',
        password_version: 1,
        language: n % 2 === 0 ? 'en' : null,
        created_at,
        updated_at: null,
      }),
      insert(notificationChannel, {
        id: kernel.newId(),
        user_id: id,
        kind: 'WEBHOOK',
        address: `${url}/${n}`,
        keys: { generation: '1' },
        types: ['ALERT', 'SYSTEM'],
        min_severity: 'LOW',
        quiet_from: null,
        quiet_to: null,
        timezone: 'America/Fortaleza',
        is_active: true,
        verified_at: created_at,
        created_at,
        updated_at: null,
      }),
    );
  }
  for (let at = 0; at < changes.length; at += ROWS_A_COMMIT)
    await kernel.commit({ changes: changes.slice(at, at + ROWS_A_COMMIT), actor: null });
  await delivery.stop(Promise.resolve());
  await database.close();
}

function findings({ people, controllers, ordered }: Size, rounds: readonly Round[]): Finding[] {
  const seconds = median(rounds.map(({ ms }) => ms)) / 1_000;
  const bareSeconds = median(rounds.map(({ bareMs }) => bareMs)) / 1_000;
  const ratios = rounds.map(({ ms, bareMs }) => bareMs / ms);
  const repeats = rounds.reduce((sum, round) => sum + round.repeats, 0);
  const load = `load average of the machine ${loadavg()[0]?.toFixed(1)}`;
  const none = { cpuUs: null, p50Ms: null, p99Ms: null, rssMb: null };
  return [
    {
      measure: `${people} notifications, each in the list and to a webhook`,
      subject: { name: 'gateway', ...none, perS: people / seconds, counted: `${seconds.toFixed(2)} s` },
      baseline: {
        name: `the same posts alone, ${PARALLEL} at once`,
        ...none,
        perS: people / bareSeconds,
        counted: `${bareSeconds.toFixed(2)} s`,
      },
      ratioOf: 'rate',
      ratio: median(ratios),
      cpuRatio: null,
      spread: [Math.min(...ratios), Math.max(...ratios)],
      must: `≤ ${MUST_S} s, none twice`,
      isMet: seconds <= MUST_S && repeats === 0,
      rounds: rounds.length,
      notes: [`${repeats} came twice`, load],
    },
    beatFinding(controllers - ordered, rounds),
    orderFinding(rounds),
  ];
}

function beatFinding(controllers: number, rounds: readonly Round[]): Finding {
  const figuresIn = (name: string, all: readonly Control[]): Figures => ({
    name,
    perS: null,
    cpuUs: null,
    p50Ms: median(all.map(({ beats }) => beats.p50Ms)),
    p99Ms: median(all.map(({ beats }) => beats.p99Ms)),
    rssMb: null,
  });
  const ratios = rounds.map(({ calm, busy }) => busy.beats.p99Ms / calm.beats.p99Ms);
  const missed = rounds.reduce((sum, { calm, busy }) => sum + calm.beats.missed + busy.beats.missed, 0);
  const subject = figuresIn(
    'while it tells',
    rounds.map(({ busy }) => busy),
  );
  return {
    measure: `heartbeats of ${controllers} controllers meanwhile`,
    subject,
    baseline: figuresIn(
      'calm',
      rounds.map(({ calm }) => calm),
    ),
    ratioOf: 'p99',
    ratio: median(ratios),
    cpuRatio: null,
    spread: [Math.min(...ratios), Math.max(...ratios)],
    must: `p99 ≤ ${MUST_BEAT_P99_MS} ms`,
    isMet: (subject.p99Ms ?? Infinity) <= MUST_BEAT_P99_MS && missed === 0,
    rounds: rounds.length,
    notes: [`${missed} heartbeats unanswered`],
  };
}

function orderFinding(rounds: readonly Round[]): Finding {
  const [busy, calm] = [rounds.map((round) => round.busy), rounds.map((round) => round.calm)].map((all) =>
    all.flatMap(({ orderMs }) => orderMs).sort((a, b) => a - b),
  );
  const worst = quantile(busy ?? [], 0.99);
  return {
    measure: 'order → level at the controller meanwhile',
    subject: orderFigures('while it tells', busy ?? [], null),
    baseline: orderFigures('calm', calm ?? [], null),
    ratioOf: 'p99',
    ratio: worst / quantile(calm ?? [], 0.99),
    cpuRatio: null,
    spread: null,
    must: `p99 ≤ ${MUST_ORDER_P99_MS} ms`,
    isMet: worst <= MUST_ORDER_P99_MS,
    rounds: rounds.length,
  };
}
