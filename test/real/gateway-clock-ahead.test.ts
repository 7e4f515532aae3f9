import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readHlc } from '#store/hlc.ts';
import { pairGateway } from '../../scripts/hosted/pair-gateway.ts';
import { type Json, type RealFarm, startFarm } from './a-farm.ts';
import { canMoveClocks, type StartedGateway, startGateway, until } from './started-gateway.ts';

// A box whose battery clock was set three years ahead: nothing at the farm speaks against it.

const THREE_YEARS_S = 3 * 365 * 86_400;
const MINUTES_MS = 10 * 60_000;

describe.skipIf(!canMoveClocks)('a gateway whose clock is three years ahead', () => {
  let hosted: StartedGateway;
  let farm: RealFarm;
  beforeAll(async () => {
    hosted = await startGateway({ args: ['--role', 'hosted', '--rate-limits', 'no'] });
    farm = await startFarm({ clockAheadS: THREE_YEARS_S });
  });
  afterAll(async () => {
    await farm?.close();
    await hosted?.close();
  });

  /** The newest stamp of a row on the card or in the database of the hosted instance, ms. */
  function newestStamp(data: string, id: string): number {
    const database = new BetterSqlite(join(data, 'farm.db'), { readonly: true });
    try {
      const row = database.prepare('select hlc, over_json from sync_register where id = ?').get(id) as {
        hlc: string;
        over_json: string;
      };
      const stamps = [row.hlc, ...(Object.values(JSON.parse(row.over_json || '{}')) as string[])];
      return Math.max(...stamps.filter((stamp) => stamp !== '').map((stamp) => readHlc(stamp).ms));
    } finally {
      database.close();
    }
  }

  it('says so with its first contact, is stamped anew, and nobody’s later edit loses against it', {
    timeout: 300_000,
  }, async () => {
    const login = { email: `dona-${randomUUID()}@nuvem.example`, password: `lagoa-${randomUUID()}` };
    await hosted.call('POST', '/auth/register', { body: { ...login, name: 'Dona', role: 'OWNER' } });
    const session = await hosted.call('POST', '/auth/login', { body: login });
    const token = String((session.body as Json)['access_token']);
    // made alone, long before anybody could tell it the time
    const { pond_id: pond } = await farm.point();
    await farm.put(`/ponds/${pond}`, { cod: 'do futuro' });
    expect(newestStamp(farm.data, pond)).toBeGreaterThan(Date.now() + 2 * 365 * 86_400_000);
    expect((await farm.get('/system/clock'))['quality']).toBe('trusted');
    await pairGateway({ data: farm.data, link: hosted.http, hosted: hosted.http, ownerToken: token });

    const cods = async () => [
      (await farm.get(`/ponds/${pond}`))['cod'],
      ((await hosted.call('GET', `/ponds/${pond}`, { token })).body as Json)['cod'],
    ];
    await until(cods, ([, there]) => there === 'do futuro', 120_000);
    const warned = farm.lines.findIndex((line) => line.includes('are apart'));
    expect(warned).toBeGreaterThan(-1);
    const told = async () => JSON.stringify((await farm.ask('GET', '/notifications/')).body);
    expect(await until(told, (text) => text.includes('clock_apart'))).toContain('3 anos à frente');
    const status = await farm.get('/sync/status');
    expect((status['clock'] as Json)['ahead_of_hosted_ms']).toBeGreaterThan(2 * 365 * 86_400_000);

    // brought back on both sides: the years are gone from the stamps, and what is edited later in the cloud stands
    await until(
      () => Math.max(newestStamp(farm.data, pond), newestStamp(hosted.data, pond)),
      (stamp) => stamp < Date.now() + MINUTES_MS,
      120_000,
    );
    await hosted.call('PUT', `/ponds/${pond}`, { token, body: { cod: 'da nuvem' } });
    await until(cods, (both) => both.every((cod) => cod === 'da nuvem'), 120_000);
    // and so does what is edited after that at the farm, whose clock is wrong still
    await farm.put(`/ponds/${pond}`, { cod: 'da fazenda' });
    await until(cods, (both) => both.every((cod) => cod === 'da fazenda'), 120_000);
    await until(
      () => newestStamp(hosted.data, pond),
      (stamp) => stamp < Date.now() + MINUTES_MS,
    );

    // a person sets the time: both agree again, and edits go both ways
    const shown = String((await farm.get('/system/clock'))['server_time']);
    await farm.post('/system/clock', { server_time: new Date().toISOString(), replaces: shown });
    await hosted.call('PUT', `/ponds/${pond}`, { token, body: { cod: 'certo' } });
    await until(cods, (both) => both.every((cod) => cod === 'certo'), 120_000);
    await until(
      async () => ((await farm.get('/sync/status'))['clock'] as Json)['ahead_of_hosted_ms'],
      (apart) => Math.abs(Number(apart)) < MINUTES_MS,
      180_000,
    );
    expect(farm.lines.filter((line) => line.includes('are apart')).length).toBe(1);
  });
});
