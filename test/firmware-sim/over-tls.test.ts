import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readOptions } from '#sim/cli/options.ts';
import { runFleet } from '#sim/cli/run-fleet.ts';
import { pinsInPem, readPin } from '#sim/transport/gateway-trust.ts';
import { aSecuredGateway, type SecuredGateway } from '#test/a-secured-gateway.ts';

describe('simulated controllers over TLS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sim-tls-'));
  const login = { email: 'ana@fazenda.example', password: 'camarao-do-norte' };
  let gateway: SecuredGateway;
  let ca: string;

  beforeAll(async () => {
    gateway = await aSecuredGateway({ args: ['--local-plan', 'ENTERPRISE'] });
    ca = await gateway.ca();
    const body = JSON.stringify({ ...login, name: 'Ana' });
    const headers = { 'Content-Type': 'application/json' };
    await gateway.plain('/api/v1/auth/register', { method: 'POST', headers, body });
  });
  afterAll(async () => {
    await gateway.close();
    rmSync(folder, { recursive: true });
  });

  /** The last line of a fleet of four that lives until all of them are there, and a minute at most. */
  async function run(...args: string[]): Promise<{ connected: number }> {
    const lines: string[] = [];
    const isThere = new AbortController();
    const last = () => JSON.parse(lines.at(-1) ?? '{}') as { connected: number };
    const terminal = {
      print(line: string) {
        lines.push(line);
        if (last().connected === 4) isThere.abort();
      },
      complain: (line: string) => void lines.push(line),
      interrupted: isThere.signal,
    };
    const lives = ['--for', '60s', '--every', '100ms', '--speed', '20'];
    const common = ['--email', login.email, '--count', '4', ...lives, '--json'];
    const options = readOptions([...common, ...args], { SIM_PASSWORD: login.password });
    expect(await runFleet(terminal, options)).toBe(0);
    return last();
  }
  const secured = () => ['--gateway', gateway.running.https ?? '', '--mqtt', gateway.running.mqtts ?? ''];

  it('know the gateway by a pin, by its authority as a file, or as it says itself the first time', async () => {
    const file = join(folder, 'ca.pem');
    writeFileSync(file, ca);
    const [pin = ''] = pinsInPem(ca);
    expect(await run(...secured(), '--tls-pin', pin)).toMatchObject({ connected: 4 });
    expect(await run(...secured(), '--tls-ca', file)).toMatchObject({ connected: 4 });
    expect(await run('--gateway', gateway.running.http, '--tls')).toMatchObject({ connected: 4 });
  });

  it('say nothing to one they do not know, not even the password', async () => {
    const wrong = Buffer.alloc(32).toString('base64');
    await expect(run(...secured(), '--tls-pin', wrong)).rejects.toThrow('not signed by the pinned authority');
  });

  it.each([
    ['no pin', ['--tls-pin', 'abc'], 'is no SHA-256'],
    ['no file', ['--tls-ca', join(folder, 'none.pem')], 'cannot be read'],
    ['a pin without TLS', ['--mqtt', 'mqtt://127.0.0.1:1', '--tls-pin', 'A'.repeat(43)], 'need an https'],
  ])('are told of %s', async (_what, args, sentence) => {
    await expect(run(...args)).rejects.toThrow(sentence);
  });

  it('take a pin in either alphabet of base64', () => {
    const bytes = Buffer.alloc(32, 0xfb);
    for (const text of [bytes.toString('base64'), bytes.toString('base64url')])
      expect(readPin(text)).toBe(bytes.toString('base64'));
  });
});
