import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { requireSignature, signatureOf } from '#adapters/payments/read-stripe-event.ts';
import { monthsAfter } from '#adapters/payments/sandbox/billing.ts';
import { type App, body, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';

const BACK = {
  success_url: 'https://farm.example/paid?session={CHECKOUT_SESSION_ID}',
  cancel_url: 'https://farm.example/plans',
};
const GOOD = '4242 4242 4242 4242';
const DECLINED = '4000 0000 0000 0002';
const FAILS_LATER = '4000 0000 0000 0341';
const PAYS_LATER = '4000 0000 0000 3220';
const DAY_MS = 86_400_000;

onBothEngines('without a payment provider the sandbox', (_open, engine) => {
  let app: App;
  // time only goes on: what earlier people bought is renewed along with the rest
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.close());

  const tick = () => app.payments.tick?.();
  const checkout = async (token: string, fields: Record<string, unknown> = {}) => {
    const reply = await app.call('POST', '/payment/create-checkout-session', {
      token,
      body: { plan: 'BASIC', ...BACK, ...fields },
    });
    expect(reply.status).toBe(200);
    return body(reply) as { session_id: string; url: string };
  };
  /** Sends a form of a page, as a browser does, and stays where it was sent. */
  const submit = async (url: string, fields: Record<string, string>) => {
    const reply = await fetch(url, { method: 'POST', redirect: 'manual', body: new URLSearchParams(fields) });
    return { status: reply.status, location: reply.headers.get('location'), html: await reply.text() };
  };
  const pay = (url: string, number: string, expiry = '12/30') => submit(url, { number, expiry, code: '123' });
  const nowIso = () => new Date(app.clock.now()).toISOString();
  const setTo = (instant: string, plusMs = 0) => app.clock.set(Date.parse(instant) + plusMs);
  /** Tokens end after a month; accounts do not. */
  const again = async (email: string) => {
    const login = await app.call('POST', '/auth/login', {
      body: { email, password: 'camarao-123', remember_me: true },
    });
    return String(body(login)['access_token']);
  };
  const mine = async (token: string) => body(await app.call('GET', '/subscriptions/me', { token }));
  const told = async (token: string) => {
    const reply = await app.call('GET', '/notifications/?page_size=100', { token });
    return (body(reply)['notifications'] as { data: Record<string, unknown> }[]).map(({ data }) =>
      String(data['event']),
    );
  };
  const portalOf = async (token: string) => {
    const reply = await app.call('POST', '/payment/create-billing-portal', {
      token,
      body: { return_url: 'https://farm.example/me' },
    });
    return String(body(reply)['url']);
  };
  /** A person who has bought BASIC with a card. */
  async function paidWith(number: string, expiry?: string) {
    const { token, user } = await app.signUp({ plan: null });
    const { url } = await checkout(token);
    const boughtAt = nowIso();
    expect((await pay(url, number, expiry)).status).toBe(303);
    return { token, userId: user.id, email: user.email, url, boughtAt };
  }

  test('sells a plan on a page of its own, and brings the person back with the plan there already', async () => {
    const { token, user } = await app.signUp({ plan: null });
    const { session_id, url } = await checkout(token);
    expect(url).toBe(`${app.base}/api/v1/payment/sandbox/checkout/${session_id}`);
    const page = await fetch(url);
    expect(page.status).toBe(200);
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toMatch(/style-src 'sha256-[\w+/=]+';/);
    expect(policy).toContain("form-action 'self' https://farm.example;");
    expect(policy).toContain("frame-ancestors 'none'");
    const html = await page.text();
    expect(html).toContain('<html lang="pt-BR">');
    expect(html).toContain('R$ 149,00');
    expect(html).toContain(user.email);
    // nothing is loaded from anywhere
    expect(html).not.toMatch(/<script|<img|<iframe|\bsrc=/);
    const sent = await pay(url, GOOD);
    expect([sent.status, sent.location]).toEqual([303, `https://farm.example/paid?session=${session_id}`]);
    expect(await mine(token)).toMatchObject({
      plan: 'BASIC',
      status: 'ACTIVE',
      payment_customer_id: expect.stringMatching(/^cus_/),
      payment_subscription_id: expect.stringMatching(/^sub_/),
      current_period_end: monthsAfter(nowIso(), 1),
    });
    expect(new Set(await told(token))).toEqual(new Set(['created', 'payment_succeeded', 'invoice_ready']));
  });

  test('speaks English to who asks for it', async () => {
    const { token } = await app.signUp({ plan: null });
    const reply = await app.call('POST', '/payment/create-checkout-session', {
      token,
      headers: { 'Accept-Language': 'en' },
      body: { plan: 'PROFESSIONAL', currency: 'USD', ...BACK },
    });
    const html = await (await fetch(String(body(reply)['url']))).text();
    expect(html).toContain('<html lang="en">');
    expect(html).toContain('US$ 99.00');
    expect(html).toContain('Cancel and go back');
  });

  test('charges once, however often the button is pressed', async () => {
    const { token } = await app.signUp({ plan: null });
    const { url } = await checkout(token);
    const presses = Array.from({ length: 8 }, () => pay(url, GOOD));
    const replies = await Promise.all(presses);
    expect(replies.map(({ status }) => status)).toEqual(expect.arrayContaining([303]));
    expect((await pay(url, GOOD)).html).toContain('Pagamento concluído');
    const portal = await (await fetch(await portalOf(token))).text();
    expect(portal.match(/sandbox\/invoices\//g)).toHaveLength(1);
  });

  test('refuses cards that are declined, expired or real, and charges nothing', async () => {
    const { token } = await app.signUp({ plan: null });
    const { url } = await checkout(token);
    const replies = [
      await pay(url, DECLINED),
      await pay(url, GOOD, '01/26'),
      await pay(url, GOOD, 'soon'),
      await pay(url, '5555 5555 5555 4444'),
    ];
    expect(replies.map(({ status }) => status)).toEqual([402, 402, 402, 402]);
    expect(replies[0]?.html).toContain('O cartão foi recusado');
    expect(replies[3]?.html).toContain('cartões de verdade não são aceitos');
    expect(await mine(token)).toMatchObject({ plan: 'FREE', payment_subscription_id: null });
    // a card that nobody charged is no payment
    expect(await told(token)).toEqual(['payment_failed']);
    await pay(url, DECLINED);
    await pay((await checkout(token)).url, DECLINED);
    expect(await told(token)).toEqual(['payment_failed', 'payment_failed']);
    // what was typed is written down nowhere
    expect(await everything()).not.toMatch(/4242 ?4242 ?4242|5555 ?5555 ?5555/);
  });

  async function everything(): Promise<string> {
    const { read } = app.database;
    const rows = [
      await read.selectFrom('payment_objects').selectAll().execute(),
      await read.selectFrom('provider_subscriptions').selectAll().execute(),
      await read.selectFrom('sync_change').select('body_json').execute(),
    ];
    return JSON.stringify([rows, app.sentences]);
  }

  test('takes money that arrives later, and the plan waits for it', async () => {
    const { token } = await paidWith(PAYS_LATER);
    await tick();
    expect(await mine(token)).toMatchObject({ plan: 'FREE', status: 'ACTIVE' });
    app.clock.advance(59_000);
    await tick();
    expect((await mine(token))['plan']).toBe('FREE');
    app.clock.advance(2_000);
    await tick();
    expect(await mine(token)).toMatchObject({ plan: 'BASIC', status: 'ACTIVE' });
    expect(await told(token)).toContain('payment_succeeded');
  });

  test('sells one plan to who has two pages open, and closes the page for what is there already', async () => {
    const { token, user } = await app.signUp({ plan: null });
    const [first, second] = [await checkout(token), await checkout(token, { plan: 'PROFESSIONAL' })];
    expect((await pay(first.url, GOOD)).status).toBe(410);
    expect((await pay(second.url, PAYS_LATER)).status).toBe(303);
    // while that money is on its way the person buys something else
    const third = await checkout(token);
    expect((await pay(third.url, GOOD)).status).toBe(303);
    app.clock.advance(61_000);
    await tick();
    expect(await mine(token)).toMatchObject({ plan: 'BASIC', status: 'ACTIVE' });
    expect(await runningOf(user.id)).toEqual(['BASIC active']);
    expect((await told(token)).filter((event) => event === 'payment_succeeded')).toHaveLength(1);
  });

  test('changes the plan of who pays already, also on a page that was opened before that', async () => {
    const { token, user } = await app.signUp({ plan: null });
    const [basic, professional] = [await checkout(token), await checkout(token, { plan: 'PROFESSIONAL' })];
    await reopen(basic.session_id);
    expect((await pay(basic.url, GOOD)).status).toBe(303);
    expect(await (await fetch(professional.url)).text()).toContain('Mudar para o plano');
    expect((await pay(professional.url, GOOD)).status).toBe(303);
    expect(await mine(token)).toMatchObject({ plan: 'PROFESSIONAL', status: 'ACTIVE' });
    expect(await runningOf(user.id)).toEqual(['PROFESSIONAL active']);
    await reopen(professional.session_id);
    expect((await pay(professional.url, GOOD)).status).toBe(410);
    expect(await runningOf(user.id)).toEqual(['PROFESSIONAL active']);
  });

  /** As if it had been asked for at the very moment of another one. */
  async function reopen(id: string): Promise<void> {
    await sql`update payment_objects set body = replace(replace(body, '"expired"', '"open"'), '"complete"', '"open"')
      where id = ${id}`.execute(app.database.read);
  }

  async function runningOf(userId: string): Promise<string[]> {
    const rows = await app.database.read
      .selectFrom('payment_objects')
      .select('body')
      .where('kind', '=', 'subscription')
      .execute();
    const bodies = rows.map(({ body: text }) => JSON.parse(String(text)) as Record<string, unknown>);
    return bodies
      .filter(({ user_id, status }) => user_id === userId && status !== 'canceled')
      .map(({ plan, status }) => `${String(plan)} ${String(status)}`);
  }

  test('lets a page that nobody used expire after a day', async () => {
    const { token } = await app.signUp({ plan: null });
    const { url } = await checkout(token);
    app.clock.advance(DAY_MS);
    expect((await fetch(url)).status).toBe(410);
    expect((await pay(url, GOOD)).status).toBe(410);
    await tick();
    expect((await pay(url, GOOD)).status).toBe(410);
    expect((await fetch(`${app.base}/api/v1/payment/sandbox/checkout/cs_sandbox_unknown`)).status).toBe(404);
    // a week later there is no trace of it
    app.clock.advance(8 * DAY_MS);
    await tick();
    expect((await fetch(url)).status).toBe(404);
  });

  test('renews month by month, also what came due while the box was off', async () => {
    const { email, boughtAt } = await paidWith(GOOD);
    setTo(monthsAfter(boughtAt, 3), 5 * DAY_MS);
    await tick();
    const token = await again(email);
    expect(await mine(token)).toMatchObject({
      status: 'ACTIVE',
      current_period_start: monthsAfter(boughtAt, 3),
      current_period_end: monthsAfter(boughtAt, 4),
    });
    const paid = (await told(token)).filter((event) => event === 'payment_succeeded');
    expect(paid).toHaveLength(4);
    await tick();
    expect((await told(token)).filter((event) => event === 'payment_succeeded')).toHaveLength(4);
  });

  test('tries a card that fails again for 15 days, and then ends the subscription', async () => {
    const { email, boughtAt } = await paidWith(FAILS_LATER);
    const due = monthsAfter(boughtAt, 1);
    setTo(due);
    await tick();
    const token = await again(email);
    expect(await mine(token)).toMatchObject({
      status: 'PAST_DUE',
      plan: 'BASIC',
      grace_ends_at: new Date(Date.parse(due) + 14 * DAY_MS).toISOString(),
    });
    for (const [days, failures] of [
      [2, 1],
      [3, 2],
      [8, 3],
    ] as const) {
      setTo(due, days * DAY_MS);
      await tick();
      expect((await told(token)).filter((event) => event === 'payment_failed')).toHaveLength(failures);
    }
    expect((await mine(token))['status']).toBe('PAST_DUE');
    setTo(due, 15 * DAY_MS);
    await tick();
    expect(await mine(token)).toMatchObject({ status: 'CANCELED' });
  });

  test('takes the missing payment as soon as a good card is entered in the portal', async () => {
    const { email, boughtAt } = await paidWith(FAILS_LATER);
    setTo(monthsAfter(boughtAt, 1));
    await tick();
    const token = await again(email);
    const url = await portalOf(token);
    expect(await (await fetch(url)).text()).toContain('pagamento em atraso');
    expect((await submit(url, { action: 'card', number: DECLINED, expiry: '12/30' })).status).toBe(402);
    expect((await mine(token))['status']).toBe('PAST_DUE');
    const saved = await submit(url, { action: 'card', number: GOOD, expiry: '12/30' });
    expect([saved.status, saved.location]).toEqual([303, new URL(url).pathname]);
    expect(await mine(token)).toMatchObject({ status: 'ACTIVE', grace_ends_at: null });
    const [, invoice] = /href="([^"]+invoices[^"]+)"/.exec(await (await fetch(url)).text()) ?? [];
    const shown = await fetch(new URL(invoice ?? '', url));
    expect(shown.status).toBe(200);
    expect(await shown.text()).toContain('R$ 149,00');
  });

  test('cancels and takes it back in the portal; the end comes with the period', async () => {
    const { token, email, boughtAt } = await paidWith(GOOD);
    const url = await portalOf(token);
    await submit(url, { action: 'cancel' });
    expect(await mine(token)).toMatchObject({ status: 'ACTIVE', cancel_at_period_end: true });
    app.clock.advance(5_000);
    await submit(url, { action: 'resume' });
    expect(await mine(token)).toMatchObject({ status: 'ACTIVE', cancel_at_period_end: false });
    app.clock.advance(5_000);
    const reply = await app.call('POST', '/payment/cancel-subscription', { token, body: {} });
    expect(body(reply)).toMatchObject({ status: 'ACTIVE', cancel_at_period_end: true });
    await tick();
    setTo(monthsAfter(boughtAt, 1));
    await tick();
    expect(await mine(await again(email))).toMatchObject({ status: 'CANCELED', plan: 'BASIC' });
    // the portal's address is of no use any more
    expect((await fetch(url)).status).toBe(404);
  });

  test('changes the plan of who pays already for the difference, and at once ends what is cancelled so', async () => {
    const { token, boughtAt } = await paidWith(GOOD);
    const end = monthsAfter(boughtAt, 1);
    setTo(boughtAt, (Date.parse(end) - Date.parse(boughtAt)) / 2);
    const { url } = await checkout(token, { plan: 'PROFESSIONAL' });
    const html = await (await fetch(url)).text();
    expect(html).toContain('R$ 499,00');
    // half of 350
    expect(html).toContain('R$ 175,00');
    expect((await pay(url, GOOD)).status).toBe(303);
    expect(await mine(token)).toMatchObject({
      plan: 'PROFESSIONAL',
      current_period_end: end,
    });
    app.clock.advance(5_000);
    const reply = await app.call('POST', '/payment/cancel-subscription', {
      token,
      body: { cancel_at_period_end: false },
    });
    expect(body(reply)).toMatchObject({ status: 'CANCELED' });
    await tick();
    expect(await mine(token)).toMatchObject({ plan: 'PROFESSIONAL', status: 'CANCELED' });
  });

  test('ends at once what was to end with the period, and then nothing is going to end any more', async () => {
    const { token } = await paidWith(GOOD);
    const cancel = (sent: object) => app.call('POST', '/payment/cancel-subscription', { token, body: sent });
    expect(body(await cancel({}))).toMatchObject({ status: 'ACTIVE', cancel_at_period_end: true });
    app.clock.advance(5_000);
    expect(body(await cancel({ cancel_at_period_end: false }))).toMatchObject({
      status: 'CANCELED',
      cancel_at_period_end: false,
    });
    await tick();
    expect(await mine(token)).toMatchObject({ status: 'CANCELED', cancel_at_period_end: false });
  });

  test('tells of a card in its last month', async () => {
    const last = new Date(monthsAfter(nowIso(), 4));
    const month = last.getUTCMonth() + 1;
    const firstDay = Date.UTC(last.getUTCFullYear(), month - 1, 1);
    const { email } = await paidWith(GOOD, `${String(month).padStart(2, '0')}/${last.getUTCFullYear()}`);
    app.clock.set(firstDay - DAY_MS);
    await tick();
    expect(await told(await again(email))).not.toContain('payment_method_expired');
    app.clock.set(firstDay);
    await tick();
    await tick();
    // asked after besides: it is one card and one piece of news
    await app.payments.look();
    expect(
      (await told(await again(email))).filter((event) => event === 'payment_method_expired'),
    ).toHaveLength(1);
  });

  test('sends its events until they are taken', async () => {
    const { token } = await app.signUp({ plan: null });
    const { url } = await checkout(token);
    const rename = (from: string, to: string) =>
      sql.raw(`alter table ${from} rename to ${to}`).execute(app.database.read);
    await rename('payment_events', 'away');
    expect((await pay(url, GOOD)).status).toBe(303);
    await rename('away', 'payment_events');
    expect((await mine(token))['plan']).toBe('FREE');
    expect(app.sentences.map(({ sentence }) => sentence)).toContain(
      'a payment event was not taken; it is sent again',
    );
    await tick();
    expect((await mine(token))['plan']).toBe('FREE');
    app.clock.advance(6_000);
    await tick();
    expect(await mine(token)).toMatchObject({ plan: 'BASIC', status: 'ACTIVE' });
  });

  test('takes events that it signed itself only', async () => {
    const { token } = await paidWith(GOOD);
    const { payment_subscription_id } = await mine(token);
    const forged = JSON.stringify({
      id: 'evt_1',
      type: 'customer.subscription.deleted',
      created: app.clock.now() / 1000,
      data: { object: { id: payment_subscription_id, status: 'canceled' } },
    });
    for (const signature of [
      undefined,
      `t=${app.clock.now() / 1000},v1=${'0'.repeat(64)}`,
      't=,v1=',
      'x'.repeat(5000),
    ]) {
      const reply = await fetch(`${app.base}/api/v1/payment/webhook`, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          ...(signature === undefined ? {} : { 'Stripe-Signature': signature }),
        },
        body: forged,
      });
      expect(reply.status).toBe(400);
    }
    expect((await mine(token))['status']).toBe('ACTIVE');
  });

  test('writes what people typed into its pages as text', async () => {
    const { token } = await app.signUp({ plan: null });
    await app.call('PUT', '/users/me', { token, body: { name: '<script>alert(1)</script>"\'&' } });
    const { url } = await checkout(token, { cancel_url: 'https://farm.example/"><b>x' });
    const html = await (await fetch(url)).text();
    const portal = await portalOf(token);
    await submit(portal, { action: 'address', address: '</textarea><script>alert(2)</script>' });
    const shown = await (await fetch(portal)).text();
    for (const text of [html, shown]) expect(text).not.toMatch(/<script|<b>x/);
    expect(shown).toContain('&lt;/textarea&gt;');
  });

  test('has pages for browsers only: other methods and other bodies are refused', async () => {
    const { token } = await app.signUp({ plan: null });
    const { url } = await checkout(token);
    expect((await fetch(url, { method: 'DELETE' })).status).toBe(405);
    const json = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{}',
    });
    expect(json.status).toBe(415);
    const long = await fetch(url, {
      method: 'POST',
      body: new URLSearchParams({ number: 'x'.repeat(20_000) }),
    });
    expect(long.status).toBe(413);
  });

  test('forgets a person whose account ends, and ends what the person paid for', async () => {
    const { token, userId } = await paidWith(GOOD);
    const { payment_customer_id: customerId } = await mine(token);
    await app.payments.endPayments(userId);
    await app.payments.endPayments(userId);
    await tick();
    expect(await mine(token)).toMatchObject({ status: 'CANCELED', payment_customer_id: null });
    const row = await app.database.read
      .selectFrom('payment_objects')
      .select('body')
      .where('id', '=', String(customerId))
      .executeTakeFirst();
    expect(row?.body).not.toContain('@');
  });

  test('logs neither the address of a page nor what opens it', async () => {
    const { token } = await paidWith(GOOD);
    await fetch(await portalOf(token));
    const written = JSON.stringify(
      app.sentences.map(({ sentence, fields }) => [sentence, Object.values(fields).map(String)]),
    );
    expect(written).not.toMatch(/cs_sandbox_|\/portal\/|v1=/);
  });
});

test.each([
  ['2026-01-31T10:00:00.000Z', 1, '2026-02-28T10:00:00.000Z'],
  ['2026-01-31T10:00:00.000Z', 2, '2026-03-31T10:00:00.000Z'],
  ['2026-11-15T23:59:59.999Z', 3, '2027-02-15T23:59:59.999Z'],
  ['2028-01-30T00:00:00.000Z', 1, '2028-02-29T00:00:00.000Z'],
])('a month of a subscription from %s, %i on, ends at %s', (from, months, until) => {
  expect(monthsAfter(from, months)).toBe(until);
});

test('what the sandbox signed counts within five minutes, early or late', () => {
  const raw = Buffer.from('{}');
  const now = Date.UTC(2026, 2, 2, 12);
  const taken = (skewS: number) => {
    try {
      requireSignature(raw, signatureOf(raw, 'secret', now + skewS * 1000), 'secret', now);
      return true;
    } catch {
      return false;
    }
  };
  expect([-301, -299, 299, 301].map(taken)).toEqual([false, true, true, false]);
});
