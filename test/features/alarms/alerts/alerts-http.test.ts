import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AlertAnswer, alert } from '#contract/resources/alerts.ts';
import type { AlertCause } from '#core/alerting.ts';
import { insert } from '#core/changes.ts';
import { isoOf } from '#core/kernel.ts';
import { isUnanswered } from '#features/alarms/alerts/escalate-alerts.ts';
import { joinFarm } from '#test/app.ts';
import { whyNoPostgres } from '#test/postgres-cluster.ts';
import { watch } from '../../../adapters/http/watch.ts';
import { startFarm } from './a-farm.ts';

const MINUTE = 60_000;

describe.each(['sqlite', 'postgres'] as const)('alerts over HTTP (%s)', (engine) => {
  describe.skipIf(engine === 'postgres' && whyNoPostgres() !== null)('on a whole program', () => {
    let app: Awaited<ReturnType<typeof startFarm>>;
    beforeAll(async () => {
      app = await startFarm(engine);
    });
    afterAll(() => app.close());

    const call = (method: string, path: string, body?: unknown, token = app.owner.token) =>
      app.call(method, path, { token, ...(body === undefined ? {} : { body }) });

    /** A person's alert on a new control point. */
    async function anAlert(body: object = {}) {
      const point = await app.controlPoint();
      const reply = await call('POST', `/alerts/${point.id}/alerts`, {
        type: 'LOW_OXYGEN',
        message: 'Fish gasping at the surface',
        ...body,
      });
      expect(reply.status).toBe(201);
      return { point, alert: reply.body as AlertAnswer };
    }

    const waterCause = (point: { pond: { id: string } }, facts: Partial<AlertCause> = {}): AlertCause => ({
      farm_id: app.farm.id,
      control_point_id: null,
      pond_id: point.pond.id,
      type: 'LOW_OXYGEN',
      severity: 'MEDIUM',
      message: 'Oxigênio baixo: 3,4 mg/L',
      parameter: 'dissolved_oxygen',
      value: 3.4,
      threshold: 4,
      cause: `water:${randomUUID()}`,
      ...facts,
    });
    const raise = (cause: AlertCause) => app.act(() => app.alerts.alerting.raise(cause));

    test('the list of one pond has nothing of another, nor that of a control point what its ponds told', async () => {
      const { point, alert: own } = await anAlert();
      const airs = await app.controlPoint();
      await raise(waterCause(airs));
      const idsOf = async (query: string) =>
        ((await call('GET', `/alerts/?include=all&${query}`)).body as AlertAnswer[]).map(
          ({ id, pond_id }) => pond_id ?? id,
        );
      expect(await idsOf(`pond_id=${airs.pond.id}`)).toEqual([airs.pond.id]);
      expect(await idsOf(`control_point_id=${point.id}`)).toEqual([own.id]);
      expect(await idsOf(`control_point_id=${airs.id}`)).toEqual([]);
      expect(await idsOf(`pond_id=${randomUUID()}`)).toEqual([]);
    });

    describe('a person who raises an alert', () => {
      test('gets it back ACTIVE; it is listed, logged and told', async () => {
        const { point, alert } = await anAlert();
        const now = new Date(app.clock.now()).toISOString();
        expect(alert).toEqual({
          ...blankAnswer,
          advice: expect.stringMatching(/^Ligue todos os aeradores/) as unknown,
          id: alert.id,
          control_point_id: point.id,
          farm_id: app.farm.id,
          type: 'LOW_OXYGEN',
          message: 'Fish gasping at the surface',
          severity: 'HIGH',
          triggered_at: now,
          created_at: now,
          episode_id: alert.id,
          source: 'manual',
        });
        expect(await app.listed()).toContainEqual(alert);
        expect(await app.logs(point.id)).toContainEqual(
          expect.objectContaining({ action: 'alert_created', user_id: app.owner.user.id }),
        );
        expect(await app.notifications()).toContainEqual(
          expect.objectContaining({
            type: 'ALERT',
            title: `Oxigênio baixo: ${point.cod}`,
            message: 'Fish gasping at the surface',
            data: expect.objectContaining({
              pond_id: point.pond.id,
              parameter: null,
              value: null,
              threshold: null,
              alert_id: alert.id,
              control_point_cod: point.cod,
            }),
          }),
        );
      });

      test('may call it OD_LOW', async () => {
        const { alert } = await anAlert({ type: 'OD_LOW' });
        expect(alert.type).toBe('LOW_OXYGEN');
        expect(await app.listed('?type=OD_LOW')).toContainEqual(alert);
      });

      test('raises two when he raises two', async () => {
        const { point, alert } = await anAlert();
        await call('POST', `/alerts/${point.id}/alerts`, { type: 'LOW_OXYGEN', message: 'again' });
        const listed = (await app.listed()).filter(({ control_point_id }) => control_point_id === point.id);
        expect(listed.map(({ message }) => message)).toEqual(['again', alert.message]);
      });

      test.each([
        ['an unknown type', { type: 'TSUNAMI', message: 'x' }, 'type'],
        ['a type of the program itself', { type: 'NO_CURRENT', message: 'x' }, 'type'],
        ['no type', { message: 'x' }, 'type'],
        ['no message', { type: 'LOW_OXYGEN' }, 'message'],
        ['an empty message', { type: 'LOW_OXYGEN', message: '  ' }, 'message'],
        ['a message that is a number', { type: 'LOW_OXYGEN', message: 7 }, 'message'],
      ])('with %s is told the field, and nothing is stored', async (_words, body, field) => {
        const point = await app.controlPoint();
        const told = await app.notifications();
        const reply = await call('POST', `/alerts/${point.id}/alerts`, body);
        expect([reply.status, reply.body]).toEqual([
          422,
          expect.objectContaining({ errors: [expect.objectContaining({ path: field })] }),
        ]);
        expect((await app.listed()).filter((row) => row.control_point_id === point.id)).toEqual([]);
        expect(await app.notifications()).toEqual(told);
      });

      test('repeats a request by its key without a second alert', async () => {
        const point = await app.controlPoint();
        const send = () =>
          app.call('POST', `/alerts/${point.id}/alerts`, {
            token: app.owner.token,
            body: { type: 'POWER_FAILURE', message: 'dark' },
            headers: { 'Idempotency-Key': `key-${point.id}` },
          });
        const [first, second] = [await send(), await send()];
        expect([first.status, second.status, second.body]).toEqual([201, 201, first.body]);
        expect((await app.listed()).filter((row) => row.control_point_id === point.id)).toHaveLength(1);
      });

      test('may name it by an id of his own, once', async () => {
        const id = randomUUID();
        const { alert } = await anAlert({ id });
        const point = await app.controlPoint();
        const again = await call('POST', `/alerts/${point.id}/alerts`, {
          id,
          type: 'LOW_OXYGEN',
          message: 'x',
        });
        expect([alert.id, again.status]).toEqual([id, 409]);
      });
    });

    describe('who may', () => {
      test('a stranger gets 403, and 404 where there is nothing', async () => {
        const { point, alert } = await anAlert();
        const { token } = await app.signUp();
        const body = { type: 'LOW_OXYGEN', message: 'x' };
        const silence = { minutes: 5, reason: 'x' };
        const statuses = async (pointId: string, alertId: string) => [
          (await call('POST', `/alerts/${pointId}/alerts`, body, token)).status,
          (await call('PUT', `/alerts/${alertId}/resolve`, undefined, token)).status,
          (await call('POST', `/alerts/${alertId}/acknowledge`, undefined, token)).status,
          (await call('POST', `/alerts/${alertId}/silence`, silence, token)).status,
          (await call('DELETE', `/alerts/${alertId}/shelve`, undefined, token)).status,
        ];
        expect(await statuses(point.id, alert.id)).toEqual([403, 403, 403, 403, 403]);
        expect(await statuses(randomUUID(), randomUUID())).toEqual([404, 404, 404, 404, 404]);
        expect(await statuses('no-id', 'no-id')).toEqual([404, 404, 404, 404, 404]);
        expect(await app.listed('', token)).toEqual([]);
        expect(await app.listed()).toContainEqual(alert);
      });

      test('a viewer reads, a technician resolves and is told', async () => {
        const { point, alert } = await anAlert();
        const members = await Promise.all(
          ['VIEWER', 'TECHNICIAN'].map(async (role) => {
            const person = await app.signUp();
            await joinFarm(app, { token: app.owner.token, farmId: app.farm.id }, person, role);
            return person;
          }),
        );
        const [viewer, technician] = members.map(({ token }) => token);
        expect(await app.listed('', viewer)).toContainEqual(alert);
        const body = { type: 'LOW_OXYGEN', message: 'told to those who may act' };
        expect((await call('POST', `/alerts/${point.id}/alerts`, body, viewer)).status).toBe(403);
        expect((await call('POST', `/alerts/${point.id}/alerts`, body, technician)).status).toBe(201);
        expect((await call('PUT', `/alerts/${alert.id}/resolve`, undefined, viewer)).status).toBe(403);
        expect((await call('PUT', `/alerts/${alert.id}/resolve`, undefined, technician)).status).toBe(200);
        const toldOf = async (token: string | undefined) =>
          (await app.notifications(token)).filter(({ type }) => type !== 'SYSTEM').length;
        expect([await toldOf(viewer), await toldOf(technician)]).toEqual([0, 1]);
      });

      test('nobody without a token', async () => {
        expect((await app.call('GET', '/alerts/')).status).toBe(401);
      });
    });

    describe('resolving', () => {
      test('ends it once; the second time it stays as it is', async () => {
        const { point, alert } = await anAlert();
        app.clock.advance(1000);
        const resolve = () => call('PUT', `/alerts/${alert.id}/resolve`);
        const first = await resolve();
        const resolved_at = new Date(app.clock.now()).toISOString();
        app.clock.advance(1000);
        const second = await resolve();
        const expected = {
          ...alert,
          status: 'RESOLVED',
          resolved_at,
          resolved_by: app.owner.user.id,
          updated_at: resolved_at,
        };
        expect([first.status, first.body, second.status, second.body]).toEqual([
          200,
          expected,
          200,
          expected,
        ]);
        expect(await app.listed()).not.toContainEqual(expect.objectContaining({ id: alert.id }));
        expect(await app.listed('?status=RESOLVED')).toContainEqual(expected);
        const resolutions = (await app.logs(point.id)).filter(({ action }) => action === 'alert_resolved');
        expect(resolutions).toEqual([expect.objectContaining({ user_id: app.owner.user.id })]);
      });

      test('with an outdated If-Match is refused', async () => {
        const { alert } = await anAlert();
        const reply = await app.call('PUT', `/alerts/${alert.id}/resolve`, {
          token: app.owner.token,
          headers: { 'If-Match': '"7"' },
        });
        expect(reply.status).toBe(412);
        expect(await app.listed()).toContainEqual(alert);
      });
    });

    describe('acknowledge, silence, shelve', () => {
      test('mark the alert, which stays ACTIVE, and can be undone', async () => {
        const { point, alert } = await anAlert();
        const at = new Date(app.clock.now()).toISOString();
        const in30 = new Date(app.clock.now() + 30 * MINUTE).toISOString();
        const by = app.owner.user.id;
        const path = `/alerts/${alert.id}`;
        const body = { minutes: 30, reason: 'aerator is being changed' };
        expect((await call('POST', `${path}/acknowledge`)).body).toMatchObject({
          status: 'ACTIVE',
          acknowledged_at: at,
          acknowledged_by: by,
        });
        expect((await call('POST', `${path}/silence`, body)).body).toMatchObject({
          status: 'ACTIVE',
          silenced_until: in30,
          silenced_by: by,
          silence_reason: body.reason,
        });
        expect((await call('POST', `${path}/shelve`, body)).body).toMatchObject({
          status: 'ACTIVE',
          shelved_until: in30,
          shelved_by: by,
          shelve_reason: body.reason,
        });
        for (const mark of ['acknowledge', 'silence', 'shelve']) {
          expect((await call('DELETE', `${path}/${mark}`)).status).toBe(204);
          expect((await call('DELETE', `${path}/${mark}`)).status).toBe(204);
        }
        const [now] = (await app.listed()).filter(({ id }) => id === alert.id);
        expect(now).toEqual({ ...alert, updated_at: at });
        expect((await app.logs(point.id)).map(({ action }) => action)).toEqual(
          expect.arrayContaining(['alert_acknowledged', 'alert_silenced', 'alert_unshelved']),
        );
      });

      test.each([
        ['silence', { minutes: 1441, reason: 'x' }],
        ['silence', { minutes: 0, reason: 'x' }],
        ['silence', { minutes: 5 }],
        ['shelve', { minutes: 10_081, reason: 'x' }],
        ['shelve', { minutes: 31, reason: 'of a critical alarm' }],
        ['shelve', { minutes: 1.5, reason: 'x' }],
        ['shelve', { minutes: 5, reason: '' }],
      ])('%s refuses %j', async (mark, body) => {
        const { alert } = await anAlert();
        expect((await call('POST', `/alerts/${alert.id}/${mark}`, body)).status).toBe(422);
        expect(await app.listed()).toContainEqual(alert);
      });

      test('are too late for an alert that is over', async () => {
        const { alert } = await anAlert();
        await call('PUT', `/alerts/${alert.id}/resolve`);
        expect((await call('POST', `/alerts/${alert.id}/acknowledge`)).status).toBe(409);
      });
    });

    describe('an episode', () => {
      test('is one alert in the list, with the control point of its pond, and is told once', async () => {
        const point = await app.controlPoint();
        const before = (await app.notifications()).length;
        for (const value of [3.6, 3.5, 3.4]) {
          await raise(waterCause(point, { value }));
          app.clock.advance(5 * MINUTE);
        }
        const mine = (await app.listed()).filter(({ pond_id }) => pond_id === point.pond.id);
        expect(mine.map(({ value, control_point_id }) => [value, control_point_id])).toEqual([
          [3.4, point.id],
        ]);
        expect((await app.notifications()).length - before).toBe(1);
      });

      test('is told again when it gets worse, and after half an hour', async () => {
        const point = await app.controlPoint();
        const before = (await app.notifications()).length;
        const told: number[] = [];
        for (const [minutes, severity] of [
          [0, 'MEDIUM'],
          [10, 'HIGH'],
          [10, 'HIGH'],
          [20, 'MEDIUM'],
        ] as const) {
          app.clock.advance(minutes * MINUTE);
          await raise(waterCause(point, { severity }));
          told.push((await app.notifications()).length - before);
        }
        expect(told).toEqual([1, 2, 2, 3]);
      });

      /** What makes the siren sound and comes again after two minutes. */
      const waitingForSomebody = async (pondId: string) => {
        const open = await app.alerts.queries.unanswered(new Date(0).toISOString(), 1000);
        return open
          .filter((row) => row.pond_id === pondId && isUnanswered(row, app.clock.now()))
          .map(({ value }) => value);
      };

      const marksOf = async (pondId: string) => {
        const [newest] = await app.alerts.queries.alertsOfPond(pondId);
        const open = await app.alerts.queries.openOfEpisode(app.farm.id, newest?.episode_id ?? '', 10);
        return open.map(({ value, acknowledged_by, silence_reason, shelve_reason }) => [
          value,
          acknowledged_by,
          silence_reason ?? shelve_reason,
        ]);
      };

      test('is answered whole by any of its alerts, and told so to whoever watches one of them', async () => {
        const point = await app.controlPoint();
        const me = app.owner.user.id;
        await raise(waterCause(point, { value: 3.6 }));
        const [shown] = await app.alerts.queries.alertsOfPond(point.pond.id);
        for (const value of [3.5, 3.4]) {
          app.clock.advance(5 * MINUTE);
          await raise(waterCause(point, { value }));
        }
        const viewer = await watch(`${app.base}/api/v1/events`, app.owner.token);
        await viewer.next('snapshot');
        await call('POST', `/alerts/${shown?.id}/acknowledge`);
        expect(await marksOf(point.pond.id)).toEqual([
          [3.4, me, null],
          [3.5, me, null],
          [3.6, me, null],
        ]);
        await call('POST', `/alerts/${shown?.id}/silence`, { minutes: 5, reason: 'heard' });
        await call('POST', `/alerts/${shown?.id}/shelve`, { minutes: 5, reason: 'known' });
        expect((await marksOf(point.pond.id)).map(([, , reason]) => reason)).toEqual([
          'heard',
          'heard',
          'heard',
        ]);
        await viewer.next('alert', 8);
        const told = viewer.heard.filter(({ name }) => name === 'alert').slice(0, 3);
        expect(told.map(({ data }) => [data['acknowledged_by'], data['pond_id']])).toEqual(
          Array.from({ length: 3 }, () => [me, point.pond.id]),
        );
        viewer.close();
      });

      test('of more alerts than one answer marks waits for nobody after it, also for a gateway that starts', async () => {
        const point = await app.controlPoint();
        await raise(waterCause(point, { value: 1, severity: 'HIGH' }));
        const [first] = await app.alerts.queries.alertsOfPond(point.pond.id);
        if (first === undefined) throw new Error('no alert');
        const { rev: _rev, ...row } = first;
        const changes = Array.from({ length: 202 }, (_, n) =>
          insert(alert, { ...row, id: randomUUID(), triggered_at: isoOf(app.clock.now() + n + 1) }),
        );
        await app.kernel.commit({ changes, actor: null });
        expect(await waitingForSomebody(point.pond.id)).toHaveLength(203);
        const [newest] = await app.alerts.queries.alertsOfPond(point.pond.id);
        await call('POST', `/alerts/${newest?.id}/acknowledge`);
        expect(await waitingForSomebody(point.pond.id)).toEqual([]);
      });

      test('that got worse after it was answered is not answered by who saw only what was before, and who was first stays named', async () => {
        const point = await app.controlPoint();
        const helper = await app.signUp();
        await joinFarm(app, { token: app.owner.token, farmId: app.farm.id }, helper, 'TECHNICIAN');
        await raise(waterCause(point, { value: 3.6 }));
        const [first] = await app.alerts.queries.alertsOfPond(point.pond.id);
        await call('POST', `/alerts/${first?.id}/acknowledge`);
        app.clock.advance(MINUTE);
        await raise(waterCause(point, { value: 2.1, severity: 'HIGH' }));
        const [worse] = await app.alerts.queries.alertsOfPond(point.pond.id);
        const answer = (id: string | undefined) =>
          call('POST', `/alerts/${id}/acknowledge`, {}, helper.token);
        await answer(first?.id);
        await call('POST', `/alerts/${first?.id}/silence`, { minutes: 60, reason: 'heard' });
        await call('POST', `/alerts/${first?.id}/shelve`, { minutes: 60, reason: 'known' });
        expect(await waitingForSomebody(point.pond.id)).toEqual([2.1]);
        await answer(worse?.id);
        const reply = await answer(first?.id);
        expect(reply.body).toMatchObject({ acknowledged_by_name: app.owner.user.name });
        expect((await marksOf(point.pond.id)).map(([value, by]) => [value, by])).toEqual([
          [2.1, helper.user.id],
          [3.6, app.owner.user.id],
        ]);
      });

      test('keeps what was found, said with the answer or later, and the list says by whom', async () => {
        const point = await app.controlPoint();
        await raise(waterCause(point));
        const [shown] = await app.alerts.queries.alertsOfPond(point.pond.id);
        const answer = (body?: unknown) => call('POST', `/alerts/${shown?.id}/acknowledge`, body);
        const first = (await answer()).body;
        app.clock.advance(MINUTE);
        const noted = (await answer({ note: 'Aerador 2 estava parado' })).body;
        expect(noted).toEqual({
          ...(first as AlertAnswer),
          acknowledge_note: 'Aerador 2 estava parado',
          updated_at: new Date(app.clock.now()).toISOString(),
        });
        await raise(waterCause(point));
        const mine = (await app.listed()).filter(({ pond_id }) => pond_id === point.pond.id);
        expect(mine).toMatchObject([
          {
            acknowledged_by: app.owner.user.id,
            acknowledged_by_name: app.owner.user.name,
            acknowledge_note: 'Aerador 2 estava parado',
          },
        ]);
        expect((await answer({ note: 'x'.repeat(10_001) })).status).toBe(422);
      });

      const snapshot = async () => {
        const viewer = await watch(`${app.base}/api/v1/events`, app.owner.token);
        const { data } = await viewer.next('snapshot');
        viewer.close();
        return data as { alerts: SeenAlert[]; returned: SeenAlert[] };
      };
      type SeenAlert = Record<'id' | 'pond_id' | 'episode_id' | 'episode_since', string> & {
        episode_count: number;
      };

      test('stands in a snapshot by its newest, with how many there are and since when', async () => {
        const point = await app.controlPoint();
        const since = new Date(app.clock.now()).toISOString();
        for (const value of [3.6, 3.5, 3.4]) {
          await raise(waterCause(point, { value }));
          app.clock.advance(5 * MINUTE);
        }
        const mine = (await snapshot()).alerts.filter(({ pond_id }) => pond_id === point.pond.id);
        expect(mine).toMatchObject([{ value: 3.4, episode_count: 3, episode_since: since }]);
      });

      test('whose newest alert was taken back goes on by the one before, and viewers are told so', async () => {
        const point = await app.controlPoint();
        await raise(waterCause(point, { value: 3.6 }));
        app.clock.advance(5 * MINUTE);
        const wrong = waterCause(point, { value: 2.1, severity: 'HIGH' });
        await raise(wrong);
        const viewer = await watch(`${app.base}/api/v1/events`, app.owner.token);
        await viewer.next('snapshot');
        await app.act(async () => (await app.alerts.alerting.revise(wrong.cause, null)) ?? []);
        const ended = await viewer.next('alert');
        const standing = await viewer.next('alert', 1);
        viewer.close();
        expect([ended, standing].map(({ data }) => [data['value'], data['status']])).toEqual([
          [2.1, 'RESOLVED'],
          [3.6, 'ACTIVE'],
        ]);
      });

      test('that ended by itself waits for a day to be answered; what a person ended or answered does not', async () => {
        const point = await app.controlPoint();
        const onPond = { type: 'LOW_OXYGEN', pond_id: point.pond.id } as const;
        const endsByItself = async () => {
          app.clock.advance(MINUTE);
          await raise(waterCause(point));
          app.clock.advance(MINUTE);
          await app.act(() => app.alerts.alerting.resolve(onPond));
        };
        const waiting = async () =>
          (await snapshot()).returned.filter(({ pond_id }) => pond_id === point.pond.id);
        await endsByItself();
        await endsByItself();
        const [returned, ...others] = await waiting();
        expect([returned, others]).toEqual([
          expect.objectContaining({ status: 'RESOLVED', episode_count: 1 }),
          [],
        ]);
        expect(
          await call('POST', `/alerts/${returned?.id}/silence`, { minutes: 5, reason: 'x' }),
        ).toMatchObject({
          status: 409,
        });
        const reply = await call('POST', `/alerts/${returned?.id}/acknowledge`, { note: 'seen' });
        expect([reply.status, reply.body, await waiting()]).toEqual([
          200,
          expect.objectContaining({ status: 'RESOLVED', acknowledge_note: 'seen' }),
          [],
        ]);
        // answered while it stood
        app.clock.advance(MINUTE);
        await raise(waterCause(point));
        const [standing] = await app.alerts.queries.alertsOfPond(point.pond.id);
        await call('POST', `/alerts/${standing?.id}/acknowledge`);
        await app.act(() => app.alerts.alerting.resolve(onPond));
        expect(await waiting()).toEqual([]);
        // ended by hand
        app.clock.advance(MINUTE);
        await raise(waterCause(point));
        const [ended] = await app.alerts.queries.alertsOfPond(point.pond.id);
        app.clock.advance(MINUTE);
        await call('PUT', `/alerts/${ended?.id}/resolve`);
        expect(await waiting()).toEqual([]);
        // found later in what a probe handed in
        await raise({ ...waterCause(point), as: 'past', at: app.clock.now() - 60 * MINUTE });
        expect(await waiting()).toEqual([]);
        await endsByItself();
        expect(await waiting()).toHaveLength(1);
        // answered with the next one of the same pond
        app.clock.advance(MINUTE);
        await raise(waterCause(point));
        const [next] = await app.alerts.queries.alertsOfPond(point.pond.id);
        await call('POST', `/alerts/${next?.id}/acknowledge`);
        expect(await waiting()).toEqual([]);
        await app.act(() => app.alerts.alerting.resolve(onPond));
        await endsByItself();
        app.clock.advance(25 * 60 * MINUTE);
        expect(await waiting()).toEqual([]);
      });

      test.each(['ponds', 'control-points'] as const)(
        'that ended by itself goes with what it was on, also for who is watching: %s',
        async (path) => {
          const point = await app.controlPoint();
          const isOfPond = path === 'ponds';
          await raise({
            ...waterCause(point),
            pond_id: isOfPond ? point.pond.id : null,
            control_point_id: isOfPond ? null : point.id,
          });
          app.clock.advance(MINUTE);
          const on = isOfPond ? { pond_id: point.pond.id } : { control_point_id: point.id };
          await app.act(() => app.alerts.alerting.resolve({ type: 'LOW_OXYGEN', ...on }));
          const viewer = await watch(`${app.base}/api/v1/events`, app.owner.token);
          const [field, id] = isOfPond
            ? (['pond_id', point.pond.id] as const)
            : (['control_point_id', point.id] as const);
          const waitsIn = ({ data }: { data: Record<string, unknown> }) =>
            (data['returned'] as Record<string, unknown>[]).some((row) => row[field] === id);
          const told = () => viewer.heard.filter(({ name }) => name === 'snapshot').map(waitsIn);
          try {
            await viewer.next('snapshot');
            await call('DELETE', `/${path}/${isOfPond ? point.pond.id : point.id}`);
            await viewer.next('snapshot', 1);
            expect(told()).toEqual([true, false]);
          } finally {
            viewer.close();
          }
        },
      );

      test('is resolved whole by a person', async () => {
        const point = await app.controlPoint();
        await raise(waterCause(point));
        await raise(waterCause(point));
        const [shown] = (await app.listed()).filter(({ pond_id }) => pond_id === point.pond.id);
        await call('PUT', `/alerts/${shown?.id}/resolve`);
        expect((await app.listed()).filter(({ pond_id }) => pond_id === point.pond.id)).toEqual([]);
      });

      test('is resolved by a good value, and the next bad one begins another', async () => {
        const point = await app.controlPoint();
        const onPond = { type: 'LOW_OXYGEN', pond_id: point.pond.id } as const;
        await raise(waterCause(point));
        await raise(waterCause(point));
        await app.act(() => app.alerts.alerting.resolve(onPond));
        await raise(waterCause(point));
        const [shown, ...more] = await app.alerts.queries.alertsOfPond(point.pond.id);
        expect([shown?.episode_id, more]).toEqual([shown?.id, []]);
      });

      describe('that swings', () => {
        const told = async (point: { pond: { id: string } }) =>
          (await app.notifications())
            .filter(({ data }) => data['pond_id'] === point.pond.id)
            .map(({ data }) => [data['severity'], data['escalation'] ?? 0]);
        /** Ends and comes again every six seconds; the last one stands. */
        async function swing(point: Parameters<typeof waterCause>[0], times: number, given: object = {}) {
          for (let n = 0; n < times; n += 1) {
            await app.act(() => app.alerts.alerting.resolve({ type: 'LOW_OXYGEN', pond_id: point.pond.id }));
            app.clock.advance(6_000);
            await raise(waterCause(point, given));
          }
        }
        const pass = async (ms: number) => {
          for (let passed = 0; passed < ms; passed += MINUTE) {
            app.clock.advance(MINUTE);
            await app.watches.escalation.tick();
          }
        };

        test('is told once in half an hour, and then when it still stands', async () => {
          const point = await app.controlPoint();
          await swing(point, 10);
          const first = await told(point);
          await pass(28 * MINUTE);
          await swing(point, 3);
          const before = await told(point);
          await pass(3 * MINUTE);
          expect([first, before, await told(point)]).toEqual([
            [['MEDIUM', 0]],
            [['MEDIUM', 0]],
            [
              ['MEDIUM', 0],
              ['MEDIUM', 0],
            ],
          ]);
          await pass(40 * MINUTE);
          expect(await told(point)).toHaveLength(2);
        });

        test('is told at once when it is worse than it was ever told', async () => {
          const point = await app.controlPoint();
          await swing(point, 2);
          await swing(point, 3, { severity: 'HIGH' });
          await swing(point, 2);
          await swing(point, 2, { severity: 'HIGH' });
          expect(await told(point)).toEqual([
            ['HIGH', 0],
            ['MEDIUM', 0],
          ]);
        });

        test('is made louder twice while nobody answers, however often it goes and comes', async () => {
          const point = await app.controlPoint();
          for (let minutes = 0; minutes < 20; minutes += 1) {
            await swing(point, 2, { severity: 'HIGH' });
            await pass(MINUTE);
          }
          // nobody has a channel, so the step that is for those who have one is silent
          expect(await told(point)).toEqual([
            ['HIGH', 5],
            ['HIGH', 0],
          ]);
        });

        test('and that a person resolved is news when it comes again', async () => {
          const point = await app.controlPoint();
          await raise(waterCause(point));
          const [first] = await app.alerts.queries.alertsOfPond(point.pond.id);
          await call('PUT', `/alerts/${first?.id}/resolve`);
          await raise(waterCause(point));
          expect(await told(point)).toHaveLength(2);
        });

        test('is not told late when somebody acknowledged or silenced it meanwhile', async () => {
          const [acknowledged, silenced] = [await app.controlPoint(), await app.controlPoint()];
          for (const point of [acknowledged, silenced]) await swing(point, 2);
          const idOf = async (point: { pond: { id: string } }) =>
            (await app.alerts.queries.alertsOfPond(point.pond.id))[0]?.id;
          await call('POST', `/alerts/${await idOf(acknowledged)}/acknowledge`);
          await call('POST', `/alerts/${await idOf(silenced)}/silence`, { minutes: 60, reason: 'known' });
          await pass(40 * MINUTE);
          expect([await told(acknowledged), await told(silenced)]).toEqual([
            [['MEDIUM', 0]],
            [['MEDIUM', 0]],
          ]);
        });
      });

      test('is raised once by one cause', async () => {
        const point = await app.controlPoint();
        const cause = waterCause(point);
        const before = (await app.notifications()).length;
        await Promise.all([raise(cause), raise(cause), raise(cause)]);
        expect(await app.alerts.queries.alertsOfPond(point.pond.id)).toHaveLength(1);
        expect((await app.notifications()).length - before).toBe(1);
      });

      test('that is silenced tells nobody until the silence ends', async () => {
        const point = await app.controlPoint();
        await raise(waterCause(point));
        const [shown] = await app.alerts.queries.alertsOfPond(point.pond.id);
        await call('POST', `/alerts/${shown?.id}/silence`, { minutes: 60, reason: 'known' });
        const before = (await app.notifications()).length;
        app.clock.advance(40 * MINUTE);
        await raise(waterCause(point));
        const during = (await app.notifications()).length - before;
        app.clock.advance(21 * MINUTE);
        await raise(waterCause(point));
        expect([during, (await app.notifications()).length - before]).toEqual([0, 1]);
      });

      test.each(['silence', 'shelve'])('that got worse after a %s is told at once', async (mark) => {
        const point = await app.controlPoint();
        const told = async () => (await app.notifications()).length;
        await raise(waterCause(point));
        const [first] = await app.alerts.queries.alertsOfPond(point.pond.id);
        await call('POST', `/alerts/${first?.id}/${mark}`, { minutes: 60, reason: 'known' });
        const before = await told();
        app.clock.advance(MINUTE);
        await raise(waterCause(point, { value: 1, severity: 'HIGH' }));
        const [worse] = await app.alerts.queries.alertsOfPond(point.pond.id);
        expect([(await told()) - before, worse?.silenced_until, worse?.shelved_until]).toEqual([
          1,
          null,
          null,
        ]);
      });

      test('that was worse before somebody put it off is told when it is as bad again', async () => {
        const point = await app.controlPoint();
        await raise(waterCause(point, { value: 1, severity: 'HIGH' }));
        app.clock.advance(MINUTE);
        await raise(waterCause(point));
        const [milder] = await app.alerts.queries.alertsOfPond(point.pond.id);
        await call('POST', `/alerts/${milder?.id}/shelve`, { minutes: 480, reason: 'known' });
        expect(await waitingForSomebody(point.pond.id)).toEqual([]);
        app.clock.advance(31 * MINUTE);
        await raise(waterCause(point));
        expect(await waitingForSomebody(point.pond.id)).toEqual([]);
        const before = (await app.notifications()).length;
        await raise(waterCause(point, { value: 0.9, severity: 'HIGH' }));
        expect(await waitingForSomebody(point.pond.id)).toEqual([0.9]);
        expect((await app.notifications()).length - before).toBe(1);
      });

      test('whose silenced value is corrected to a worse one is told', async () => {
        const point = await app.controlPoint();
        const typed = waterCause(point);
        await raise(typed);
        const [first] = await app.alerts.queries.alertsOfPond(point.pond.id);
        await call('POST', `/alerts/${first?.id}/acknowledge`);
        await call('POST', `/alerts/${first?.id}/silence`, { minutes: 60, reason: 'known' });
        await call('POST', `/alerts/${first?.id}/shelve`, { minutes: 60, reason: 'known' });
        const before = (await app.notifications()).length;
        const really: AlertCause = { ...typed, value: 0.4, severity: 'HIGH' };
        await app.act(async () => (await app.alerts.alerting.revise(typed.cause, really)) ?? []);
        expect(await waitingForSomebody(point.pond.id)).toEqual([0.4]);
        expect((await app.notifications()).length - before).toBe(1);
      });

      test('of a shelved alarm tells nobody, the next one neither; off the shelf it does', async () => {
        const point = await app.controlPoint();
        await raise(waterCause(point));
        const [first] = await app.alerts.queries.alertsOfPond(point.pond.id);
        await call('POST', `/alerts/${first?.id}/shelve`, { minutes: 1440, reason: 'probe is broken' });
        const before = (await app.notifications()).length;
        await app.act(() => app.alerts.alerting.resolve({ type: 'LOW_OXYGEN', pond_id: point.pond.id }));
        app.clock.advance(MINUTE);
        await raise(waterCause(point));
        const [second] = await app.alerts.queries.alertsOfPond(point.pond.id);
        const during = (await app.notifications()).length - before;
        await call('DELETE', `/alerts/${second?.id}/shelve`);
        app.clock.advance(30 * MINUTE);
        await raise(waterCause(point));
        expect([second?.shelve_reason, during, (await app.notifications()).length - before]).toEqual([
          'probe is broken',
          0,
          1,
        ]);
      });
    });

    describe('the list', () => {
      test('has the four types of the contract; ?include=all has the others', async () => {
        const point = await app.controlPoint();
        const farm = await app.newFarm('Fazenda Norte');
        const elsewhere = await app.controlPoint(farm);
        const types = ['NO_CURRENT', 'DEVICE_OFFLINE', 'COMMAND_NOT_CONFIRMED'] as const;
        for (const type of types) {
          const cause = { ...waterCause(elsewhere, { type }), farm_id: farm.id, pond_id: null };
          await raise({ ...cause, control_point_id: elsewhere.id });
        }
        await raise({ ...waterCause(elsewhere, { type: 'DISK_FULL' }), farm_id: farm.id, pond_id: null });
        const typesOf = async (query: string) =>
          (await app.listed(`?farm_id=${farm.id}${query}`)).map(({ type }) => type).sort();
        expect(await typesOf('')).toEqual(['DEVICE_OFFLINE']);
        expect(await typesOf('&include=all')).toEqual([
          'COMMAND_NOT_CONFIRMED',
          'DEVICE_OFFLINE',
          'DISK_FULL',
          'NO_CURRENT',
        ]);
        expect(await typesOf('&type=NO_CURRENT')).toEqual(['NO_CURRENT']);
        expect(await typesOf('&type=DISK_FULL')).toEqual(['DISK_FULL']);
        expect(await typesOf('&status=RESOLVED')).toEqual([]);
        expect(point.id).not.toBe(elsewhere.id);
      });

      test('comes newest first, in pages, with its count', async () => {
        const farm = await app.newFarm('Fazenda Oeste');
        const point = await app.controlPoint(farm);
        for (const message of ['one', 'two', 'three']) {
          app.clock.advance(1000);
          await call('POST', `/alerts/${point.id}/alerts`, { type: 'POWER_FAILURE', message });
        }
        const messages = async (query: string) =>
          (await app.listed(`?farm_id=${farm.id}${query}`)).map(({ message }) => message);
        expect(await messages('')).toEqual(['three', 'two', 'one']);
        expect(await messages('&skip=1&limit=1')).toEqual(['two']);
        const reply = await call('GET', `/alerts?farm_id=${farm.id}`);
        expect(reply.headers.get('x-total-count')).toBe('3');
      });

      test.each(['?status=GONE', '?type=TSUNAMI', '?include=some', '?limit=0'])(
        'refuses %s',
        async (query) => {
          expect((await call('GET', `/alerts/${query}`)).status).toBe(422);
        },
      );

      test('forgets the alerts of a deleted control point, and raises none on it', async () => {
        const { point } = await anAlert();
        await call('DELETE', `/control-points/${point.id}`);
        await raise({
          ...waterCause(point, { type: 'NO_CURRENT' }),
          pond_id: null,
          control_point_id: point.id,
        });
        const mine = (await app.listed('?include=all')).filter((row) => row.control_point_id === point.id);
        expect(mine).toEqual([]);
      });
    });
  });
});

const blankAnswer = {
  status: 'ACTIVE',
  resolved_at: null,
  resolved_by: null,
  pond_id: null,
  parameter: null,
  value: null,
  threshold: null,
  acknowledged_at: null,
  acknowledged_by: null,
  acknowledged_by_name: null,
  acknowledge_note: null,
  silenced_until: null,
  silenced_by: null,
  silenced_by_name: null,
  silence_reason: null,
  shelved_until: null,
  shelved_by: null,
  shelved_by_name: null,
  shelve_reason: null,
  clock_quality: 'trusted',
  updated_at: null,
};
