import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { instanceValue } from '#contract/resources/local-tables.ts';
import { put } from '#core/changes.ts';
import { type App, body, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import {
  type FakeStripe,
  STRIPE_KEY,
  type StripeEventBody,
  sendSigned,
  startFakeStripe,
  WEBHOOK_SECRET,
} from '#test/fake-stripe.ts';

const BACK = { success_url: 'https://farm.example/paid', cancel_url: 'https://farm.example/plans' };
type Note = { type: string; title: string; data: Record<string, unknown> };

onBothEngines('with Stripe behind it', (_open, engine) => {
  let app: App;
  let stripe: FakeStripe;
  // the clocks of both sides are one
  const time: { now: () => number } = { now: () => 0 };
  beforeAll(async () => {
    stripe = await startFakeStripe(() => time.now());
    app = await startApp(engine, stripe.args);
    time.now = app.clock.now;
  });
  afterAll(async () => {
    await app.close();
    await stripe.close();
  });

  const subscriber = () => app.signUp({ plan: null });
  const checkout = (token: string, fields: Record<string, unknown> = {}) =>
    app.call('POST', '/payment/create-checkout-session', {
      token,
      body: { plan: 'BASIC', ...BACK, ...fields },
    });
  const send = (event: unknown, options: { secret?: string; atS?: number } = {}) =>
    sendSigned(`${app.base}/api/v1`, JSON.stringify(event), { atS: stripe.seconds(), ...options });
  const mine = async (token: string) => body(await app.call('GET', '/subscriptions/me', { token }));
  const told = async (token: string) => {
    const reply = await app.call('GET', '/notifications/?page_size=100', { token });
    return body(reply)['notifications'] as Note[];
  };
  const outcomeOf = async (id: string) =>
    (
      await app.database.read
        .selectFrom('payment_events')
        .select('outcome')
        .where('id', '=', id)
        .executeTakeFirst()
    )?.outcome ?? null;

  /** A person who has paid, second by second, as Stripe tells it. */
  async function paid(card?: { year: number; month: number }) {
    const { token, user } = await subscriber();
    const { session_id } = body(await checkout(token)) as { session_id: string };
    const bought = stripe.pay(session_id, card);
    for (const event of bought.events) expect((await send(event)).status).toBe(200);
    return { token, email: user.email, ...bought };
  }

  /** An event about a subscription as it stands with these values, some seconds on. */
  function later(
    subscription: { id: string },
    set: Record<string, unknown>,
    type = 'updated',
  ): StripeEventBody {
    app.clock.advance(5_000);
    const thing = Object.assign(stripe.things.get(subscription.id) ?? {}, set);
    return stripe.event(`customer.subscription.${type}`, thing);
  }

  test('a checkout sends the person to Stripe with plan, currency and who it is', async () => {
    const { token, user } = await subscriber();
    const before = stripe.asked.length;
    const reply = await checkout(token, { plan: 'PROFESSIONAL', currency: 'USD' });
    expect(reply.status).toBe(200);
    expect(body(reply)).toEqual({
      session_id: expect.stringMatching(/^cs_test_/),
      url: expect.stringMatching(/^https:\/\/checkout\.stripe\.example\//),
    });
    const [customer, session] = stripe.asked.slice(before).filter(({ method }) => method === 'POST');
    expect(customer?.form).toMatchObject({ email: user.email, 'metadata[user_id]': user.id });
    expect(session?.form).toMatchObject({
      mode: 'subscription',
      client_reference_id: user.id,
      'line_items[0][price]': 'price_pro_usd_1',
      'subscription_data[metadata][plan]': 'PROFESSIONAL',
      ...BACK,
    });
    expect(session?.headers['x-stripe-client-telemetry']).toBeUndefined();
  });

  test('a person is one customer, also for two checkouts at once', async () => {
    const { token } = await subscriber();
    const replies = await Promise.all([checkout(token), checkout(token), checkout(token)]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    const customers = new Set(
      stripe.asked
        .filter(({ path, method }) => method === 'POST' && path === '/v1/checkout/sessions')
        .slice(-3)
        .map(({ form }) => form['customer']),
    );
    expect(customers.size).toBe(1);
    expect((await mine(token))['payment_customer_id']).toBe([...customers][0]);
  });

  test('what is not sold, or leads nowhere, is refused and nothing is asked of Stripe', async () => {
    const { token } = await subscriber();
    const before = stripe.asked.length;
    const refused = [
      await checkout(token, { plan: 'FREE' }),
      await checkout(token, { plan: 'ENTERPRISE' }),
      await checkout(token, { plan: 'GOLD' }),
      await checkout(token, { success_url: 'javascript:alert(1)' }),
      await checkout(token, { cancel_url: '/plans' }),
      await checkout(token, { cancel_url: 'https://name:word@farm.example' }),
    ];
    expect(refused.map((reply) => [reply.status, body(reply)['code']])).toEqual([
      [422, 'PLAN_NOT_SOLD'],
      [422, 'CONTACT_SALES'],
      [422, 'VALIDATION_ERROR'],
      [422, 'VALIDATION_ERROR'],
      [422, 'VALIDATION_ERROR'],
      [422, 'VALIDATION_ERROR'],
    ]);
    expect(stripe.asked.length).toBe(before);
    // a price that is not configured; the customer was made by then
    const unsold = await checkout(token, { currency: 'USD' });
    expect([unsold.status, body(unsold)['code']]).toEqual([422, 'PLAN_NOT_SOLD']);
  });

  test('a payment makes the plan active and tells of it once, however often Stripe says so', async () => {
    const { token, events, subscription } = await paid();
    const period = { current_period_start: new Date(stripe.seconds() * 1000).toISOString() };
    expect(await mine(token)).toMatchObject({
      plan: 'BASIC',
      status: 'ACTIVE',
      currency: 'BRL',
      payment_customer_id: subscription['customer'],
      payment_subscription_id: subscription.id,
      cancel_at_period_end: false,
      max_farms: 3,
      ...period,
    });
    const first = await told(token);
    expect(new Set(first.map(({ type, data }) => `${type} ${String(data['event'])}`))).toEqual(
      new Set(['PAYMENT invoice_ready', 'PAYMENT payment_succeeded', 'SUBSCRIPTION created']),
    );
    expect(first).toHaveLength(3);
    expect(first.find(({ data }) => data['event'] === 'payment_succeeded')).toMatchObject({
      title: 'Pagamento recebido',
      data: {
        amount: 149,
        currency: 'BRL',
        invoice_id: expect.stringMatching(/^in_/),
        url: expect.stringMatching(/^https:\/\/invoice\.stripe\.example\//),
      },
    });
    for (const event of [...events, ...events]) expect((await send(event)).status).toBe(200);
    expect(await told(token)).toEqual(first);
    const rows = await app.database.read
      .selectFrom('payment_events')
      .select('id')
      .where(
        'id',
        'in',
        events.map(({ id }) => id),
      )
      .execute();
    expect(rows).toHaveLength(events.length);
  });

  test('an event that Stripe did not sign, or signed long ago or in the future, changes nothing and leaves no trace', async () => {
    const { token, subscription } = await paid();
    const before = await mine(token);
    const forged = { ...later(subscription, { status: 'canceled' }, 'deleted'), note: 'SECRET-IN-BODY' };
    const replies = [
      await send(forged, { secret: 'whsec_of_somebody_else' }),
      await send(forged, { atS: stripe.seconds() - 301 }),
      await send(forged, { atS: stripe.seconds() + 301 }),
      await fetch(`${app.base}/api/v1/payment/webhook`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(forged),
      }),
    ];
    for (const reply of replies) {
      expect(reply.status).toBe(400);
      const text = await reply.text();
      expect(text).toContain('INVALID_SIGNATURE');
      expect(text).not.toContain('SECRET-IN-BODY');
    }
    expect(await mine(token)).toEqual(before);
    expect(await outcomeOf(forged.id)).toBeNull();
    expect(JSON.stringify(app.sentences)).not.toContain('SECRET-IN-BODY');
    // within five minutes either way it counts: clocks differ
    const planned = later(subscription, { status: 'active', cancel_at_period_end: true });
    expect((await send(planned, { atS: stripe.seconds() + 299 })).status).toBe(200);
    expect((await mine(token))['cancel_at_period_end']).toBe(true);
    expect((await send(forged, { atS: stripe.seconds() - 299 })).status).toBe(200);
    expect((await mine(token))['status']).toBe('CANCELED');
  });

  test('what came late changes nothing; what is of no use is acknowledged', async () => {
    const { token, subscription } = await paid();
    const old = later(subscription, { cancel_at_period_end: true });
    const recent = later(subscription, { cancel_at_period_end: false });
    await send(recent);
    const before = await mine(token);
    expect((await send(old)).status).toBe(200);
    expect(await outcomeOf(old.id)).toBe('outdated');
    expect(await mine(token)).toEqual(before);
    const others = [
      stripe.event('price.updated', { id: 'price_1' }),
      stripe.event('customer.subscription.updated', {
        id: 'sub_of_nobody',
        status: 'active',
        customer: 'cus_of_nobody',
      }),
    ];
    for (const event of others) {
      expect((await send(event)).status).toBe(200);
      expect(await outcomeOf(event.id)).toBe('ignored');
    }
  });

  test.each([
    ['a', 'b'],
    ['b', 'a'],
  ])('of two words of one second the one that Stripe stands by counts (%s, %s)', async (one, other) => {
    const { token, subscription } = await paid();
    const named = (event: StripeEventBody, name: string) => ({
      ...event,
      id: `${event.id}`.replace('evt_', `evt_${name}_`),
    });
    const planned = named(later(subscription, { cancel_at_period_end: true, status: 'past_due' }), one);
    const thing = Object.assign(stripe.things.get(subscription.id) ?? {}, {
      cancel_at_period_end: false,
      status: 'active',
    });
    const takenBack = named(stripe.event('customer.subscription.updated', thing), other);
    const inOrder = [planned, takenBack];
    for (const event of one === 'a' ? inOrder : inOrder.toReversed()) await send(event);
    expect(await mine(token)).toMatchObject({ cancel_at_period_end: false, status: 'ACTIVE' });
    const again = await paid();
    const late = named(later(again.subscription, { status: 'past_due' }), one);
    const fine = Object.assign(stripe.things.get(again.subscription.id) ?? {}, { status: 'active' });
    const well = named(stripe.event('customer.subscription.updated', fine), other);
    for (const event of [late, well]) await send(event);
    expect((await mine(again.token))['status']).toBe('ACTIVE');
  });

  test('a payment that fails leaves time, and one that comes ends the worry', async () => {
    const { token, subscription } = await paid();
    app.clock.advance(5_000);
    const invoice = stripe.invoiceOf(subscription, 'subscription_cycle', {
      next_payment_attempt: stripe.seconds() + 86_400,
    });
    const failed = stripe.event('invoice.payment_failed', invoice);
    await send(failed);
    const since = new Date(failed.created * 1000).toISOString();
    expect(await mine(token)).toMatchObject({ status: 'PAST_DUE', plan: 'BASIC' });
    await send(later(subscription, { status: 'past_due' }));
    expect((await mine(token))['grace_ends_at']).toBe(
      new Date(Date.parse(since) + 14 * 86_400_000).toISOString(),
    );
    const news = await told(token);
    expect(news.find(({ data }) => data['event'] === 'payment_failed')?.data).toMatchObject({
      amount: 149,
      attempt: 1,
      invoice_id: invoice.id,
    });
    app.clock.advance(5_000);
    await send(stripe.event('invoice.paid', { ...invoice, amount_paid: invoice['amount_due'] }));
    expect(await mine(token)).toMatchObject({ status: 'ACTIVE', grace_ends_at: null });
  });

  test.each([
    ['is told as it fails', true],
    ['is not told once it was made', false],
  ] as const)('a first payment that failed %s', async (_when, isTold) => {
    const { token } = await subscriber();
    const { events, subscription } = stripe.pay(await pageOf(token, 'BASIC'), undefined, 5);
    const invoice = stripe.invoiceOf(subscription, 'subscription_create');
    const failed = stripe.event('invoice.payment_failed', invoice);
    app.clock.advance(5_000);
    const inOrder = isTold ? [failed, ...events] : [...events, failed];
    for (const event of inOrder) expect((await send(event)).status).toBe(200);
    const heard = (await told(token)).map(({ data }) => data['event']);
    expect([heard.includes('payment_failed'), heard.includes('payment_succeeded')]).toEqual([isTold, true]);
    expect((await mine(token))['status']).toBe('ACTIVE');
  });

  test('refunds, expiring cards and trials that end are told', async () => {
    const { token, subscription } = await paid();
    const customer = subscription['customer'];
    const trial = { ...subscription, status: 'trialing', trial_end: stripe.seconds() + 3 * 86_400 };
    app.clock.advance(5_000);
    await send(stripe.event('customer.subscription.trial_will_end', trial));
    await send(
      stripe.event('charge.refunded', { id: 'ch_1', customer, currency: 'brl', amount_refunded: 14_900 }),
    );
    await send(
      stripe.event('customer.source.expiring', {
        id: 'card_1',
        customer,
        last4: '4242',
        exp_year: 2026,
        exp_month: 3,
      }),
    );
    const events = (await told(token)).map(({ type, data }) => `${type} ${String(data['event'])}`);
    expect(events).toEqual(
      expect.arrayContaining([
        'SUBSCRIPTION trial_ending',
        'PAYMENT refunded',
        'PAYMENT payment_method_expired',
      ]),
    );
    expect((await mine(token))['status']).toBe('TRIALING');
  });

  test('cancelling at the end of the period keeps the plan until then, and at once ends it', async () => {
    const { token, subscription } = await paid();
    app.clock.advance(5_000);
    const cancel = (fields: Record<string, unknown>) =>
      app.call('POST', '/payment/cancel-subscription', { token, body: fields });
    const planned = await cancel({ reason: 'fim de safra' });
    expect(planned.status).toBe(200);
    expect(body(planned)).toEqual({
      subscription_id: subscription.id,
      status: 'ACTIVE',
      cancel_at_period_end: true,
      current_period_end: expect.stringMatching(/Z$/),
      message: expect.stringContaining('stays ACTIVE until'),
    });
    expect(stripe.asked.at(-1)?.form).toMatchObject({
      cancel_at_period_end: 'true',
      'cancellation_details[comment]': 'fim de safra',
    });
    // what Stripe tells of it is no news any more
    const before = await told(token);
    await send(stripe.event('customer.subscription.updated', stripe.things.get(subscription.id)));
    expect(await told(token)).toEqual(before);
    app.clock.advance(5_000);
    const ended = await cancel({ cancel_at_period_end: false });
    expect(body(ended)).toMatchObject({ status: 'CANCELED', subscription_id: subscription.id });
    expect(await mine(token)).toMatchObject({ status: 'CANCELED', plan: 'BASIC' });
    const again = await cancel({});
    expect([again.status, body(again)['code']]).toEqual([403, 'SUBSCRIPTION_CANCELED']);
    // a new purchase begins anew
    expect((await checkout(token)).status).toBe(200);
  });

  test('who pays nothing has nothing to cancel, but a portal to look at', async () => {
    const { token } = await subscriber();
    const reply = await app.call('POST', '/payment/cancel-subscription', { token, body: {} });
    expect([reply.status, body(reply)['code']]).toEqual([402, 'SUBSCRIPTION_REQUIRED']);
    for (const path of ['/payment/create-billing-portal', '/payment/create-portal-session']) {
      const portal = await app.call('POST', path, { token, body: { return_url: 'https://farm.example/me' } });
      expect(portal.status).toBe(200);
      expect(body(portal)).toEqual({ url: expect.stringMatching(/^https:\/\/billing\.stripe\.example\//) });
    }
  });

  test('who has the plan is not sold it again, and another one changes the subscription there is', async () => {
    const { token, subscription } = await paid();
    const same = await checkout(token);
    expect([same.status, body(same)['code']]).toEqual([409, 'ALREADY_SUBSCRIBED']);
    const other = await checkout(token, { plan: 'PROFESSIONAL' });
    expect(other.status).toBe(200);
    expect(stripe.asked.at(-1)).toMatchObject({
      path: '/v1/billing_portal/sessions',
      form: {
        'flow_data[type]': 'subscription_update_confirm',
        'flow_data[subscription_update_confirm][subscription]': subscription.id,
        'flow_data[subscription_update_confirm][items][0][price]': 'price_pro_brl_1',
        'flow_data[after_completion][redirect][return_url]': BACK.success_url,
      },
    });
    await send(
      later(subscription, { items: { data: [stripe.itemOf('price_pro_brl_1', stripe.seconds())] } }),
    );
    expect(await mine(token)).toMatchObject({ plan: 'PROFESSIONAL', max_farms: 10 });
  });

  const pageOf = async (token: string, plan: string) =>
    String(body(await checkout(token, { plan }))['session_id']);

  test('of two pages that are open the newer alone can be paid', async () => {
    const { token } = await subscriber();
    const [basic, professional] = [await pageOf(token, 'BASIC'), await pageOf(token, 'PROFESSIONAL')];
    expect([basic, professional].map((id) => stripe.things.get(id)?.['status'])).toEqual(['expired', 'open']);
  });

  test('who paid on two pages at once keeps what was bought last: the other is ended, with credit, and told', async () => {
    const { token } = await subscriber();
    const [basic, professional] = [await pageOf(token, 'BASIC'), await pageOf(token, 'PROFESSIONAL')];
    // asked for at the same moment, neither knew of the other
    Object.assign(stripe.things.get(basic) ?? {}, { status: 'open' });
    const older = stripe.pay(basic);
    app.clock.advance(5_000);
    const newer = stripe.pay(professional);
    // what Stripe does not take at first is asked again with the next event, and keeps none from being taken
    stripe.fail('refused');
    for (const event of [...newer.events, ...older.events]) expect((await send(event)).status).toBe(200);
    expect(stripe.asked.filter(({ method }) => method === 'DELETE').at(-1)).toMatchObject({
      path: `/v1/subscriptions/${older.subscription.id}`,
      form: { prorate: 'true', invoice_now: 'true' },
    });
    expect(await mine(token)).toMatchObject({
      plan: 'PROFESSIONAL',
      status: 'ACTIVE',
      payment_subscription_id: newer.subscription.id,
    });
    app.clock.advance(5_000);
    await send(later(older.subscription, { status: 'canceled' }, 'deleted'));
    const doubles = (await told(token)).filter(({ data }) => data['event'] === 'double_ended');
    expect(doubles).toMatchObject([{ type: 'PAYMENT', data: { plan: 'BASIC', kept_plan: 'PROFESSIONAL' } }]);
    await app.call('POST', '/payment/cancel-subscription', { token, body: { cancel_at_period_end: false } });
    const running = [older, newer].filter(
      ({ subscription: { id } }) => stripe.things.get(id)?.['status'] !== 'canceled',
    );
    expect([running, (await mine(token))['status']]).toEqual([[], 'CANCELED']);
  });

  test('who paid twice is told of the one that was ended, also when another event of that moment comes between', async () => {
    const { token, user } = await subscriber();
    const [basic, professional] = [await pageOf(token, 'BASIC'), await pageOf(token, 'PROFESSIONAL')];
    Object.assign(stripe.things.get(basic) ?? {}, { status: 'open' });
    const older = stripe.pay(basic);
    app.clock.advance(5_000);
    const newer = stripe.pay(professional);
    for (const event of older.events) await send(event);
    let times = 0;
    stripe.whileItEnds(async () => {
      times += 1;
      await app.kernel.commit({
        changes: [put(instanceValue, { id: 'test:between', value: '1' })],
        guards: [await app.kernel.guard('payments', user.id)],
        actor: null,
      });
    });
    for (const event of newer.events) expect((await send(event)).status).toBe(200);
    stripe.whileItEnds(() => Promise.resolve());
    const doubles = (await told(token)).filter(({ data }) => data['event'] === 'double_ended');
    expect([times, doubles]).toMatchObject([1, [{ data: { plan: 'BASIC', kept_plan: 'PROFESSIONAL' } }]]);
  });

  test('what was paid for is not sold again although every event of it got lost', async () => {
    const { token } = await subscriber();
    const { subscription } = stripe.pay(await pageOf(token, 'BASIC'));
    const again = await checkout(token);
    expect([again.status, body(again)['code']]).toEqual([409, 'ALREADY_SUBSCRIBED']);
    expect(await mine(token)).toMatchObject({
      plan: 'BASIC',
      status: 'ACTIVE',
      payment_subscription_id: subscription.id,
    });
  });

  test('a Stripe that is away is asked three times, then the caller is told; nothing has changed', async () => {
    const { token } = await subscriber();
    const before = await mine(token);
    const asked = stripe.asked.length;
    stripe.fail('error', 'cut', 'limit');
    const reply = await checkout(token);
    expect([reply.status, body(reply)['code']]).toEqual([503, 'PAYMENT_PROVIDER_UNAVAILABLE']);
    expect(reply.headers.get('retry-after')).toBe('30');
    expect(stripe.asked.length - asked).toBe(3);
    expect(await mine(token)).toEqual(before);
    // one failure is got over without anybody noticing
    stripe.fail('error');
    expect((await checkout(token)).status).toBe(200);
  });

  test('what Stripe does not take is not asked again: the caller is told so, and nothing has changed', async () => {
    const { token } = await subscriber();
    await checkout(token);
    const before = await mine(token);
    for (const trouble of ['refused', 'key for tests'] as const) {
      const asked = stripe.asked.length;
      stripe.fail(trouble);
      const reply = await checkout(token);
      expect([reply.status, body(reply)['code']]).toEqual([422, 'PAYMENT_REFUSED']);
      expect(stripe.asked.length - asked).toBe(1);
    }
    expect(await mine(token)).toEqual(before);
  });

  test('a person whom Stripe does not know any more is made known anew, and buys', async () => {
    const { token } = await subscriber();
    await checkout(token);
    const { payment_customer_id: customer } = await mine(token);
    stripe.things.delete(String(customer));
    const page = await pageOf(token, 'BASIC');
    expect((await mine(token))['payment_customer_id']).not.toBe(customer);
    for (const event of stripe.pay(page).events) await send(event);
    expect(await mine(token)).toMatchObject({ plan: 'BASIC', status: 'ACTIVE' });
  });

  test.each([
    ['that has ended at Stripe', 'ended', true],
    ['that has ended at Stripe', 'ended', false],
    ['that Stripe does not know', 'gone', true],
    ['that Stripe does not know', 'gone', false],
  ] as const)('cancelling a subscription %s is done already (%s, %s)', async (_what, how, atPeriodEnd) => {
    const { token, subscription } = await paid();
    app.clock.advance(5_000);
    if (how === 'gone') stripe.things.delete(subscription.id);
    else Object.assign(stripe.things.get(subscription.id) ?? {}, { status: 'canceled' });
    const reply = await app.call('POST', '/payment/cancel-subscription', {
      token,
      body: { cancel_at_period_end: atPeriodEnd },
    });
    expect([reply.status, body(reply)['status'], (await mine(token))['status']]).toEqual([
      200,
      'CANCELED',
      'CANCELED',
    ]);
  });

  test('who has cancelled may choose FREE again, pays nothing and creates', async () => {
    const { token, subscription } = await paid();
    app.clock.advance(5_000);
    const farm = () => app.call('POST', '/farms/', { token, body: { name: 'Norte' } });
    const free = () =>
      checkout(token, { plan: 'FREE', success_url: 'https://farm.example/{CHECKOUT_SESSION_ID}' });
    expect(body(await free())['code']).toBe('PLAN_NOT_SOLD');
    await app.call('POST', '/payment/cancel-subscription', { token, body: { cancel_at_period_end: false } });
    expect((await farm()).status).toBe(403);
    const asked = stripe.asked.length;
    const { session_id: id, url } = body(await free());
    expect([url, stripe.asked.length]).toEqual([`https://farm.example/${String(id)}`, asked]);
    const chosen = {
      plan: 'FREE',
      status: 'ACTIVE',
      current_period_end: null,
      payment_subscription_id: null,
    };
    expect(await mine(token)).toMatchObject(chosen);
    expect((await farm()).status).toBe(201);
    // what is told late of the one that ended is of the past
    const late = stripe.event('invoice.paid', {
      ...stripe.invoiceOf(subscription, 'subscription_cycle'),
      lines: { data: [{ period: { start: stripe.seconds(), end: stripe.seconds() + 60 } }] },
    });
    expect((await send(late)).status).toBe(200);
    expect(await mine(token)).toMatchObject(chosen);
    expect(body(await free())['code']).toBe('PLAN_NOT_SOLD');
    // and the way to a larger plan is open
    expect((await checkout(token)).status).toBe(200);
  });

  describe('asked after what it told, and did not tell', () => {
    /** Tokens end after a month; accounts do not. */
    const again = async (email: string) => {
      const login = await app.call('POST', '/auth/login', {
        body: { email, password: 'camarao-123', remember_me: true },
      });
      return String(body(login)['access_token']);
    };
    const DAY_MS = 86_400_000;
    const asksAfter = (id: string) =>
      stripe.asked.filter(({ method, path }) => method === 'GET' && path === `/v1/subscriptions/${id}`)
        .length;
    /** The paid month is over, and Stripe has told nothing of what came then. */
    async function unheard(set: Record<string, unknown> | null) {
      const bought = await paid();
      await app.payments.look();
      app.clock.advance(30 * DAY_MS + 60_000);
      if (set === null) stripe.things.delete(bought.subscription.id);
      else Object.assign(stripe.things.get(bought.subscription.id) ?? {}, set);
      return bought;
    }

    test('a renewal that Stripe did not tell of counts a day later, and a month goes by until it is asked again', async () => {
      const start = () => stripe.seconds() + 30 * 86_400;
      const { email, subscription } = await unheard({
        items: { data: [stripe.itemOf('price_basic_brl_1', start())] },
      });
      const { id } = subscription;
      expect(asksAfter(id)).toBe(1);
      await app.payments.look();
      expect(asksAfter(id)).toBe(1);
      app.clock.advance(DAY_MS);
      await app.payments.look();
      await app.payments.look();
      expect(asksAfter(id)).toBe(2);
      expect(await mine(await again(email))).toMatchObject({ status: 'ACTIVE', payment_subscription_id: id });
      app.clock.advance(27 * DAY_MS);
      await app.payments.look();
      expect(asksAfter(id)).toBe(2);
    });

    test.each([
      ['a cancellation', { status: 'canceled' }, 'CANCELED'],
      ['a payment that is missing', { status: 'past_due' }, 'PAST_DUE'],
      ['an end for good', null, 'CANCELED'],
    ] as const)(
      '%s that Stripe did not tell of is known a day after the paid month',
      async (_what, set, status) => {
        const { email } = await unheard(set);
        app.clock.advance(DAY_MS);
        const token = await again(email);
        if (status === 'PAST_DUE') {
          // Stripe is away; an hour later it is not
          stripe.fail('error', 'error', 'error');
          await app.payments.look();
          expect((await mine(token))['status']).toBe('ACTIVE');
        }
        await app.payments.look();
        expect((await mine(token))['status']).toBe(status);
      },
    );

    test('with the key of another account nobody loses what they pay for, and most are not even asked after', async () => {
      const people = [];
      for (let n = 0; n < 4; n += 1) people.push(await paid());
      await app.payments.look();
      app.clock.advance(32 * DAY_MS);
      const back = stripe.asOtherAccount();
      const asked = stripe.asked.length;
      await app.payments.look();
      const missed = stripe.asked.slice(asked).filter(({ path }) => path.startsWith('/v1/subscriptions/'));
      const cancelled = await app.call('POST', '/payment/cancel-subscription', {
        token: await again(people[0]?.email ?? ''),
        body: { cancel_at_period_end: false },
      });
      back();
      const statuses = [];
      for (const { email } of people) statuses.push((await mine(await again(email)))['status']);
      expect([missed.length, cancelled.status, body(cancelled)['code'], statuses]).toEqual([
        3,
        422,
        'PAYMENT_REFUSED',
        ['ACTIVE', 'ACTIVE', 'ACTIVE', 'ACTIVE'],
      ]);
      const error = app.sentences.find(({ sentence }) => sentence.includes('key that of another account'));
      expect(error?.level).toBe('error');
      // with the right key again what it says counts
      app.clock.advance(2 * DAY_MS);
      Object.assign(stripe.things.get(people[0]?.subscription.id ?? '') ?? {}, { status: 'canceled' });
      for (const _round of [1, 2]) await app.payments.look();
      expect((await mine(await again(people[0]?.email ?? '')))['status']).toBe('CANCELED');
    });

    test('with the key of another account nobody is deleted who would go on paying; with the right one again they are', async () => {
      const { token, subscription } = await paid();
      const remove = () => app.call('DELETE', '/users/me', { token, body: { password: 'camarao-123' } });
      const back = stripe.asOtherAccount();
      const refused = await remove();
      back();
      expect([refused.status, body(refused)['code'], (await mine(token))['status']]).toEqual([
        422,
        'PAYMENT_REFUSED',
        'ACTIVE',
      ]);
      expect(app.sentences.findLast(({ level }) => level === 'error')).toMatchObject({
        fields: { subscription: subscription.id },
      });
      expect((await remove()).status).toBe(204);
      expect(stripe.things.get(subscription.id)?.['status']).toBe('canceled');
      // who pays nothing is not kept by a provider that knows nobody
      const other = await subscriber();
      await checkout(other.token);
      const known = [...stripe.things];
      stripe.things.clear();
      const gone = await app.call('DELETE', '/users/me', {
        token: other.token,
        body: { password: 'camarao-123' },
      });
      for (const [id, thing] of known) stripe.things.set(id, thing);
      expect(gone.status).toBe(204);
    });

    test('a purchase that Stripe never told of is found within hours', async () => {
      const { token } = await subscriber();
      stripe.pay(await pageOf(token, 'BASIC'));
      app.clock.advance(2 * 3_600_000);
      await app.payments.look();
      expect(await mine(token)).toMatchObject({ plan: 'BASIC', status: 'ACTIVE' });
    });

    test('a card that ends is told in its last month and once it has ended, a new one in time is not', async () => {
      const now = new Date(app.clock.now());
      const ends = { year: now.getUTCFullYear() + 1, month: now.getUTCMonth() + 1 };
      const [kept, replaced] = [await paid(ends), await paid(ends)];
      await app.payments.look();
      const cards = async ({ email }: { email: string }) =>
        (await told(await again(email)))
          .filter(({ data }) => data['event'] === 'payment_method_expired')
          .map(({ title, data }) => [title, data['last4'], data['expires_month'], data['expires_year']]);
      expect(await cards(kept)).toEqual([]);
      const method = stripe.things.get(String(replaced.subscription['default_payment_method']));
      Object.assign(method ?? {}, { card: { last4: '1881', exp_year: ends.year + 3, exp_month: 1 } });
      app.clock.set(Date.UTC(ends.year, ends.month - 1, 1));
      for (const _again of [1, 2]) await app.payments.look();
      const said = (title: string) => [title, '4242', ends.month, ends.year];
      expect(await cards(kept)).toEqual([said('Forma de pagamento vencendo')]);
      app.clock.set(Date.UTC(ends.year, ends.month, 2));
      for (const _again of [1, 2]) await app.payments.look();
      expect(await cards(kept)).toEqual([
        said('Forma de pagamento vencida'),
        said('Forma de pagamento vencendo'),
      ]);
      expect(await cards(replaced)).toEqual([]);
    });
  });

  test('an event that could not be stored is asked for again, and then counts', async () => {
    const { token, subscription } = await paid();
    const event = later(subscription, { cancel_at_period_end: true });
    const rename = (from: string, to: string) =>
      sql.raw(`alter table ${from} rename to ${to}`).execute(app.database.read);
    await rename('provider_subscriptions', 'away');
    const reply = await send(event);
    await rename('away', 'provider_subscriptions');
    expect(reply.status).toBe(500);
    expect(await outcomeOf(event.id)).toBeNull();
    app.sentences.splice(0);
    expect((await send(event)).status).toBe(200);
    expect((await mine(token))['cancel_at_period_end']).toBe(true);
  });

  test('bodies that are too large, or signed nonsense, are refused', async () => {
    const api = `${app.base}/api/v1`;
    const at = { atS: stripe.seconds() };
    expect((await sendSigned(api, `{"x":"${'a'.repeat(600_000)}"}`, at)).status).toBe(413);
    expect((await sendSigned(api, 'not json', at)).status).toBe(400);
    const odd = stripe.event('customer.subscription.updated', { id: 7, note: 'SECRET-IN-BODY' });
    const reply = await send(odd);
    expect(reply.status).toBe(400);
    expect(await reply.text()).toContain('UNREADABLE_EVENT');
    expect(JSON.stringify(app.sentences)).not.toContain('SECRET-IN-BODY');
  });

  test('in whatever order a life of a subscription is told, it ends the same', async () => {
    const orders = fc.sample(fc.shuffledSubarray([...Array(11).keys()], { minLength: 11 }), {
      numRuns: engine === 'sqlite' ? 12 : 5,
      seed: 20_261_120,
    });
    const inOrder = await afterLife([...Array(11).keys()]);
    for (const order of orders) {
      // what an earlier one repeats changes nothing
      expect(await afterLife([...order, ...order.slice(0, 3)]), order.join(' ')).toEqual(inOrder);
    }
  });

  async function afterLife(order: readonly number[]) {
    const { token } = await subscriber();
    const startS = stripe.seconds();
    const { session_id } = body(await checkout(token)) as { session_id: string };
    const { events, subscription } = stripe.pay(session_id);
    const invoice = stripe.invoiceOf(subscription, 'subscription_cycle');
    app.clock.advance(10_000);
    const life = [
      ...events,
      stripe.event('invoice.payment_failed', invoice),
      later(subscription, { status: 'past_due' }),
      later(subscription, { items: { data: [stripe.itemOf('price_pro_brl_1', startS + 86_400)] } }),
      stripe.event('invoice.paid', { ...invoice, amount_paid: 14_900 }, stripe.seconds() + 1),
      later(subscription, { status: 'active', cancel_at_period_end: true }),
    ];
    for (const position of order) {
      const event = life[position];
      if (event !== undefined) expect((await send(event)).status).toBe(200);
    }
    const { plan, status, currency, cancel_at_period_end, grace_ends_at, ...row } = await mine(token);
    const since = (field: string) => Date.parse(String(row[field])) / 1000 - startS;
    return {
      plan,
      status,
      currency,
      cancel_at_period_end,
      grace_ends_at,
      start: since('current_period_start'),
      end: since('current_period_end'),
      isItsOwn: row['payment_subscription_id'] === subscription.id,
      receipts: (await told(token)).filter(({ data }) => data['event'] === 'payment_succeeded').length,
    };
  }

  test('no secret and no address of a page stands in the log', async () => {
    const written = JSON.stringify(
      app.sentences.map(({ fields, sentence }) => [sentence, ...Object.values(fields).map(String)]),
    );
    for (const secret of [STRIPE_KEY, WEBHOOK_SECRET, 'checkout.stripe.example', 'Stripe-Signature', 'v1='])
      expect(written).not.toContain(secret);
  });
});

describe('a gateway whose clock nobody can trust', () => {
  test('takes what Stripe signed, whatever its own clock says', async () => {
    const stripe = await startFakeStripe(() => Date.UTC(2026, 2, 2, 12));
    const app = await startApp('sqlite', [...stripe.args, '--trust-clock', 'no']);
    app.clock.advance(400 * 86_400_000);
    const { token } = await app.signUp();
    const reply = await app.call('POST', '/payment/create-checkout-session', {
      token,
      body: { plan: 'BASIC', ...BACK },
    });
    const { events } = stripe.pay(String(body(reply)['session_id']));
    for (const event of events) {
      const sent = await sendSigned(`${app.base}/api/v1`, JSON.stringify(event), { atS: stripe.seconds() });
      expect(sent.status).toBe(200);
    }
    expect(body(await app.call('GET', '/subscriptions/me', { token }))).toMatchObject({ plan: 'BASIC' });
    const forged = await sendSigned(`${app.base}/api/v1`, '{}', {
      secret: 'whsec_other',
      atS: stripe.seconds(),
    });
    expect(forged.status).toBe(400);
    await app.close();
    await stripe.close();
  });
});
