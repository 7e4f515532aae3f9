import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAIN_FILE } from '../../scripts/built-program.ts';
import { pairGateway } from '../../scripts/hosted/pair-gateway.ts';
import { type StartedGateway, startGateway, until } from './started-gateway.ts';

// The card of a paired gateway is copied while the box is off, and both cards are started: two boxes with one key.

type Json = Record<string, unknown>;
const OWNER = { email: 'dona@nuvem.example', password: 'camarao-do-norte-1998' };
const FARMER = { email: 'seu.ze@fazenda.example', password: 'camarao-do-norte-1999' };
/** A token of the hosted instance counts for a quarter of an hour; it is not waited for. A busy machine is late. */
const AT_ONCE_MS = 120_000;

describe('a copied card', () => {
  const folder = mkdtempSync(join(tmpdir(), 'copied-'));
  const copied = join(folder, 'data');
  let hosted: StartedGateway;
  let original: StartedGateway;
  let copy: StartedGateway | undefined;
  beforeAll(async () => {
    hosted = await startGateway({ args: ['--role', 'hosted', '--rate-limits', 'no'] });
    original = await startGateway({ env: { LOCAL_PLAN: 'ENTERPRISE' }, args: ['--registration', 'open'] });
  });
  afterAll(async () => {
    for (const box of [copy, original, hosted]) await box?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const register = (at: StartedGateway, login: typeof OWNER) =>
    at.call('POST', '/auth/register', { body: { ...login, name: 'Alguém', role: 'OWNER' } });
  const tokenOf = async (at: StartedGateway, login: typeof OWNER) =>
    String(((await at.call('POST', '/auth/login', { body: login })).body as Json)['access_token']);
  const pairing = async (at: StartedGateway, token: string) =>
    (await at.call('GET', '/sync/pairing', { token })).body as Json;
  const pondsAt = async (at: StartedGateway, token: string) =>
    ((await at.call('GET', '/ponds/', { token })).body as Json[]).map(({ cod }) => String(cod)).toSorted();

  it('is noticed as soon as both boxes speak, both are told, and nothing is lost on either', {
    timeout: 600_000,
  }, async () => {
    for (const [at, login] of [
      [hosted, OWNER],
      [original, FARMER],
    ] as const)
      expect((await register(at, login)).status).toBe(201);
    const run = promisify(execFile);
    const plan = ['set-plan', '--email', OWNER.email, '--plan', 'ENTERPRISE', '--data', hosted.data];
    await run(process.execPath, [MAIN_FILE, 'admin', ...plan]);
    const ownersToken = await tokenOf(hosted, OWNER);
    const token = await tokenOf(original, FARMER);
    const farm = await original.call('POST', '/farms/', {
      token,
      body: { name: 'Norte', timezone: 'America/Fortaleza' },
    });
    const farmId = String((farm.body as Json)['id']);
    const makePond = async (at: StartedGateway, cod: string) => {
      const made = await at.call('POST', '/ponds/', {
        token: await tokenOf(at, FARMER),
        body: { farm_id: farmId, cod, size_m2: 900 },
      });
      expect([cod, made.status]).toEqual([cod, 201]);
    };
    const ceremony = { data: original.data, link: hosted.http, hosted: hosted.http, ownerToken: ownersToken };
    await pairGateway(ceremony);
    await makePond(original, 'V-1');
    const inTheCloud = (cods: string[]) =>
      until(
        () => pondsAt(hosted, ownersToken),
        (found) => cods.every((cod) => found.includes(cod)),
        AT_ONCE_MS,
      );
    await inTheCloud(['V-1']);

    // a command at the box signs in with the key, too, and is no second box
    const newKey = [MAIN_FILE, 'pair', '--new-key', '--data', original.data];
    expect((await run(process.execPath, newKey)).stdout).toContain('has a new key');
    await makePond(original, 'V-2');
    await inTheCloud(['V-1', 'V-2']);
    // nor is a start after a stop
    await original.stop();
    cpSync(original.data, copied, { recursive: true });
    await original.start();
    await makePond(original, 'V-3');
    await inTheCloud(['V-3']);
    expect(await pairing(original, await tokenOf(original, FARMER))).toMatchObject({ state: 'paired' });

    const startedAt = performance.now();
    copy = await startGateway({ data: copied, env: { LOCAL_PLAN: 'ENTERPRISE' } });
    const boxes = [original, copy];
    for (const box of boxes) {
      const farmer = await tokenOf(box, FARMER);
      const shown = await until(
        () => pairing(box, farmer),
        ({ state }) => state === 'revoked',
        AT_ONCE_MS,
      );
      expect(shown['detail']).toContain('Switch the copy off');
      const told = () => box.call('GET', '/notifications/', { token: farmer });
      await until(
        told,
        ({ body }) => JSON.stringify(body).includes('Dois gateways com a mesma chave'),
        AT_ONCE_MS,
      );
    }
    expect(performance.now() - startedAt).toBeLessThan(2 * AT_ONCE_MS);
    const list = (await hosted.call('GET', '/notifications/', { token: ownersToken })).body;
    expect(JSON.stringify(list)).toContain('Dois gateways com a mesma chave');

    // people go on at both; the box that is chosen brings what it has, the other keeps what it had
    await makePond(original, 'V-4');
    await makePond(copy, 'C-1');
    await copy.stop();
    await pairGateway(ceremony);
    await inTheCloud(['V-1', 'V-2', 'V-3', 'V-4']);
    await copy.start();
    const kept = await tokenOf(copy, FARMER);
    expect(await pondsAt(copy, kept)).toEqual(expect.arrayContaining(['V-1', 'V-2', 'C-1']));
    expect(await pairing(copy, kept)).toMatchObject({ state: 'revoked' });
    // the copy's key opens nothing any more
    expect(await pairing(original, await tokenOf(original, FARMER))).toMatchObject({ state: 'paired' });
    await makePond(original, 'V-5');
    await inTheCloud(['V-5']);
  });
});
