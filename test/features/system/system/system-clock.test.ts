import { expect, it } from 'vitest';
import { type App, aControlPoint, aFarmWith, body, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { watch } from '../../../adapters/http/watch.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

onBothEngines('the clock of an instance', (_open, engine) => {
  async function withFarm(run: (app: App, token: string, farmId: string) => Promise<void>): Promise<void> {
    const app = await startApp(engine);
    try {
      const { token, farmId } = await aFarmWith(app);
      await run(app, token, farmId);
    } finally {
      await app.close();
    }
  }
  const shown = (app: App, token: string) => app.call('GET', '/system/clock', { token });
  const set = (app: App, token: string, input: unknown) =>
    app.call('POST', '/system/clock', { token, body: input });

  it('is shown to everybody who is signed in, with the reason to trust it', () =>
    withFarm(async (app, token) => {
      expect(body(await shown(app, token))).toEqual({
        quality: 'trusted',
        reason: 'plausible',
        server_time: new Date(app.clock.now()).toISOString(),
        correction_s: 0,
      });
      expect((await app.call('GET', '/system/clock')).status).toBe(401);
    }));

  it('that jumped goes on untrusted, says so everywhere, and is trusted again when a person confirms it', () =>
    withFarm(async (app, token, farmId) => {
      const point = await aControlPoint(app, { token, farmId });
      const stream = await watch(`${app.base}/api/v1/events`, token);
      await stream.next('snapshot');
      app.stepWallClock(56 * 365 * DAY);
      expect(body(await shown(app, token))).toMatchObject({
        quality: 'estimated',
        reason: 'stepped',
        server_time: new Date(app.clock.now()).toISOString(),
      });
      const ready = (await (await fetch(`${app.base}/readyz`)).json()) as { checks: Record<string, unknown> };
      expect(ready.checks['clock']).toEqual({ ok: false, detail: 'stepped' });
      await app.watches.tick();
      app.clock.advance(121_000);
      await app.watches.tick();
      const alerts = async () => (await app.call('GET', '/alerts/?include=all', { token })).body;
      expect(await alerts()).toMatchObject([
        {
          type: 'CLOCK_UNTRUSTED',
          status: 'ACTIVE',
          // which motors are held meanwhile, and how
          message: expect.stringContaining(
            `Até lá: mantidos como as regras queriam por último: ${point.cod} desligado.`,
          ),
        },
      ]);

      const confirmed = await set(app, token, { reason: 'read off my watch' });
      expect(confirmed.status).toBe(200);
      expect(body(confirmed)).toMatchObject({ quality: 'trusted', reason: 'set_by_operator' });
      await stream.next('clock', 1);
      stream.close();
      expect(stream.heard.filter(({ name }) => name === 'clock').map(({ data }) => data)).toMatchObject([
        { quality: 'estimated', detail: 'stepped' },
        { quality: 'trusted', detail: 'set_by_operator' },
      ]);
      app.lookAtClock();
      expect(body(await shown(app, token))).toMatchObject({ quality: 'trusted', reason: 'set_by_operator' });
      await app.watches.tick();
      expect(await alerts()).toEqual([]);
      expect(app.sentences.map(({ sentence }) => sentence)).toContain('a person set or confirmed the time');
    }));

  it('follows a time that a person sets, and schedules follow it', () =>
    withFarm(async (app, token, farmId) => {
      const point = await aControlPoint(app, { token, farmId });
      const start_time = new Date(app.clock.now() + HOUR).toISOString();
      await app.call('POST', `/control-points/${point.id}/schedules`, {
        token,
        body: { action: 'ON', start_time },
      });
      const server_time = new Date(app.clock.now() + 2 * HOUR).toISOString();
      expect(body(await set(app, token, { server_time }))).toMatchObject({
        server_time,
        correction_s: 7_200,
      });
      await app.control.executor.tick();
      const after = await app.call('GET', `/control-points/${point.id}`, { token });
      expect(body(after)).toMatchObject({ target_status: 'ON', target_origin: 'SCHEDULE' });
    }));

  it('steps over more than a day only for a person who saw the time it replaces', () =>
    withFarm(async (app, token, farmId) => {
      await aControlPoint(app, { token, farmId });
      const server_time = new Date(app.clock.now() + 3 * DAY).toISOString();
      const before = body(await shown(app, token));
      const blind = await set(app, token, { server_time });
      expect(blind.status).toBe(422);
      expect(body(blind)['detail']).toMatch(/step of 3 days/);
      expect(body(await shown(app, token))).toEqual(before);
      const seen = await set(app, token, { server_time, replaces: before['server_time'] });
      expect(body(seen)).toMatchObject({ server_time });
    }));

  it('is not confirmed by a body whose field is misspelt: it names the known ones, and changes nothing', () =>
    withFarm(async (app, token, farmId) => {
      await aControlPoint(app, { token, farmId });
      app.stepWallClock(10 * 365 * DAY);
      const before = body(await shown(app, token));
      expect(before).toMatchObject({ quality: 'estimated' });
      const right = new Date(app.clock.now()).toISOString();
      for (const input of [{ time: right }, { serverTime: right, reason: 'read off my watch' }]) {
        const answer = await set(app, token, input);
        expect(answer.status).toBe(422);
        expect(body(answer)).toMatchObject({
          detail: expect.stringMatching(/no such field here; known are server_time, replaces, reason$/),
          code: 'VALIDATION_ERROR',
          errors: [{ path: Object.keys(input)[0], code: 'UNKNOWN_FIELD' }],
        });
      }
      expect(body(await shown(app, token))).toMatchObject({ quality: 'estimated', reason: 'stepped' });
      // with the time itself, what nobody knows is ignored
      expect((await set(app, token, { server_time: right, colour: 'blue' })).status).toBe(200);
    }));

  it('is set by who owns the box, whatever farm of a neighbour it drives, and by no neighbour', () =>
    withFarm(async (app, token, farmId) => {
      await aControlPoint(app, { token, farmId });
      expect((await set(app, token, {})).status).toBe(200);
      const neighbour = await aFarmWith(app);
      expect((await set(app, neighbour.token, {})).status).toBe(403);
      await aControlPoint(app, neighbour);
      const before = body(await shown(app, token));
      expect((await set(app, neighbour.token, {})).status).toBe(403);
      expect(body(await shown(app, token))).toEqual(before);
      expect((await set(app, token, {})).status).toBe(200);
    }));

  it('is set by ADMINs, and not by those who operate nothing', () =>
    withFarm(async (app) => {
      const stranger = await app.signUp();
      const admin = await app.signUp({ role: 'ADMIN' });
      expect((await set(app, stranger.token, {})).status).toBe(403);
      expect(body(await shown(app, stranger.token))).toMatchObject({ reason: 'plausible' });
      expect((await set(app, admin.token, {})).status).toBe(200);
    }));
});
