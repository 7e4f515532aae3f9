import { afterAll, beforeAll, expect, it } from 'vitest';
import { type App, body, joinFarm, type SignedUp, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { aStockedFarm, type StockedFarm } from '#test/stocked-farm.ts';

// Tasks of a farm. The clock of the tests stands at 2 March 2026, a Monday, noon UTC; the farm is three hours behind it.

type Told = Record<string, unknown>;
const HOUR = 3_600_000;

onBothEngines('tasks', (_open, engine) => {
  let app: App;
  let farm: StockedFarm;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.close());

  const send = (method: string, path: string, sent?: unknown, token = farm.token) =>
    app.call(method, path, { token, body: sent, headers: { 'Accept-Language': 'en' } });
  async function call(method: string, path: string, sent?: unknown, token = farm.token) {
    const reply = await send(method, path, sent, token);
    expect(reply.status, `${method} ${path} ${JSON.stringify(reply.body)}`).toBeLessThan(300);
    return body(reply);
  }
  async function aFarm() {
    farm = await aStockedFarm(app);
  }
  const set = (sent: Told) => call('POST', `/farms/${farm.farmId}/tasks`, sent);
  const refused = (sent: Told) => send('POST', `/farms/${farm.farmId}/tasks`, sent);
  const mark = (of: Told, sent: Told = {}, token = farm.token) =>
    call('POST', `/tasks/${String(of['id'])}/marks`, sent, token);
  const due = async (day?: string) =>
    (await call('GET', `/farms/${farm.farmId}/tasks/due${day === undefined ? '' : `?day=${day}`}`))[
      'tasks'
    ] as Told[];
  const marks = async () => (await call('GET', `/farms/${farm.farmId}/task-marks`)) as unknown as Told[];
  const list = async (query = '') =>
    (await call('GET', `/farms/${farm.farmId}/tasks${query}`)) as unknown as Told[];
  async function aHand(role = 'OPERATOR'): Promise<SignedUp> {
    const person = await app.signUp({ role: 'VIEWER' });
    await joinFarm(app, { token: farm.token, farmId: farm.farmId }, person, role);
    return person;
  }
  const remindersOf = async (token = farm.token) =>
    ((await call('GET', '/notifications/?limit=100', undefined, token))['notifications'] as Told[]).filter(
      ({ data, farm_id }) => (data as Told | null)?.['event'] === 'task_due' && farm_id === farm.farmId,
    );
  const look = () => app.ticks.find(({ name }) => name === 'reminders of tasks')?.run();

  it('stands due on its days, is marked once a day, and is overdue until it is marked or due again', async () => {
    await aFarm();
    const task = await set({
      text: 'Limpar os filtros',
      pond_id: farm.ponds[0]?.numeric_id,
      items: ['Entrada', 'Saída', 'Entrada'],
      repeat: 'days',
      every_days: 3,
      first_day: '2026-02-27',
    });
    expect(task).toMatchObject({
      pond_cod: 'V-1',
      items: ['Entrada', 'Saída'],
      due_on: '2026-03-02',
      next_due_on: '2026-03-05',
    });
    expect(await due()).toMatchObject([
      { id: task['id'], due_on: '2026-03-02', is_overdue: false, mark: null },
    ]);
    expect(await due('2026-03-04')).toMatchObject([{ due_on: '2026-03-02', is_overdue: true }]);
    const marked = await mark(task, { ticked: ['Entrada'], note: 'rasgado' });
    expect(marked).toMatchObject({ due_on: '2026-03-02', state: 'DONE', ticked: ['Entrada'] });
    // what was done today stays to be seen today, and stands over nobody afterwards
    expect(await due()).toMatchObject([{ is_overdue: false, mark: { state: 'DONE', note: 'rasgado' } }]);
    expect(await due('2026-03-04')).toEqual([]);
    expect(await due('2026-03-05')).toMatchObject([{ due_on: '2026-03-05', mark: null }]);
    expect(await marks()).toMatchObject([{ text: 'Limpar os filtros', due_on: '2026-03-02' }]);
  });

  it('that two people tick has one mark, with what both of them ticked', async () => {
    await aFarm();
    const hand = await aHand();
    const task = await set({ text: 'Ronda', items: ['A', 'B'] });
    const first = await send('POST', `/tasks/${String(task['id'])}/marks`, { ticked: ['A'] });
    const second = await send(
      'POST',
      `/tasks/${String(task['id'])}/marks`,
      { ticked: ['B'], note: 'também' },
      hand.token,
    );
    expect([first.status, second.status]).toEqual([201, 200]);
    expect(body(second)).toMatchObject({
      id: body(first)['id'],
      ticked: ['A', 'B'],
      note: 'também',
      done_by: farm.userId,
    });
    expect(await marks()).toHaveLength(1);
    // at the same moment, too
    const other = await set({ text: 'Outra' });
    const both = await Promise.all([mark(other), mark(other, {}, hand.token)]);
    expect(new Set(both.map(({ id }) => id)).size).toBe(1);
    expect(await marks()).toHaveLength(2);
  });

  it('that was skipped may still be done; what somebody else has done, an operator does not skip', async () => {
    await aFarm();
    const [hand, other] = [await aHand(), await aHand()];
    const task = await set({ text: 'Medir salinidade' });
    expect(await mark(task, { state: 'skipped', note: 'chuva' }, hand.token)).toMatchObject({
      state: 'SKIPPED',
    });
    expect(await mark(task, {}, other.token)).toMatchObject({ state: 'DONE', done_by: other.user.id });
    expect(
      await send('POST', `/tasks/${String(task['id'])}/marks`, { state: 'SKIPPED' }, hand.token),
    ).toMatchObject({ status: 409, body: { code: 'TASK_MARKED' } });
    const log = await app.database.read
      .selectFrom('logs')
      .select('details')
      .where('farm_id', '=', farm.farmId)
      .execute();
    expect(log.map(({ details }) => String(details)).join('\n')).toContain('chuva');
  });

  it('has its mark taken back by who set it, or by who manages; then it is due again, and may be marked again', async () => {
    await aFarm();
    const [hand, other] = [await aHand(), await aHand()];
    const task = await set({ text: 'Conferir redes' });
    const path = `/tasks/${String(task['id'])}/marks/2026-03-02`;
    await mark(task, {}, hand.token);
    expect((await send('DELETE', path, undefined, other.token)).status).toBe(403);
    expect((await send('DELETE', path, undefined, hand.token)).status).toBe(204);
    expect((await send('DELETE', path, undefined, hand.token)).status).toBe(404);
    expect(await due()).toMatchObject([{ mark: null }]);
    expect(await marks()).toEqual([]);
    expect(await mark(task, {}, other.token)).toMatchObject({ state: 'DONE', done_by: other.user.id });
    expect((await send('DELETE', path)).status).toBe(204);
  });

  it('is marked for a due day alone, up to a day ahead, also by a telephone that comes late', async () => {
    await aFarm();
    const task = await set({
      text: 'Repor sal',
      repeat: 'WEEKDAYS',
      days_of_week: [5, 1, 1],
      first_day: '2026-02-01',
    });
    expect(task).toMatchObject({ days_of_week: [1, 5], due_on: '2026-03-02', next_due_on: '2026-03-06' });
    for (const due_on of ['2026-03-01', '2026-03-06', '2026-01-30'])
      expect(await send('POST', `/tasks/${String(task['id'])}/marks`, { due_on })).toMatchObject({
        status: 422,
      });
    expect(await mark(task, { due_on: '2026-02-27', done_at: '2026-02-27T20:00:00Z' })).toMatchObject({
      done_at: '2026-02-27T20:00:00.000Z',
    });
    // ended meanwhile: who did it has done it
    await call('PUT', `/tasks/${String(task['id'])}`, { ended_on: '2026-03-01' });
    expect(await mark(task, { due_on: '2026-03-02' })).toMatchObject({ state: 'DONE' });
  });

  it('says a rule that holds, and lies with a pond and a person of its own farm', async () => {
    await aFarm();
    const hand = await aHand('TECHNICIAN');
    for (const [sent, path] of [
      [{ repeat: 'DAYS' }, 'every_days'],
      [{ repeat: 'WEEKDAYS' }, 'days_of_week'],
      [{ repeat: 'WEEKDAYS', days_of_week: [] }, 'days_of_week'],
      [{ every_days: 2 }, 'every_days'],
      [{ repeat: 'DAYS', every_days: 2, days_of_week: [1] }, 'days_of_week'],
      [{ pond_id: farm.batch.id }, 'pond_id'],
      // a technician records nothing
      [{ assignee_id: hand.user.id }, 'assignee_id'],
      [{ remind_at: '24:00' }, 'remind_at'],
      [{ text: ' ' }, 'text'],
      [{ items: Array.from({ length: 31 }, (_, n) => `${n}`) }, 'items'],
    ] as const) {
      const reply = await refused({ text: 'x', ...sent });
      expect([reply.status, JSON.stringify(reply.body)], JSON.stringify(sent)).toEqual([
        422,
        expect.stringContaining(path),
      ]);
    }
    const task = await set({ text: 'x', repeat: 'DAYS', every_days: 2 });
    const own = `/tasks/${String(task['id'])}`;
    expect(await send('PUT', own, { repeat: 'WEEKDAYS' })).toMatchObject({ status: 422 });
    // another repeat takes with it what only the one before had
    expect(await call('PUT', own, { repeat: 'WEEKDAYS', days_of_week: [3] })).toMatchObject({
      every_days: null,
      days_of_week: [3],
      next_due_on: '2026-03-04',
    });
    expect(await send('PUT', own, { text: 'y' })).toMatchObject({ status: 200 });
  });

  it('is listed while it is open: ended ones, and what was done once, on request', async () => {
    await aFarm();
    const [once, daily] = [
      await set({ text: 'Uma vez' }),
      await set({ text: 'Sempre', repeat: 'DAYS', every_days: 1 }),
    ];
    expect(await list()).toMatchObject([{ text: 'Uma vez' }, { text: 'Sempre' }]);
    await mark(once);
    await call('PUT', `/tasks/${String(daily['id'])}`, { ended_on: '2026-03-01' });
    expect(await list()).toEqual([]);
    expect(await due()).toMatchObject([{ text: 'Uma vez' }]);
    expect(await list('?ended=true')).toHaveLength(2);
    expect((await send('DELETE', `/tasks/${String(once['id'])}`)).status).toBe(204);
    expect(await list('?ended=true')).toHaveLength(1);
    expect(await marks()).toEqual([]);
    // of a pond that is gone nothing is to be done
    const there = await set({ text: 'Lá', pond_id: farm.ponds[1]?.id });
    expect((await send('DELETE', `/ponds/${String(farm.ponds[1]?.id)}`)).status).toBe(204);
    expect((await send('GET', `/tasks/${String(there['id'])}`)).status).toBe(404);
    expect(await due()).toEqual([]);
  });

  it('two hundred stand open on a farm at most', async () => {
    await aFarm();
    for (let n = 0; n < 200; n += 1) await set({ text: `Tarefa ${n}` });
    expect(await refused({ text: 'x' })).toMatchObject({ status: 409, body: { code: 'TOO_MANY_TASKS' } });
    const [first] = await list('?limit=1');
    await mark(first ?? {});
    await set({ text: 'x' });
    expect(await list()).toHaveLength(200);
  });

  it('is told once at its hour to whom it is of, or to all who record; not when it is done, and of no day before', async () => {
    await aFarm();
    const [hand, other, technician] = [await aHand(), await aHand(), await aHand('TECHNICIAN')];
    // nine in the morning on the farm is noon UTC
    const ours = await set({ text: 'Ronda', repeat: 'DAYS', every_days: 1, remind_at: '10:00' });
    await set({ text: 'Do João', remind_at: '10:00', assignee_id: hand.user.id });
    const done = await set({ text: 'Feita', remind_at: '10:00' });
    await set({ text: 'Sem hora' });
    await set({ text: 'Ontem', first_day: '2026-03-01', remind_at: '08:00' });
    await mark(done);
    await look();
    expect(await remindersOf()).toEqual([]);
    app.clock.advance(HOUR);
    await look();
    await look();
    expect(await remindersOf()).toMatchObject([
      { title: 'Tarefa: Ronda', data: { task_id: ours['id'], due_on: '2026-03-02' } },
    ]);
    expect((await remindersOf(hand.token)).map(({ title }) => title)).toEqual(
      expect.arrayContaining(['Tarefa: Ronda', 'Tarefa: Do João']),
    );
    expect(await remindersOf(other.token)).toHaveLength(1);
    expect(await remindersOf(technician.token)).toHaveLength(0);
    // the gateway was off at the hour, and all of the day after: that day's reminder is not told any more
    app.clock.advance(48 * HOUR + 5 * HOUR);
    await look();
    expect((await remindersOf()).map(({ data }) => (data as Told)['due_on'])).toEqual([
      '2026-03-04',
      '2026-03-02',
    ]);
  });

  it('of somebody who left the farm is everybody’s again', async () => {
    await aFarm();
    const hand = await aHand();
    const day = (await call('GET', `/farms/${farm.farmId}/tasks/due`))['day'];
    await set({ text: 'Dele', first_day: day, remind_at: '23:30', assignee_id: hand.user.id });
    expect((await send('DELETE', `/farms/${farm.farmId}/members/${hand.user.id}`)).status).toBe(204);
    app.clock.advance(24 * HOUR - ((app.clock.now() - 3 * HOUR) % (24 * HOUR)) - 60_000);
    await look();
    expect(await remindersOf()).toMatchObject([{ title: 'Tarefa: Dele' }]);
  });

  it('is ticked by who records, set by who manages, read by who may see the farm, and unknown to others', async () => {
    await aFarm();
    const [hand, viewer, stranger] = [await aHand(), await aHand('VIEWER'), await app.signUp()];
    const task = await set({ text: 'x' });
    const own = `/tasks/${String(task['id'])}`;
    const status = async (method: string, path: string, token: string, sent?: Told) =>
      (await send(method, path, sent, token)).status;
    expect(await status('POST', `/farms/${farm.farmId}/tasks`, hand.token, { text: 'y' })).toBe(403);
    expect(await status('PUT', own, hand.token, { text: 'y' })).toBe(403);
    expect(await status('POST', `${own}/marks`, viewer.token, {})).toBe(403);
    expect(await status('POST', `${own}/marks`, hand.token, {})).toBe(201);
    expect(await status('GET', own, viewer.token)).toBe(200);
    for (const path of [
      own,
      `/farms/${farm.farmId}/tasks`,
      `/farms/${farm.farmId}/tasks/due`,
      `/farms/${farm.farmId}/task-marks`,
    ])
      expect(await status('GET', path, stranger.token), path).toBe(404);
  });
});
