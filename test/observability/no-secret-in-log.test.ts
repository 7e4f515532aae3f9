import { inspect } from 'node:util';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { type App, aControlPoint, body, startApp } from '#test/app.ts';
import { aProgram } from '#test/programs.ts';

const PASSWORD = 'a-Very-secret-password-77';

/** What opens something, and requests that carry each in their address, body or header. */
async function aFarmOfSecrets(app: App) {
  const owner = await app.signUp({ password: PASSWORD });
  const { token } = owner;
  const ask = (path: string, sent: unknown = {}) => app.call('POST', path, { token, body: sent });
  const farmId = String(body(await ask('/farms/', { name: 'Norte' }))['id']);
  const point = await aControlPoint(app, { token, farmId });
  const key = String(body(await ask(`/control-points/${point.id}/device-key`))['key']);
  const code = String(body(await ask(`/farms/${farmId}/invitations`, { role: 'VIEWER' }))['code']);
  const program = (await aProgram(app, owner, ['read', 'record'], { current_password: PASSWORD })).token;
  const buyer = await app.signUp({ plan: null });
  const pay = (path: string, sent: unknown) => app.call('POST', path, { token: buyer.token, body: sent });
  const checkout = String(
    body(
      await pay('/payment/create-checkout-session', {
        plan: 'BASIC',
        success_url: 'https://farm.example/ok',
        cancel_url: 'https://farm.example/no',
      }),
    )['url'],
  );
  const card = { number: '4242 4242 4242 4242', expiry: '12/34', cvc: '123', name: 'Ana', action: 'pay' };
  const form = (url: string, fields: Record<string, string>) =>
    fetch(url, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' });
  expect((await form(checkout, card)).status).toBe(303);
  const portal = String(
    body(await pay('/payment/create-billing-portal', { return_url: 'https://farm.example/' }))['url'],
  );
  const last = (url: string) => url.split('/').at(-1) ?? '';
  return {
    secrets: { PASSWORD, token, key, code, program, checkout: last(checkout), portal: last(portal) },
    async everything(): Promise<number[]> {
      const replies = [
        await fetch(checkout),
        await form(checkout, card),
        await fetch(portal),
        await form(portal, { action: 'address', address: 'Rua 1' }),
        await app.call('POST', '/auth/login', { body: { email: owner.user.email, password: PASSWORD } }),
        await app.call('POST', '/auth/register', {
          body: { email: 'new@farm.test', name: 'New', password: PASSWORD, role: 'OWNER' },
        }),
        await app.call('PUT', '/users/me', {
          token,
          body: { password: `${PASSWORD}-2`, current_password: PASSWORD },
        }),
        await app.call('POST', '/invitations/accept', { token: buyer.token, body: { code } }),
        await app.call('POST', '/farms/', { token: program, body: { name: 'Sul' } }),
        await app.call('POST', '/devices/heartbeat', {
          token: key,
          body: { device_id: point.device_id, current_status: 'ON' },
        }),
      ];
      return replies.map(({ status }) => status);
    },
  };
}

test('what fails for want of a disk or of the database is told without a secret, by its route', async () => {
  const app = await startApp('sqlite');
  const { secrets, everything } = await aFarmOfSecrets(app);
  await sql`pragma query_only = 1`.execute(app.database.read);
  const statuses = await everything();
  await sql`pragma query_only = 0`.execute(app.database.read);
  await app.database.close();
  statuses.push(...(await everything()));
  expect(statuses.filter((status) => status >= 500).length).toBeGreaterThan(10);
  const log = inspect(app.sentences, { depth: 20, maxStringLength: null, maxArrayLength: null });
  expect(log).toContain("route: 'pages of the payment provider'");
  expect(log).toContain("route: '/api/v1/auth/login'");
  expect(Object.entries(secrets).filter(([, secret]) => secret === '' || log.includes(secret))).toEqual([]);
  await app.close();
});
