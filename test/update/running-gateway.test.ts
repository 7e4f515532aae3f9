import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { alert } from '#contract/resources/alerts.ts';
import type { AlertType } from '#contract/words.ts';
import { insert, update } from '#core/changes.ts';
import { type App, startApp } from '#test/app.ts';
import { aFarm, alertRow } from '#test/farm-rows.ts';
import { wireUpdate } from '../../gateway/compose-update.ts';
import { readState, writeState } from '../../gateway/update/update-folder.ts';
import { began, NO_UPDATE, staged } from '../../gateway/update/update-state.ts';
import { aFolder, aSigner, removeFolders, tinyUpdate } from './tiny-program.ts';

afterAll(removeFolders);

// What a gateway that runs does about updates: takes them up, waits while animals are in danger, tells how one ended.

const signer = aSigner();
let app: App;
let farm: Awaited<ReturnType<typeof aFarm>>;
let token: string;
let restarts: number;
beforeEach(async () => {
  app = await startApp();
  const owner = await app.signUp();
  ({ token } = await app.signUp({ role: 'ADMIN' }));
  farm = await aFarm(app.kernel, owner.user.id, {});
  restarts = 0;
});
afterEach(() => app.close());

function wired() {
  const updateKeys = join(app.config.data, 'keys.pem');
  writeFileSync(updateKeys, signer.pem);
  const restart = () => void (restarts += 1);
  return wireUpdate({ ...app, config: { ...app.config, updateKeys }, restart });
}

async function anAlert(type: AlertType): Promise<string> {
  const id = app.kernel.newId();
  const row = { ...alertRow({ id, farm_id: farm.farm, control_point_id: farm.control_point }), type };
  await app.kernel.commit({ changes: [insert(alert, row)], actor: null });
  return id;
}

describe('an update that lies ready', () => {
  const ready = () => writeState(app.config.data, staged(began(NO_UPDATE, '9.0.0'), '9.0.0', 40_000));

  test('is switched to at once in a calm moment, by a restart', async () => {
    await ready();
    await wired().look?.();
    expect([restarts, (await readState(app.config.data)).step.at]).toEqual([1, 'trial']);
  });

  test.each(['LOW_OXYGEN', 'POWER_FAILURE', 'LOW_OXYGEN_FORECAST'] as const)(
    'waits while %s is active',
    async (type) => {
      await ready();
      const id = await anAlert(type);
      const { look } = wired();
      await look?.();
      expect([restarts, (await readState(app.config.data)).step.at]).toEqual([0, 'staged']);
      await app.kernel.commit({ changes: [update(alert, id, { status: 'RESOLVED' })], actor: null });
      await look?.();
      expect(restarts).toBe(1);
    },
  );

  test('does not wait for a controller that is silent for weeks', async () => {
    await ready();
    await anAlert('DEVICE_OFFLINE');
    await wired().look?.();
    expect(restarts).toBe(1);
  });
});

test('people of the farm are told once how an update ended', async () => {
  const last = {
    result: 'rolled_back',
    version: '9.0.0',
    detail: 'it hung',
    at: '2026-03-02T12:00:00.000Z',
  } as const;
  await writeState(app.config.data, { ...NO_UPDATE, last });
  await wired().look?.();
  await wired().look?.();
  const rows = await app.database.read.selectFrom('notifications').select(['title', 'data']).execute();
  const told = rows.filter(({ data }) => String(data).includes('"rolled_back"'));
  expect(told.map(({ title }) => title)).toEqual(['O gateway não foi atualizado']);
});

test('over HTTP an update is refused with its reason before anything begins', async () => {
  const stick = aFolder('stick');
  const route = wired().routes.find(({ method }) => method === 'POST');
  const ask = (from: string) => route?.handle({ body: { from } } as never);
  await tinyUpdate({ to: stick, version: '9.0.0', signer: aSigner() });
  await expect(ask(stick)).rejects.toMatchObject({ status: 409, extras: { code: 'UNSIGNED' } });
  await tinyUpdate({ to: stick, version: '9.0.1', signer });
  await anAlert('LOW_OXYGEN');
  await expect(ask(stick)).rejects.toMatchObject({ status: 409, extras: { code: 'OXYGEN_ALARM' } });
  await expect(ask('http://farm.example/x')).rejects.toMatchObject({ extras: { code: 'INSECURE_SOURCE' } });
  expect(await readState(app.config.data)).toEqual(NO_UPDATE);
});

test('a program that was not installed as a package says so', async () => {
  const answer = await app.call('POST', '/system/update', { token, body: { from: '/mnt/stick' } });
  expect([answer.status, answer.body]).toMatchObject([409, { code: 'NOT_MANAGED' }]);
  const state = await app.call('GET', '/system/update', { token });
  expect(state.body).toMatchObject({ is_managed: false, step: 'rest', last: null });
});
