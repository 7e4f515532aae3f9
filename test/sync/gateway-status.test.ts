import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SyncStateWord, SyncStatusAnswer } from '#contract/resources/sync-status.ts';
import { parkedChange } from '#contract/resources/sync-tables.ts';
import { insert } from '#core/changes.ts';
import { watchSyncLink } from '#features/alarms/notifications/watch-sync-link.ts';
import type { LogFigures, SyncFacts } from '#features/cloud/sync-status/ports.ts';
import {
  bytesPerDay,
  countDataToday,
  offlineDaysLeft,
  stateOf,
} from '#features/cloud/sync-status/show-status.ts';
import { isNews, syncEventOf } from '#features/cloud/sync-status/sync-event.ts';
import { type App, aFarmWith, startApp } from '#test/app.ts';

const NOW = Date.UTC(2026, 2, 2, 12);
const MINUTE = 60_000;
const NOTHING_WAITS = { waitingRows: 0, oldestAtMs: null };

function lanes(waiting: Partial<LogFigures['lanes']> = {}): Pick<LogFigures, 'lanes'> {
  return { lanes: { core: NOTHING_WAITS, history: NOTHING_WAITS, ...waiting } };
}

describe('the state in one word', () => {
  const waitingFor = (ms: number) => ({ waitingRows: 3, oldestAtMs: NOW - ms });

  test.each<
    [
      string,
      SyncStateWord,
      Pick<SyncFacts, 'phase' | 'contactAgeMs'> & Partial<SyncFacts>,
      Pick<LogFigures, 'lanes'>,
    ]
  >([
    [
      'both spoke a minute ago and nothing waits',
      'connected',
      { phase: 'steady', contactAgeMs: MINUTE },
      lanes(),
    ],
    [
      'nothing was heard for three minutes',
      'offline',
      { phase: 'steady', contactAgeMs: 3 * MINUTE },
      lanes(),
    ],
    [
      'the last try failed and twenty seconds brought nothing better',
      'offline',
      { phase: 'steady', contactAgeMs: 20_000, trouble: { code: 'unreachable', detail: '', ageMs: 500 } },
      lanes(),
    ],
    ['nothing was heard since the start', 'offline', { phase: 'connecting', contactAgeMs: null }, lanes()],
    [
      'an edit of a second ago waits',
      'connected',
      { phase: 'steady', contactAgeMs: 0 },
      lanes({ core: waitingFor(1_000) }),
    ],
    [
      'an edit waits for a minute',
      'catching_up',
      { phase: 'steady', contactAgeMs: 0 },
      lanes({ core: waitingFor(MINUTE) }),
    ],
    [
      'readings of the last minute wait',
      'connected',
      { phase: 'steady', contactAgeMs: 0 },
      lanes({ history: waitingFor(MINUTE) }),
    ],
    [
      'readings of an hour wait',
      'catching_up',
      { phase: 'steady', contactAgeMs: 0 },
      lanes({ history: waitingFor(60 * MINUTE) }),
    ],
    ['everything is compared', 'comparing', { phase: 'resync', contactAgeMs: 0 }, lanes()],
    ['a comparison hangs in a dead link', 'offline', { phase: 'resync', contactAgeMs: 5 * MINUTE }, lanes()],
    ['versions do not fit', 'upgrade_needed', { phase: 'upgrade', contactAgeMs: 0 }, lanes()],
    ['the owner unpaired it', 'revoked', { phase: 'revoked', contactAgeMs: 0 }, lanes()],
    ['it belongs to nobody', 'unpaired', { phase: 'unpaired', contactAgeMs: null }, lanes()],
  ])('%s: %s', (_what, word, facts, figures) => {
    expect(stateOf({ trouble: null, ...facts }, figures, NOW)).toBe(word);
  });
});

describe('days a farm can stay offline', () => {
  test.each([
    [{ logBytes: 0, quotaBytes: 2_000_000_000, bytesPerDay: 2_000_000 }, 1_000],
    [{ logBytes: 1_900_000_000, quotaBytes: 2_000_000_000, bytesPerDay: 40_000_000 }, 2.5],
    [{ logBytes: 3_000_000_000, quotaBytes: 2_000_000_000, bytesPerDay: 1 }, 0],
    [{ logBytes: 0, quotaBytes: 2_000_000_000, bytesPerDay: 0 }, null],
    [{ logBytes: 0, quotaBytes: 2_000_000_000, bytesPerDay: 1_000 }, null],
  ])('%o: %s', (log, days) => {
    expect(offlineDaysLeft(log)).toBe(days);
  });

  test('a log of ten minutes says nothing about a day, one of six hours does', () => {
    expect(bytesPerDay({ rows: 100, bytesPerRow: 500, overMs: 10 * MINUTE })).toBe(0);
    expect(bytesPerDay({ rows: 100, bytesPerRow: 500, overMs: 360 * MINUTE })).toBe(200_000);
  });
});

test('the data of a day is counted from midnight of the farm, not of London', () => {
  // half past eleven at night in Fortaleza
  const clock = { nowMs: Date.parse('2026-03-02T02:30:00.000Z') };
  const data = countDataToday({ now: () => clock.nowMs, zone: 'America/Fortaleza' });
  data.add({ sent: 100, received: 40 });
  data.add({ sent: 10, received: 0 });
  expect(data.soFar()).toEqual({ sentBytes: 110, receivedBytes: 40, since: '2026-03-02T02:30:00.000Z' });
  clock.nowMs += 40 * MINUTE;
  expect(data.soFar()).toEqual({ sentBytes: 0, receivedBytes: 0, since: '2026-03-02T03:00:00.000Z' });
});

describe('what viewers hear', () => {
  const facts = { phase: 'steady', contactAgeMs: 1_000, trouble: null } as SyncFacts;
  const event = (waitingRows: number) =>
    syncEventOf(facts, lanes({ core: { waitingRows, oldestAtMs: NOW } }), NOW);

  test('another state, the first and the last row that waits, and much more of them; not every row', () => {
    expect(isNews(null, event(0))).toBe(true);
    expect(isNews(event(0), event(0))).toBe(false);
    expect(isNews(event(0), event(1))).toBe(true);
    expect(isNews(event(1), event(2))).toBe(false);
    expect(isNews(event(1), event(60))).toBe(true);
    expect(isNews(event(1), { ...event(1), state: 'offline' })).toBe(true);
  });
});

describe('GET /sync/status on a gateway', () => {
  let app: App;
  beforeAll(async () => {
    app = await startApp();
  });
  afterAll(() => app.close());
  const status = async (token: string, headers: Record<string, string> = {}) =>
    (await app.call('GET', '/sync/status', { token, headers })).body as SyncStatusAnswer;

  test('says in the language of the request that it works alone, with every figure', async () => {
    const { token } = await aFarmWith(app);
    expect(await status(token, { 'Accept-Language': 'en' })).toMatchObject({
      state: 'unpaired',
      summary: 'This gateway works alone: it is not paired with a cloud account.',
      link: { is_up: false, last_contact_at: null, age_s: null, trouble: null },
      socket: { is_open: false },
      parked: { here: 0, there: 0 },
      conflicts_open: 0,
    });
    const told = await status(token, { 'Accept-Language': 'pt-BR' });
    expect(told.summary).toBe('Este gateway trabalha sozinho: não está pareado com uma conta na nuvem.');
    expect(told.lanes.core.waiting_rows).toBeGreaterThan(0);
    expect(told.offline.quota_bytes).toBeGreaterThan(told.offline.log_bytes);
  });

  test('asked to sync now, says that it works alone; who only works here may not ask', async () => {
    const { token } = await aFarmWith(app);
    const asked = await app.call('POST', '/sync/now', { token, headers: { 'Accept-Language': 'en' } });
    expect(asked).toMatchObject({
      status: 409,
      body: {
        code: 'SYNC_NOT_POSSIBLE',
        detail: 'This gateway works alone: it is not paired with a cloud account.',
      },
    });
    const technician = await app.signUp({ role: 'TECHNICIAN' });
    expect((await app.call('POST', '/sync/now', { token: technician.token })).status).toBe(403);
  });

  test('needs a person who is signed in', async () => {
    expect((await app.call('GET', '/sync/status')).status).toBe(401);
  });

  test('a row that is kept aside is shown to owners alone, and tried again when they ask', async () => {
    const { token } = await aFarmWith(app);
    const technician = await app.signUp({ role: 'TECHNICIAN' });
    const id = randomUUID();
    const row = {
      id,
      stream_id: 1,
      lane: 'core' as const,
      seq: 7,
      entity: 999,
      row_id: 'unknown',
      reason: 'entity: 999',
      change_json: JSON.stringify({
        seq: 7,
        tx: 1,
        entity: 999,
        id: 'unknown',
        op: 1,
        cl: 1,
        hlc: '019ca9470e52.0001.c0008888',
        over: null,
        base: null,
        body: {},
        actor: null,
        sv: 1,
        chain: '',
      }),
      parked_at: '2026-03-01T12:00:00.000Z',
      tries: 1,
      tried_schema: 1,
    };
    await app.kernel.commit({ actor: null, changes: [insert(parkedChange, row)] });
    expect((await app.call('GET', '/sync/parked', { token: technician.token })).status).toBe(403);
    const listed = await app.call('GET', '/sync/parked', { token });
    expect(listed.headers.get('x-total-count')).toBe('1');
    expect(listed.body).toEqual([
      {
        id,
        kept: 'here',
        lane: 'core',
        table: 'table 999 of a newer version',
        row_id: 'unknown',
        reason: 'entity: 999',
        parked_at: '2026-03-01T12:00:00.000Z',
        tries: 1,
      },
    ]);
    const again = await app.call('POST', `/sync/parked/${id}/retry`, { token });
    expect(again.body).toMatchObject({ state: 'still_parked' });
    expect((await app.call('POST', `/sync/parked/${randomUUID()}/retry`, { token })).status).toBe(404);
  });

  test('a day without the other half is told once to the people of the farm', async () => {
    const { farmId } = await aFarmWith(app);
    const pairedAt = new Date(app.clock.now()).toISOString();
    const watch = watchSyncLink({
      ...app.kernel,
      clockQuality: () => 'trusted',
      notify: app.notify,
      lastMet: async () => null,
      pairedAt: async () => pairedAt,
      farmIds: async () => [farmId],
    });
    const told = async () => {
      const rows = await app.database.read
        .selectFrom('notifications')
        .select('title')
        .where('farm_id', '=', farmId)
        .execute();
      return rows.map(({ title }) => title);
    };
    watch.met();
    app.clock.advance(23 * 60 * MINUTE);
    await watch.look();
    expect(await told()).toEqual([]);
    app.clock.advance(2 * 60 * MINUTE);
    await watch.look();
    await watch.look();
    expect(await told()).toEqual(['Sem sincronização']);
  });
});
