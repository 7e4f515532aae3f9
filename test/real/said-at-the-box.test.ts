import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeOnPostgres, freshDatabase, type TestDatabase } from '#test/postgres.ts';
import { MAIN_FILE } from '../../scripts/built-program.ts';
import { pairGateway } from '../../scripts/hosted/pair-gateway.ts';
import { startFarm } from './a-farm.ts';
import { startMotor } from './mqtt-motor.ts';
import { type StartedGateway, startGateway, until } from './started-gateway.ts';

// What a person says at the command line of the box is done by a process of its own. The program that runs hears of it
// although nobody tells it, within seconds and not at its next start.

const HEARD_WITHIN_MS = 30_000;

describeOnPostgres('a running gateway', () => {
  let database: TestDatabase;
  let hosted: StartedGateway;
  beforeAll(async () => {
    database = await freshDatabase();
    hosted = await startGateway({
      args: ['--role', 'hosted', '--database-url', database.url, '--rate-limits', 'no'],
    });
  });
  afterAll(async () => {
    await hosted?.close();
    await database?.drop();
  });

  it.concurrent('syncs once it was paired, and no more once it was unpaired, by the command line alone', async () => {
    const farm = await startFarm();
    try {
      const linkState = async () => (await farm.get('/sync/status'))['state'];
      // it looks, too: standing still, it cannot be the one that completes the pairing
      farm.freeze();
      const login = { email: `dona-${randomUUID()}@nuvem.example`, password: `lagoa-${randomUUID()}` };
      await hosted.call('POST', '/auth/register', { body: { ...login, name: 'Dona', role: 'OWNER' } });
      const answer = await hosted.call('POST', '/auth/login', { body: login });
      const ownerToken = String((answer.body as { access_token: unknown }).access_token);
      await pairGateway({ data: farm.data, link: hosted.http, hosted: hosted.http, ownerToken });
      farm.thaw();
      await until(linkState, (state) => state === 'connected', HEARD_WITHIN_MS);
      expect(await atTheBox(farm.data, 'pair', '--unpair')).toBe(0);
      await until(linkState, (state) => state === 'unpaired', HEARD_WITHIN_MS);
    } finally {
      await farm.close();
    }
  });
});

it('lets go of the controllers of a farm that was deleted with its owner, and says so once', async () => {
  const farm = await startFarm();
  try {
    const point = await farm.point();
    const motor = await startMotor(farm, point, await farm.key(point));
    const refusals: string[] = [];
    motor.client.on('error', (error) => void refusals.push(error.message));
    const linesBefore = farm.lines.length;
    expect(
      await atTheBox(farm.data, 'admin', 'delete-user', '--email', 'ana@fazenda.example', '--force'),
    ).toBe(0);
    await until(
      () => refusals.length,
      (count) => count > 0,
      HEARD_WITHIN_MS,
    );
    expect(motor.client.connected).toBe(false);
    expect(farm.lines.length - linesBefore).toBeLessThan(10);
    await motor.stop();
  } finally {
    await farm.close();
  }
});

async function atTheBox(data: string, ...args: string[]): Promise<number | null> {
  const child = spawn(process.execPath, [MAIN_FILE, ...args, '--data', data], { stdio: 'ignore' });
  await once(child, 'close');
  return child.exitCode;
}
