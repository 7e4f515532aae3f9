import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { syncFarm } from '#contract/resources/sync-tables.ts';
import { purge } from '#core/changes.ts';
import { isoOf } from '#core/kernel.ts';
import { type App, aFarmWith, startApp, startAppBeside } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { describeOnPostgres } from '#test/postgres.ts';
import { aBoundFarm, remoteOf } from '../../features/control/commands/a-bound-farm.ts';
import { watch } from './watch.ts';

const MINUTE = 60_000;
const open: { close: () => void }[] = [];
afterEach(() => {
  for (const viewer of open.splice(0)) viewer.close();
});

async function view({ base }: App, token: string) {
  const viewer = await watch(`${base}/api/v1/events`, token);
  open.push(viewer);
  return viewer;
}
const gatewaysIn = (event: { data: Record<string, unknown> }) => event.data['gateways'];
const later = () => new Promise((resolve) => setTimeout(resolve, 50));

onBothEngines('who watches a farm through the hosted instance', (_open, engine) => {
  let app: App;
  beforeAll(async () => {
    app = await startApp(engine, ['--role', 'hosted']);
  });
  afterAll(() => app.close());

  test('knows with the first word whether its gateway is there, and hears when it falls silent and is back', async () => {
    const { token, farmId, streamId } = await aBoundFarm(app);
    remoteOf(app).parts.connected(streamId, true);
    const viewer = await view(app, token);
    const there = { farm_id: farmId, has_gateway: true, silent_since: null };
    expect(gatewaysIn(await viewer.next('snapshot'))).toEqual([there]);

    const heardAt = app.clock.now();
    remoteOf(app).parts.connected(streamId, false);
    app.clock.advance(3_000);
    app.tellGateways();
    const silent = { ...there, silent_since: isoOf(heardAt) };
    expect((await viewer.next('gateway')).data).toEqual(silent);
    const late = await view(app, token);
    expect(gatewaysIn(await late.next('snapshot'))).toEqual([silent]);

    app.clock.advance(20 * MINUTE);
    remoteOf(app).parts.connected(streamId, true);
    app.tellGateways();
    expect((await viewer.next('gateway', 1)).data).toEqual(there);
  });

  test('is not told again and again what has not changed', async () => {
    const { token, streamId } = await aBoundFarm(app);
    remoteOf(app).parts.connected(streamId, true);
    const viewer = await view(app, token);
    await viewer.next('snapshot');
    remoteOf(app).parts.connected(streamId, false);
    for (let look = 0; look < 30; look += 1) {
      app.clock.advance(2_000);
      app.tellGateways();
    }
    await viewer.next('gateway');
    await later();
    expect(viewer.names()).toEqual(['snapshot', 'gateway']);
  });

  test('hears it at once when another viewer’s first word says otherwise', async () => {
    const { token, streamId } = await aBoundFarm(app);
    remoteOf(app).parts.connected(streamId, true);
    const viewer = await view(app, token);
    await viewer.next('snapshot');
    remoteOf(app).parts.connected(streamId, false);
    await (await view(app, token)).next('snapshot');
    // the gateway was away for less than between two looks
    remoteOf(app).parts.connected(streamId, true);
    app.tellGateways();
    expect((await viewer.next('gateway', 1)).data).toMatchObject({ silent_since: null });
  });

  test('hears that no gateway runs it any more, and nothing of gateways where there is none', async () => {
    const { token, farmId, streamId } = await aBoundFarm(app);
    remoteOf(app).parts.connected(streamId, true);
    const viewer = await view(app, token);
    await viewer.next('snapshot');
    await app.kernel.commit({ actor: null, changes: [purge(syncFarm, farmId)] });
    app.tellGateways();
    expect((await viewer.next('gateway')).data).toEqual({
      farm_id: farmId,
      has_gateway: false,
      silent_since: null,
    });

    const alone = await aFarmWith(app);
    const other = await view(app, alone.token);
    expect(gatewaysIn(await other.next('snapshot'))).toEqual([]);
    app.tellGateways();
    await later();
    expect(other.names()).toEqual(['snapshot']);
  });
});

describeOnPostgres('two processes of a hosted instance', () => {
  let here: App;
  let there: App;
  beforeAll(async () => {
    here = await startApp('postgres', ['--role', 'hosted']);
    there = await startAppBeside(here, ['--role', 'hosted']);
  });
  afterAll(async () => {
    await there.close();
    await here.close();
  });

  /** What another process said comes over a real connection, so it takes real time. */
  const toldBy = async (viewer: Awaited<ReturnType<typeof watch>>, wanted: Record<string, unknown>) => {
    // the test's own time limit is the bound
    while (!viewer.names().includes('gateway')) {
      there.tellGateways();
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect((await viewer.next('gateway')).data).toMatchObject(wanted);
  };
  async function watchedThere() {
    const farm = await aBoundFarm(here);
    remoteOf(here).parts.connected(farm.streamId, true);
    await expect.poll(() => there.remote?.gateways.silentSince(farm.farmId)).toBeNull();
    const viewer = await view(there, farm.token);
    expect(gatewaysIn(await viewer.next('snapshot'))).toMatchObject([{ silent_since: null }]);
    return { ...farm, viewer };
  }

  test('who listens to the one hears of a gateway that speaks to the other', async () => {
    const { streamId, farmId, viewer } = await watchedThere();
    remoteOf(here).parts.connected(streamId, false);
    await toldBy(viewer, { farm_id: farmId, silent_since: isoOf(there.clock.now()) });
  });

  test('who listens to the one hears of the silence when the other is dead', async () => {
    const { farmId, viewer } = await watchedThere();
    const heardAt = there.clock.now();
    // nothing comes from there any more, not even that the line is cut
    there.clock.advance(61_000);
    await toldBy(viewer, { farm_id: farmId, silent_since: isoOf(heardAt) });
  });
});

test('a gateway says with the first word how it stands with the cloud', async () => {
  const gateway = await startApp();
  const { token } = await gateway.signUp();
  const viewer = await view(gateway, token);
  const { data } = await viewer.next('snapshot');
  expect(data).toMatchObject({ gateways: [], sync: { state: 'unpaired' } });
  await gateway.close();
});
