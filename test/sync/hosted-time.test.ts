import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compose } from '#app/compose.ts';
import { readConfig } from '#runtime/config.ts';
import { type App, startApp, testClock } from '#test/app.ts';

const HOUR = 3_600_000;
const silent = () => undefined;

let hosted: App;
let data: string;
beforeAll(async () => {
  hosted = await startApp('sqlite', ['--role', 'hosted']);
  data = mkdtempSync(join(tmpdir(), 'farm-'));
});
afterAll(async () => {
  await hosted.close();
  rmSync(data, { recursive: true, force: true });
});

/** The gateway's program on its card, started at some time by the clock of the board. */
async function started(at: number, args: readonly string[] = []) {
  const clock = testClock(at);
  const gateway = await compose(readConfig(['--data', data, '--hosted-url', hosted.base, ...args], {}), {
    wallClock: clock.now,
    monotonic: clock.now,
    random: Math.random,
    clockEvidence: () => ({ isSynchronised: false, hasBatteryClock: false }),
    pause: () => Promise.resolve(),
    log: { debug: silent, info: silent, warn: silent, error: silent },
  });
  return { gateway, clock };
}

async function pairedGateway(): Promise<void> {
  const { gateway } = await started(hosted.clock.now());
  const owner = await hosted.signUp();
  const begun = await gateway.pairing?.pairing.start({
    hostedUrl: hosted.base,
    name: undefined,
    startedBy: null,
  });
  await hosted.call('POST', '/sync/claims', { token: owner.token, body: { user_code: begun?.user_code } });
  await gateway.pairing?.look();
  await gateway.database.close();
}

test('a gateway that starts in 1970 goes by the time that its hosted instance signs', async () => {
  await pairedGateway();
  const { gateway, clock } = await started(0);
  expect([gateway.clock.quality(), gateway.clock.state().reason]).toEqual([
    'estimated',
    'before_last_known_time',
  ]);
  await gateway.hostedTime?.look();
  expect(Math.abs(gateway.clock.now() - hosted.clock.now())).toBeLessThan(2_000);
  expect([gateway.clock.quality(), gateway.clock.state().reason]).toEqual(['trusted', 'hosted_time']);
  // time goes on from there by the monotonic clock, whatever the board says
  clock.advance(HOUR);
  gateway.clock.look();
  expect(Math.abs(gateway.clock.now() - hosted.clock.now() - HOUR)).toBeLessThan(2_000);
  // a second word moves nothing: it is trusted by now
  hosted.clock.advance(3 * HOUR);
  await gateway.hostedTime?.look();
  expect(Math.abs(gateway.clock.now() - hosted.clock.now() + 2 * HOUR)).toBeLessThan(2_000);
  await gateway.database.close();
});

test('a time that somebody else signed, or that was signed for another question, moves nothing', async () => {
  const { gateway } = await started(0);
  const wrong = createServer((request, response) => {
    const nonce = new URL(request.url ?? '', 'http://x').searchParams.get('nonce');
    response.end(JSON.stringify({ server_now_ms: Date.UTC(2030, 0, 1), nonce, signature: 'A'.repeat(86) }));
  });
  await new Promise<void>((resolve) => wrong.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(wrong.address() as AddressInfo).port}`;
  const { read } = gateway.database;
  const { value } = await read
    .selectFrom('instance_values')
    .select('value')
    .where('id', '=', 'pairing')
    .executeTakeFirstOrThrow();
  const moved = JSON.stringify({ ...(JSON.parse(value) as object), hosted_url: address });
  await read.updateTable('instance_values').set({ value: moved }).where('id', '=', 'pairing').execute();
  const before = gateway.clock.now();
  await gateway.hostedTime?.look();
  expect([gateway.clock.now(), gateway.clock.quality()]).toEqual([before, 'estimated']);
  await new Promise((resolve) => wrong.close(resolve));
  await gateway.database.close();
});

test('who said that the clock is never to be trusted is believed', async () => {
  const { gateway } = await started(hosted.clock.now(), ['--trust-clock', 'no']);
  await gateway.hostedTime?.look();
  expect(gateway.clock.state()).toMatchObject({ trust: 'untrusted', reason: 'configured' });
  await gateway.database.close();
});
