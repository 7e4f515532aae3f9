import { createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createJsonLog } from '#adapters/log/json-log.ts';
import { stripeProvider } from '#adapters/payments/stripe-provider.ts';
import { body, startApp } from '#test/app.ts';
import { STRIPE_KEY, WEBHOOK_SECRET } from '#test/fake-stripe.ts';

// Whoever answers at the address of the payment provider may be anybody: a proxy, a portal of a hotel, a thief.

const NOT_SOLD = { BRL: null, USD: null };
const NOTHING_SOLD = { BASIC: NOT_SOLD, PROFESSIONAL: NOT_SOLD };

/** Address of a host that answers each request with what `answer` writes. */
async function whoAnswers(answer: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', () => answer(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${address.port}`;
}

async function aFarmThatPaysAt(answer: (socket: Socket) => void) {
  const address = await whoAnswers(answer);
  const secrets = ['--stripe-secret-key', STRIPE_KEY, '--stripe-webhook-secret', WEBHOOK_SECRET];
  const prices = ['--stripe-price-basic-brl', 'price_basic_brl_1'];
  const app = await startApp('sqlite', [...secrets, ...prices, '--stripe-api-base', address]);
  onTestFinished(app.close);
  const { token } = await app.signUp({ plan: null });
  const pay = () =>
    app.call('POST', '/payment/create-checkout-session', {
      token,
      body: {
        plan: 'BASIC',
        success_url: 'https://farm.example/paid',
        cancel_url: 'https://farm.example/plans',
      },
    });
  return { pay };
}

const MIB = 1024 * 1024;

test('a payment provider that goes on in another protocol cannot be reached, and nobody waits for it', async () => {
  const { pay } = await aFarmThatPaysAt((socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n');
  });
  const answered = await pay();
  expect([answered.status, body(answered)['code']]).toEqual([503, 'PAYMENT_PROVIDER_UNAVAILABLE']);
}, 20_000);

test('of an answer of the payment provider no more than a few megabytes are read', async () => {
  const told = { bytes: 0 };
  const { pay } = await aFarmThatPaysAt((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{"id":"');
    const piece = Buffer.alloc(MIB, 'x');
    const more = () => {
      if (socket.destroyed || told.bytes > 300 * MIB) return;
      told.bytes += piece.length;
      socket.write(piece, more);
    };
    more();
  });
  const answered = await pay();
  expect([answered.status, body(answered)['code']]).toEqual([503, 'PAYMENT_PROVIDER_UNAVAILABLE']);
  expect(told.bytes).toBeLessThan(60 * MIB);
}, 60_000);

test('a payment provider that sends a letter now and then is not waited for', async () => {
  const address = await whoAnswers((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{');
    const drip = setInterval(() => socket.write(' '), 20);
    socket.on('close', () => clearInterval(drip));
  });
  const kernel = { now: Date.now, clockQuality: () => 'trusted' as const, log: createJsonLog('error') };
  const settings = { secretKey: 'sk', webhookSecret: 'whsec', apiBase: address, prices: NOTHING_SOLD };
  const provider = stripeProvider(kernel, settings, 200);
  await expect(provider.knowsCustomer('cus_1')).rejects.toMatchObject({ status: 503 });
}, 30_000);
