import { afterAll, beforeAll, expect, it } from 'vitest';
import { pairedGateway } from '#contract/resources/sync-tables.ts';
import { update } from '#core/changes.ts';
import { isoOf } from '#core/kernel.ts';
import { type App, startApp, startAppBeside } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { aBoundFarm, remoteOf } from './a-bound-farm.ts';

type Json = Record<string, unknown>;
const MINUTE = 60_000;

onBothEngines('a gateway that falls silent', (_open, engine) => {
  let apps: App[];
  let app: App;
  beforeAll(async () => {
    app = await startApp(engine, ['--role', 'hosted']);
    apps = engine === 'postgres' ? [app, await startAppBeside(app, ['--role', 'hosted'])] : [app];
  });
  afterAll(async () => {
    for (const each of apps.toReversed()) await each.close();
  });

  async function pass(minutes: number, { seen }: { seen?: number } = {}): Promise<void> {
    for (let minute = 0; minute < minutes; minute += 1) {
      for (const each of apps) each.clock.advance(MINUTE);
      if (seen !== undefined) remoteOf(app).parts.connected(seen, true);
      await Promise.all(apps.map((each) => remoteOf(each).work.links()));
      await Promise.all(apps.map((each) => remoteOf(each).work.silence()));
    }
    if (seen !== undefined) remoteOf(app).parts.connected(seen, false);
  }
  const alerts = async (token: string) =>
    ((await app.call('GET', '/alerts/?include=all', { token })).body as Json[]).filter(
      ({ type }) => type === 'GATEWAY_OFFLINE',
    );
  const told = async (token: string) => {
    const { body } = await app.call('GET', '/notifications/', { token });
    const text = JSON.stringify(body);
    return {
      silent: text.split('sem comunicação há').length - 1,
      back: text.split('voltou depois').length - 1,
    };
  };

  it('is told once within ten minutes, and when it is back', async () => {
    const { token, streamId } = await aBoundFarm(app);
    await pass(10, { seen: streamId });
    expect(await alerts(token)).toEqual([]);
    await pass(9);
    expect(await alerts(token)).toHaveLength(1);
    expect(await told(token)).toMatchObject({ silent: 1, back: 0 });
    await pass(60);
    expect(await told(token)).toMatchObject({ silent: 1, back: 0 });
    await pass(2, { seen: streamId });
    expect(await alerts(token)).toEqual([]);
    expect(await told(token)).toMatchObject({ silent: 1, back: 1 });
    // and again, when it happens again
    await pass(9);
    expect(await told(token)).toMatchObject({ silent: 2, back: 1 });
  });

  it('is not blamed for what this instance did not hear while it stood still itself', async () => {
    const { token, streamId } = await aBoundFarm(app);
    await pass(10, { seen: streamId });
    const from = app.clock.now();
    for (const each of apps) each.standStill(12 * MINUTE);
    await Promise.all(apps.map((each) => remoteOf(each).work.silence()));
    expect(app.clock.now() - from).toBe(12 * MINUTE);
    expect(await alerts(token)).toEqual([]);
    await pass(4, { seen: streamId });
    expect(await alerts(token)).toEqual([]);
    // one that does not come back is missed all the same
    await pass(9);
    expect(await alerts(token)).toHaveLength(1);
  });

  it('is no news while an outage was announced, and is when it lasts longer', async () => {
    const { token, gatewayId } = await aBoundFarm(app);
    const outage_until = isoOf(app.clock.now() + 60 * MINUTE);
    await app.kernel.commit({ actor: null, changes: [update(pairedGateway, gatewayId, { outage_until })] });
    await pass(55);
    expect(await told(token)).toEqual({ silent: 0, back: 0 });
    await pass(10);
    expect(await told(token)).toMatchObject({ silent: 1 });
  });

  it('is missed no longer when it was unpaired', async () => {
    const { token, gatewayId } = await aBoundFarm(app);
    await pass(9);
    expect(await alerts(token)).toHaveLength(1);
    await app.kernel.commit({
      actor: null,
      changes: [update(pairedGateway, gatewayId, { status: 'revoked' })],
    });
    await pass(1);
    expect(await alerts(token)).toEqual([]);
    expect(await told(token)).toMatchObject({ back: 0 });
  });
});
