import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { alert } from '#contract/resources/alerts.ts';
import { presence } from '#contract/resources/local-tables.ts';
import type { AlertType } from '#contract/words.ts';
import { insert, put, update } from '#core/changes.ts';
import { createUpdates } from '#operations/staging/running-updates.ts';
import { beforePackage } from '#operations/staging/stage-deps.ts';
import { farmNow, vitalOf } from '#operations/staging/vital-signs.ts';
import { lockUpdates, readState, writeState } from '#operations/update/update-folder.ts';
import { type Before, began, fetching, NO_UPDATE, staged } from '#operations/update/update-state.ts';
import { type App, aControlPoint, type SignedUp, startApp } from '#test/app.ts';
import { aFarm, alertRow } from '#test/farm-rows.ts';
import { aFolder, aSigner, removeFolders, tinyUpdate } from './tiny-program.ts';

afterAll(removeFolders);

// What a gateway that runs does about updates: takes them up, waits while animals are in danger, tells how one ended.

const signer = aSigner();
let app: App;
let farm: Awaited<ReturnType<typeof aFarm>>;
let owner: SignedUp;
let token: string;
let restarts: number;
beforeEach(async () => {
  app = await startApp();
  owner = await app.signUp();
  ({ token } = await app.signUp({ role: 'ADMIN' }));
  farm = await aFarm(app.kernel, owner.user.id, {});
  restarts = 0;
});
afterEach(() => app.close());

function wired() {
  const updateKeys = join(app.config.data, 'keys.pem');
  writeFileSync(updateKeys, signer.pem);
  const restart = () => void (restarts += 1);
  const { look, ...update } = createUpdates({ ...app, config: { ...app.config, updateKeys }, restart });
  return { ...update, look: () => look?.(() => FARM) };
}

const FARM = { online: ['a control point'], secured: ['https'] };

async function anAlert(type: AlertType): Promise<string> {
  const id = app.kernel.newId();
  const row = { ...alertRow({ id, farm_id: farm.farm, control_point_id: farm.control_point }), type };
  await app.kernel.commit({ changes: [insert(alert, row)], actor: null });
  return id;
}

describe('an update that lies ready', () => {
  const ready = () => writeState(app.config.data, staged(began(NO_UPDATE, '9.0.0'), '9.0.0', 40_000));

  test('is switched to at once in a calm moment, by a restart; how the farm stands is noted for it', async () => {
    await ready();
    await wired().look();
    const { step, farm } = await readState(app.config.data);
    expect([restarts, step.at, farm]).toEqual([1, 'trial', FARM]);
  });

  test.each(['LOW_OXYGEN', 'POWER_FAILURE', 'LOW_OXYGEN_FORECAST'] as const)(
    'waits while %s is active',
    async (type) => {
      await ready();
      const id = await anAlert(type);
      const { look } = wired();
      await look();
      expect([restarts, (await readState(app.config.data)).step.at]).toEqual([0, 'staged']);
      await app.kernel.commit({ changes: [update(alert, id, { status: 'RESOLVED' })], actor: null });
      await look();
      expect(restarts).toBe(1);
    },
  );

  test('does not wait for a controller that is silent for weeks', async () => {
    await ready();
    await anAlert('DEVICE_OFFLINE');
    await wired().look();
    expect(restarts).toBe(1);
  });
});

describe('a package that somebody unpacks over the program', () => {
  const NOW = Date.UTC(2026, 2, 2, 12);
  const lines: string[] = [];
  const before = (isForced = false) =>
    beforePackage({ config: app.config, now: () => NOW, print: (line) => lines.push(line) }, isForced);
  const snapshots = () => {
    const folder = join(app.config.data, 'snapshots');
    return existsSync(folder) ? readdirSync(folder) : [];
  };

  test('waits while the oxygen is low; whoever forces it is told, and has the snapshot all the same', async () => {
    await anAlert('LOW_OXYGEN');
    await expect(before()).rejects.toMatchObject({ code: 'OXYGEN_ALARM' });
    expect([snapshots(), await readState(app.config.data)]).toEqual([[], NO_UPDATE]);
    await before(true);
    expect(lines.join('\n')).toContain('OXYGEN_ALARM');
    expect(snapshots()).toEqual([expect.stringContaining('.snapshot')]);
  });

  test('waits while another update is under way', async () => {
    const unlock = await lockUpdates(app.config.data);
    await expect(before()).rejects.toMatchObject({ code: 'ALREADY_RUNNING' });
    await unlock?.();
  });

  test('finds noted which controllers were heard in the last minute', async () => {
    const heard = (id: string, secondsAgo: number) =>
      put(presence, { id, heard_at_ms: NOW - secondsAgo * 1_000, consumption: 0 });
    await app.kernel.commit({ changes: [heard(farm.control_point, 40), heard('gone', 600)], actor: null });
    await before();
    expect((await readState(app.config.data)).farm).toEqual({ online: [farm.control_point], secured: [] });
  });

  test('leaves a note of updates that cannot be read as it is, for it says what runs, and has its snapshot all the same', async () => {
    const note = join(app.config.data, 'update', 'state.json');
    // no file can be read there
    mkdirSync(note, { recursive: true });
    await before();
    expect([statSync(note).isDirectory(), snapshots()]).toEqual([
      true,
      [expect.stringContaining('.snapshot')],
    ]);
    // one that makes no sense says nothing
    rmSync(note, { recursive: true });
    writeFileSync(note, 'nonsense');
    await before();
    expect((await readState(app.config.data)).farm).toEqual({ online: [], secured: [] });
  });

  test('needs nothing where there is no farm yet', async () => {
    const data = aFolder('empty');
    await beforePackage({ config: { ...app.config, data }, now: () => NOW, print: () => undefined }, false);
    expect(readdirSync(data)).toEqual([]);
  });
});

describe('what a version that is tried is judged by', () => {
  const PORTS = { https: 8443, mqtts: null };
  const judged = (before: Before | null) =>
    vitalOf({ instance: app, broker: null, ticks: () => 7, ports: () => PORTS }, before);
  const reports = (deviceId: string) =>
    app.call('POST', '/devices/heartbeat', { body: { device_id: deviceId, current_status: 'ON' } });

  test('the controllers that were here before, those of them that came, and the ports that were open', async () => {
    const { id, device_id } = await aControlPoint(app, { token: owner.token, farmId: farm.farm });
    const before = { online: [id, farm.control_point, 'deleted meanwhile'], secured: ['https', 'mqtts'] };
    expect(await judged(before)).toEqual({
      isReady: true,
      controlTicks: 7,
      brokerOk: true,
      controllers: { awaited: 2, reached: 0 },
      closedPorts: ['mqtts'],
      isSyncKnown: null,
    });
    expect((await reports(device_id)).status).toBe(200);
    expect((await judged(before)).controllers).toEqual({ awaited: 2, reached: 1 });
    // and that one is what the next version will be asked for
    expect(farmNow(app, app.config, PORTS)).toEqual({ online: [id], secured: ['https'] });
    expect(farmNow(app, { ...app.config, pollIntervalS: 60 }, PORTS).online).toEqual([]);
  });

  test('nothing of the farm where nobody noted how it stood', async () => {
    expect(await judged(null)).toMatchObject({ controllers: { awaited: 0, reached: 0 }, closedPorts: [] });
  });
});

test('people of the farm are told once how an update ended', async () => {
  const last = {
    result: 'rolled_back',
    version: '9.0.0',
    code: null,
    detail: 'it hung',
    at: '2026-03-02T12:00:00.000Z',
  } as const;
  await writeState(app.config.data, { ...NO_UPDATE, last });
  await wired().look();
  await wired().look();
  const rows = await app.database.read.selectFrom('notifications').select(['title', 'data']).execute();
  const told = rows.filter(({ data }) => String(data).includes('"rolled_back"'));
  expect(told.map(({ title }) => title)).toEqual(['O gateway não foi atualizado']);
});

test('an update whose process was killed is over, and says so', async () => {
  await writeState(app.config.data, fetching(NO_UPDATE));
  const { look } = wired();
  await look();
  await look();
  const { body } = await app.call('GET', '/system/update', { token });
  expect(body).toMatchObject({
    step: 'rest',
    target_version: null,
    last: { result: 'interrupted', version: '' },
  });
  const rows = await app.database.read.selectFrom('notifications').select(['message', 'data']).execute();
  expect(
    rows.filter(({ data }) => String(data).includes('"interrupted"')).map(({ message }) => message),
  ).toEqual([expect.stringMatching(/^A atualização não foi feita: /)]);
});

test('over HTTP an update is refused with its reason before anything begins', async () => {
  const stick = aFolder('stick');
  const route = wired().routes.find(({ method }) => method === 'POST');
  const ask = (from: string) => route?.handle({ body: { from } } as never, undefined as never);
  await tinyUpdate({ to: stick, version: '9.0.0', signer: aSigner() });
  await expect(ask(stick)).rejects.toMatchObject({ status: 409, extras: { code: 'UNSIGNED' } });
  await tinyUpdate({ to: stick, version: '9.0.1', signer });
  await anAlert('LOW_OXYGEN');
  await expect(ask(stick)).rejects.toMatchObject({ status: 409, extras: { code: 'OXYGEN_ALARM' } });
  await expect(ask('http://farm.example/x')).rejects.toMatchObject({ extras: { code: 'INSECURE_SOURCE' } });
  await expect(ask('hosted')).rejects.toMatchObject({ status: 409, extras: { code: 'NOT_PAIRED' } });
  expect(await readState(app.config.data)).toEqual(NO_UPDATE);
});

test('a program that was not installed as a package says so', async () => {
  const answer = await app.call('POST', '/system/update', { token, body: { from: '/mnt/stick' } });
  expect([answer.status, answer.body]).toMatchObject([409, { code: 'NOT_MANAGED' }]);
  const state = await app.call('GET', '/system/update', { token });
  expect(state.body).toMatchObject({ is_managed: false, step: 'rest', last: null });
});
