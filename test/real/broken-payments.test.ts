import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { STRIPE_KEY, WEBHOOK_SECRET } from '#test/fake-stripe.ts';
import { type StartedGateway, startGateway } from './started-gateway.ts';

// Who answers in place of the payment provider (a proxy, a portal) may say anything: the motors of the farm depend on this process.

const said = { text: '' };
const provider = createServer((_request, response) => {
  response.setHeader('Content-Type', 'application/json');
  response.end(said.text);
});
let program: StartedGateway;
let token = '';

beforeAll(async () => {
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  const { port } = provider.address() as AddressInfo;
  const secrets = ['--stripe-secret-key', STRIPE_KEY, '--stripe-webhook-secret', WEBHOOK_SECRET];
  const sold = ['--stripe-price-basic-brl', 'price_1', '--stripe-api-base', `http://127.0.0.1:${port}`];
  program = await startGateway({ args: [...secrets, ...sold, '--registration', 'open'] });
  const account = { email: 'ana@farm.test', password: 'camarao-do-norte' };
  await program.call('POST', '/auth/register', { body: { ...account, name: 'Ana', role: 'OWNER' } });
  const session = await program.call('POST', '/auth/login', { body: { ...account, remember_me: true } });
  token = String((session.body as { access_token: unknown }).access_token);
});
afterAll(async () => {
  await program?.close();
  provider.closeAllConnections();
  provider.close();
});

it.each([
  '7',
  '"paid"',
  'true',
  'null',
  '[]',
  '{}',
  '{"data":7}',
  '{"error":7}',
  '{"id":7}',
  '',
  '<html>',
  '{',
])('a payment provider that answers %j cannot be reached, and the program goes on', async (text) => {
  said.text = text;
  const back = { success_url: 'https://farm.example/paid', cancel_url: 'https://farm.example/plans' };
  const answered = await program
    .call('POST', '/payment/create-checkout-session', { token, body: { plan: 'BASIC', ...back } })
    .catch(() => null);
  expect([answered?.status, (await fetch(`${program.http}/healthz`)).status]).toEqual([503, 200]);
});
