import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FakeStripe, type StripeEventBody, sendSigned, startFakeStripe } from '#test/fake-stripe.ts';
import { farmClock, startGatewayProcess } from '#test/gateway-process.ts';
import { describeOnPostgres, freshDatabase, type TestDatabase } from '#test/postgres.ts';

type Gateway = Awaited<ReturnType<typeof startGatewayProcess>>;

describeOnPostgres('two processes of a hosted instance', () => {
  // at noon: what is told once a day is told once, however long it takes
  const clock = farmClock(Date.UTC(2026, 2, 2, 12), 1);
  let database: TestDatabase;
  let stripe: FakeStripe;
  let processes: Gateway[] = [];
  beforeAll(async () => {
    database = await freshDatabase();
    stripe = await startFakeStripe(clock.now);
    const args = ['--role', 'hosted', '--rate-limits', 'no', '--database-url', database.url, ...stripe.args];
    const first = await startGatewayProcess(clock, args);
    processes = [first, await startGatewayProcess(clock, args)];
  });
  afterAll(async () => {
    await Promise.all(processes.map((gateway) => gateway.close()));
    await stripe.close();
    await database.drop();
  });

  const ask = (n: number) => {
    const gateway = processes[n % processes.length];
    if (gateway === undefined) throw new Error('no process runs');
    return gateway;
  };
  const send = (n: number, event: StripeEventBody) =>
    sendSigned(`${ask(n).http()}/api/v1`, JSON.stringify(event), { atS: stripe.seconds() });

  async function subscriber() {
    const email = `user-${Math.random()}@farm.test`;
    const account = { email, name: 'Ana', password: 'camarao-123', role: 'OWNER' };
    await ask(0).call('POST', '/auth/register', { body: account });
    const login = await ask(0).call('POST', '/auth/login', { body: { email, password: account.password } });
    return (login.body as { access_token: string }).access_token;
  }

  async function counted(token: string) {
    const { body } = await ask(1).call('GET', '/notifications/?page_size=100', { token });
    const { notifications } = body as { notifications: { data: { event?: string } }[] };
    return notifications.map(({ data }) => data.event ?? '').sort((a, b) => (a < b ? -1 : 1));
  }

  test('count an event once that comes to both at once, many times', async () => {
    const token = await subscriber();
    // a person is one customer also when both processes are asked at once
    const sessions = await Promise.all(
      [0, 1, 2, 3].map((n) =>
        ask(n).call('POST', '/payment/create-checkout-session', {
          token,
          body: {
            plan: 'BASIC',
            success_url: 'https://farm.example/a',
            cancel_url: 'https://farm.example/b',
          },
        }),
      ),
    );
    expect(sessions.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const customers = [...stripe.things.values()].filter((thing) => thing['object'] === 'customer');
    expect(customers).toHaveLength(1);
    // of pages that were asked for at once a later one may have closed an earlier one
    const open = sessions
      .map(({ body }) => (body as { session_id: string }).session_id)
      .find((id) => stripe.things.get(id)?.['status'] === 'open');
    const { events, subscription } = stripe.pay(open ?? '');
    const rounds = [0, 1, 2, 3, 4].flatMap((round) => events.map((event, n) => send(round + n, event)));
    const statuses = (await Promise.all(rounds)).map(({ status }) => status);
    // who was too slow is asked to come again, and does
    expect(statuses.every((status) => status === 200 || status === 503)).toBe(true);
    for (const event of events) expect((await send(0, event)).status).toBe(200);
    const { body } = await ask(1).call('GET', '/subscriptions/me', { token });
    expect(body).toMatchObject({ plan: 'BASIC', status: 'ACTIVE', payment_subscription_id: subscription.id });
    expect(await counted(token)).toEqual(['created', 'created', 'invoice_ready', 'payment_succeeded']);
    const client = new Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query('select id from payment_events');
    await client.end();
    expect(rows).toHaveLength(events.length);
  });

  test('give the last place of a plan to one of those who ask both at once', async () => {
    for (const _round of [1, 2, 3]) {
      const token = await subscriber();
      const replies = await Promise.all(
        [0, 1, 2, 3, 4, 5].map((n) =>
          ask(n).call('POST', '/farms/', { token, body: { name: `Norte ${n}` } }),
        ),
      );
      const lost = replies.filter(({ status }) => status !== 201);
      expect(lost.map(({ status, body }) => [status, (body as { code: string }).code])).toEqual(
        Array(5).fill([403, 'SUBSCRIPTION_LIMIT_REACHED']),
      );
      const { body } = await ask(1).call('GET', '/subscriptions/me/limits', { token });
      expect(body).toMatchObject({ usage: { farms: { current: 1, max: 1 } }, can_create: { farm: false } });
      expect(await counted(token)).toEqual(['created']);
    }
  });

  test('log no secret of Stripe, and nothing of what it sent', async () => {
    const forged = await sendSigned(`${ask(0).http()}/api/v1`, '{"note":"SECRET-IN-BODY"}', {
      secret: 'whsec_other',
      atS: stripe.seconds(),
    });
    expect(forged.status).toBe(400);
    const written = processes.flatMap(({ lines }) => lines).join('\n');
    expect(written).toContain('ready');
    for (const secret of [
      'sk_test',
      'whsec_',
      'SECRET-IN-BODY',
      'checkout.stripe.example',
      'v1=',
      'camarao-123',
    ])
      expect(written).not.toContain(secret);
  });
});
