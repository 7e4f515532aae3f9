import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { peopleQuery } from '#adapters/sql/queries/alarms/notifications.ts';
import { farmMember } from '#contract/resources/farms.ts';
import { user } from '#contract/resources/users.ts';
import { insert, update } from '#core/changes.ts';
import {
  createEscalation,
  dueStep,
  type EscalationDeps,
  STEPS,
} from '#features/alarms/alerts/escalate-alerts.ts';
import { type SignedUp, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { webhookBody, webReceiver } from '#test/receivers.ts';
import { type App, aStaffedFarm, created, type StaffedFarm } from '#test/staffed-farm.ts';

const MINUTE = 60_000;

describe('the steps of an escalation', () => {
  const [first = null, all = null] = STEPS;
  it.each([
    [0, null, null],
    [2 * MINUTE - 1, null, null],
    [2 * MINUTE, null, first],
    [4 * MINUTE, first, null],
    [5 * MINUTE, first, all],
    [5 * MINUTE, null, all],
    [60 * MINUTE, all, null],
  ])('%i ms after people were told', (elapsed, taken, step) => {
    expect(dueStep(elapsed, taken)).toBe(step);
  });
});

onBothEngines('a critical alert that nobody answers', (_open, engine) => {
  let app: App;
  let web: Awaited<ReturnType<typeof webReceiver>>;
  let place: StaffedFarm;
  let pondId: string;
  let made = 0;

  beforeAll(async () => {
    app = await startApp(engine);
    web = await webReceiver();
  });
  afterAll(async () => {
    await app.delivery.stop(Promise.resolve());
    await app.close();
    await web.close();
  });
  beforeEach(async () => {
    place = await aStaffedFarm(app);
    pondId = await created(
      app.call('POST', '/ponds/', {
        token: place.owner.token,
        body: { farm_id: place.farmId, cod: 'V-01' },
      }),
    );
    web.posts.length = 0;
  });

  async function channelOf({ token }: SignedUp, wishes: Record<string, unknown> = {}): Promise<void> {
    made += 1;
    await created(
      app.call('POST', '/notification-channels', {
        token,
        body: { kind: 'WEBHOOK', address: `${web.url}/${made}`, ...wishes },
      }),
    );
  }
  const measure = (dissolved_oxygen: number, at = pondId) =>
    app.call('POST', '/water-quality/', {
      token: place.owner.token,
      body: { pond_id: at, dissolved_oxygen },
    });
  /** What was told of alerts. */
  const titlesOf = async ({ token }: SignedUp) => {
    const { body } = await app.call('GET', '/notifications/?type=ALERT', { token });
    return (body as { notifications: { title: string }[] }).notifications.map(({ title }) => title);
  };
  async function minutesLater(minutes: number, escalation = app.watches.escalation): Promise<void> {
    app.clock.advance(minutes * MINUTE);
    await escalation.tick();
    await app.delivery.work();
  }
  const alertId = async () => {
    const { body } = await app.call('GET', '/alerts/?include=all', { token: place.owner.token });
    const [first] = body as { id: string }[];
    if (first === undefined) throw new Error('there is no alert');
    return first.id;
  };
  const act = async (path: string, method = 'POST', body?: unknown) => {
    const reply = await app.call(method, `/alerts/${await alertId()}/${path}`, {
      token: place.manager.token,
      ...(body === undefined ? {} : { body }),
    });
    expect(reply.status).toBe(200);
  };
  /** A new run of the program on the same database. */
  const restarted = (given: Partial<EscalationDeps> = {}) =>
    createEscalation({
      ...app.kernel,
      monotonic: app.clock.now,
      queries: app.alerts.queries,
      notify: app.notify,
      troubleIn: () => null,
      peopleOf: peopleQuery(app.database.read),
      isShared: false,
      ...given,
    });

  const LOW = 'Oxigênio baixo: V-01';
  const TWO = `Sem resposta há 2 min: ${LOW}`;
  const FIVE = `Sem resposta há 5 min: ${LOW}`;

  it('comes again to those who have channels after 2 minutes, and to all who may act after 5', async () => {
    await channelOf(place.owner);
    await app.kernel.commit({
      changes: [update(user, place.technician.user.id, { language: 'en' })],
      actor: null,
    });
    await measure(1.2);
    await app.delivery.work();
    await minutesLater(1);
    expect(await titlesOf(place.owner)).toEqual([LOW]);
    await minutesLater(1);
    expect(await titlesOf(place.owner)).toEqual([TWO, LOW]);
    expect(await titlesOf(place.manager)).toEqual([LOW]);
    await minutesLater(3);
    await minutesLater(30);
    expect(await titlesOf(place.owner)).toEqual([FIVE, TWO, LOW]);
    expect(await titlesOf(place.manager)).toEqual([FIVE, LOW]);
    expect((await titlesOf(place.technician))[0]).toBe('No answer for 5 min: Low oxygen: V-01');
    expect(await titlesOf(place.viewer)).toEqual([]);
    const sent = web.posts.map(webhookBody);
    expect(sent.map(({ title }) => title)).toEqual([LOW, TWO, FIVE]);
    expect(sent.map(({ notification }) => notification?.data['escalation'])).toEqual([undefined, 2, 5]);
    expect(sent[1]?.text).toContain('Ninguém reconheceu este alerta');
    expect(sent[1]?.notification?.data).toMatchObject({
      pond_id: pondId,
      pond_cod: 'V-01',
      parameter: 'dissolved_oxygen',
      value: 1.2,
    });
  });

  it('comes through quiet hours', async () => {
    await channelOf(place.owner, { quiet_from: '00:00', quiet_to: '23:59' });
    await measure(1.2);
    await minutesLater(2);
    expect(web.posts).toHaveLength(2);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['acknowledges', () => act('acknowledge')],
    ['silences', () => act('silence', 'POST', { minutes: 30, reason: 'estou indo' })],
    ['shelves', () => act('shelve', 'POST', { minutes: 30, reason: 'sonda em manutenção' })],
    ['resolves', () => act('resolve', 'PUT')],
    ['mends', () => measure(6.5)],
  ])('is left alone when somebody %s it', async (_what, answer) => {
    await channelOf(place.owner);
    await measure(1.2);
    await minutesLater(1);
    await answer();
    await minutesLater(2);
    await minutesLater(5);
    expect(await titlesOf(place.owner)).toEqual([LOW]);
  });

  it('stops between the steps, also what waits to be sent', async () => {
    await channelOf(place.owner);
    await measure(1.2);
    await app.delivery.work();
    app.clock.advance(2 * MINUTE);
    await app.watches.escalation.tick();
    await act('acknowledge');
    await app.delivery.work();
    await minutesLater(10);
    expect(web.posts).toHaveLength(1);
    expect(await titlesOf(place.manager)).toEqual([LOW]);
  });

  it('that is not critical is never escalated, and one that became so is, from then on', async () => {
    await channelOf(place.owner);
    await measure(3.8);
    await minutesLater(10);
    expect(await titlesOf(place.owner)).toHaveLength(1);
    await measure(1.2);
    await minutesLater(1);
    expect(await titlesOf(place.owner)).toHaveLength(2);
    await minutesLater(1);
    expect((await titlesOf(place.owner))[0]).toBe(TWO);
  });

  it('that came in the moment its milder one was answered comes again', async () => {
    await channelOf(place.owner);
    await measure(3.8);
    const milder = await alertId();
    await minutesLater(1);
    await measure(1.2);
    await app.call('POST', `/alerts/${milder}/acknowledge`, { token: place.manager.token });
    await minutesLater(2);
    expect((await titlesOf(place.owner))[0]).toBe(TWO);
  });

  it('goes on after a restart, and tells nobody twice', async () => {
    await channelOf(place.owner);
    await measure(1.2);
    await minutesLater(2);
    app.clock.advance(MINUTE);
    await minutesLater(1, restarted());
    expect(await titlesOf(place.owner)).toEqual([TWO, LOW]);
    await minutesLater(1, restarted());
    await minutesLater(0, restarted());
    expect(await titlesOf(place.owner)).toEqual([FIVE, TWO, LOW]);
    await app.kernel.commit({
      changes: [
        insert(farmMember, {
          id: app.kernel.newId(),
          farm_id: place.farmId,
          user_id: place.stranger.user.id,
          role: 'MANAGER',
          created_at: '2026-03-01T12:00:00.000Z',
          updated_at: null,
        }),
      ],
      actor: null,
    });
    app.clock.advance(25 * 60 * MINUTE);
    await restarted().tick();
    expect(await titlesOf(place.stranger)).toEqual([]);
  });

  it('that was slept through is told once, not twice at the same moment', async () => {
    await channelOf(place.owner);
    await measure(1.2);
    await minutesLater(20, restarted());
    expect(await titlesOf(place.owner)).toEqual([FIVE, LOW]);
  });

  it('is timed by the clock of the run while the other is not to be trusted', async () => {
    await channelOf(place.owner);
    await measure(1.2);
    const run = { ms: 0 };
    const escalation = restarted({ clockQuality: () => 'estimated', monotonic: () => run.ms });
    // the wall clock jumps by hours; how long ago it was told cannot be known
    app.clock.advance(3 * 60 * MINUTE);
    await escalation.tick();
    expect(await titlesOf(place.owner)).toEqual([LOW]);
    run.ms = 2 * MINUTE;
    await escalation.tick();
    expect(await titlesOf(place.owner)).toEqual([TWO, LOW]);
    app.clock.advance(-6 * 60 * MINUTE);
    run.ms = 5 * MINUTE;
    await escalation.tick();
    expect((await titlesOf(place.owner)).sort()).toEqual([LOW, TWO, FIVE].sort());
    app.clock.advance(3 * 60 * MINUTE);
  });

  it('raised by another process is heard of, and two processes tell once', async () => {
    await channelOf(place.owner);
    const processes = [restarted({ isShared: true }), restarted({ isShared: true })];
    await Promise.all(processes.map(({ tick }) => tick()));
    await measure(1.2);
    app.clock.advance(2 * MINUTE);
    await Promise.all(processes.map(({ tick }) => tick()));
    expect(await titlesOf(place.owner)).toEqual([TWO, LOW]);
    const stored = await app.database.read
      .selectFrom('deliveries')
      .select('id')
      .where('user_id', '=', place.owner.user.id)
      .execute();
    expect(stored).toHaveLength(2);
  });
});
