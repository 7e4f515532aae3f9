import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import Stripe from 'stripe';

// A host that answers as Stripe's does, as far as we ask it: customers, checkout sessions, subscriptions, portal
// sessions, idempotency keys, failures on demand. Its events are signed with the helper of Stripe's own library.

export const STRIPE_KEY = 'sk_test_4eC39HqLyjWDarjtT1zdp7dc';
export const WEBHOOK_SECRET = 'whsec_FLhW3pQ1yVxkGzJ8';
export const PRICES = {
  price_basic_brl_1: { plan: 'BASIC', currency: 'brl', amount: 14_900 },
  price_pro_brl_1: { plan: 'PROFESSIONAL', currency: 'brl', amount: 49_900 },
  price_pro_usd_1: { plan: 'PROFESSIONAL', currency: 'usd', amount: 9_900 },
} as const;
type PriceId = keyof typeof PRICES;

const MONTH_S = 30 * 86_400;

type Thing = Record<string, unknown> & { id: string };
export type StripeEventBody = {
  id: string;
  object: 'event';
  type: string;
  created: number;
  data: { object: unknown };
};
export type Asked = {
  method: string;
  path: string;
  form: Record<string, string>;
  headers: IncomingMessage['headers'];
};

/** `now`: the clock of this host, ms. */
export async function startFakeStripe(now: () => number) {
  const things = new Map<string, Thing>();
  const answers = new Map<string, { hash: string; status: number; body: unknown }>();
  const asked: Asked[] = [];
  const troubles: ('error' | 'cut' | 'limit' | 'refused' | 'key for tests')[] = [];
  const onEnd = { run: async (): Promise<void> => undefined };
  const seconds = () => Math.floor(now() / 1000);

  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const url = new URL(request.url ?? '/', base);
    const form = Object.fromEntries([...url.searchParams, ...new URLSearchParams(body)]);
    const method = request.method ?? 'GET';
    asked.push({ method, path: url.pathname, form, headers: request.headers });
    if (method === 'DELETE') await onEnd.run();
    const trouble = troubles.shift();
    if (trouble === 'cut') return void request.socket.destroy();
    const send = (status: number, answer: unknown) => {
      response.writeHead(status, {
        'Content-Type': 'application/json',
        'Request-Id': `req_${randomBytes(6).toString('hex')}`,
        Date: new Date(now()).toUTCString(),
      });
      response.end(JSON.stringify(answer));
    };
    if (trouble === 'error')
      return send(500, { error: { type: 'api_error', message: 'Something is wrong' } });
    if (trouble === 'refused')
      return send(400, {
        error: { type: 'invalid_request_error', code: 'url_invalid', param: 'success_url' },
      });
    if (trouble === 'key for tests') {
      const message = 'No such thing; a similar object exists in live mode, but a test mode key was used';
      return send(404, { error: { type: 'invalid_request_error', code: 'resource_missing', message } });
    }
    if (trouble === 'limit')
      return send(429, { error: { type: 'invalid_request_error', code: 'rate_limit' } });
    if (request.headers.authorization !== `Bearer ${STRIPE_KEY}`)
      return send(401, { error: { type: 'invalid_request_error', message: 'Invalid API Key provided' } });
    const key = request.headers['idempotency-key'];
    const hash = createHash('sha256').update(`${method} ${url.pathname} ${body}`).digest('hex');
    const known = typeof key === 'string' ? answers.get(key) : undefined;
    if (known !== undefined && known.hash !== hash)
      return send(400, { error: { type: 'idempotency_error', message: 'Keys can only be used once' } });
    const answer = known ?? answerTo(method, url.pathname, form);
    if (typeof key === 'string') answers.set(key, { hash, ...answer });
    send(answer.status, answer.body);
  }

  function answerTo(
    method: string,
    path: string,
    form: Record<string, string>,
  ): { status: number; body: unknown } {
    const parts = path.split('/').slice(2);
    const id = parts.find((part) => /^[a-z]+_.*[0-9a-f]{8}/.test(part)) ?? '';
    switch (`${method} /${parts.map((part) => (part === id ? ':id' : part)).join('/')}`) {
      case 'POST /customers':
        return made('cus', {
          object: 'customer',
          email: form['email'],
          name: form['name'],
          metadata: nested(form, 'metadata'),
        });
      case 'GET /customers/:id':
        return found(id, (customer) => customer);
      case 'DELETE /customers/:id':
        return found(id, (customer) => {
          for (const thing of things.values())
            if (thing['customer'] === customer.id) thing['status'] = 'canceled';
          return { id, object: 'customer', deleted: true };
        });
      case 'POST /checkout/sessions':
        return newSession(form);
      case 'GET /checkout/sessions':
        return listed('checkout.session', form, ({ status }) => status === form['status']);
      case 'GET /checkout/sessions/:id':
        return found(id, (session) => session);
      case 'POST /checkout/sessions/:id/expire':
        return found(id, (session) =>
          session['status'] === 'open' ? Object.assign(session, { status: 'expired' }) : null,
        );
      case 'POST /billing_portal/sessions':
        if (!things.has(form['customer'] ?? '')) return missing('customer');
        return made('bps', {
          object: 'billing_portal.session',
          url: `https://billing.stripe.example/p/${randomBytes(6).toString('hex')}`,
          customer: form['customer'],
          return_url: form['return_url'],
        });
      case 'GET /subscriptions':
        if (!things.has(form['customer'] ?? '')) return missing('customer');
        return listed('subscription', form, ({ status }) => status !== 'canceled');
      case 'GET /subscriptions/:id':
        return found(id, (subscription) => expanded(subscription, form), true);
      case 'POST /subscriptions/:id':
        return found(id, (subscription) =>
          Object.assign(subscription, { cancel_at_period_end: form['cancel_at_period_end'] === 'true' }),
        );
      case 'DELETE /subscriptions/:id':
        return found(id, (subscription) =>
          Object.assign(subscription, { status: 'canceled', ended_at: seconds() }),
        );
      default:
        return {
          status: 404,
          body: { error: { type: 'invalid_request_error', message: `Unrecognized: ${path}` } },
        };
    }
  }

  function made(prefix: string, fields: Record<string, unknown>) {
    const thing = { id: `${prefix}_${randomBytes(8).toString('hex')}`, created: seconds(), ...fields };
    things.set(thing.id, thing);
    return { status: 200, body: thing };
  }

  /** `null` of the work: not as the thing stands. */
  function found(id: string, work: (thing: Thing) => unknown, mayHaveEnded = false) {
    const thing = things.get(id);
    if (thing === undefined) return missing('id');
    if (thing['status'] === 'canceled') {
      if (mayHaveEnded) return { status: 200, body: thing };
      return missing('id');
    }
    const body = work(thing);
    if (body !== null) return { status: 200, body };
    return { status: 400, body: { error: { type: 'invalid_request_error', message: 'Not in this state' } } };
  }

  function missing(param: string) {
    const error = {
      type: 'invalid_request_error',
      code: 'resource_missing',
      param,
      message: 'No such thing',
    };
    return { status: param === 'id' ? 404 : 400, body: { error } };
  }

  function listed(object: string, { customer }: Record<string, string>, fits: (thing: Thing) => boolean) {
    const data = [...things.values()].filter(
      (thing) => thing['object'] === object && thing['customer'] === customer && fits(thing),
    );
    return { status: 200, body: { object: 'list', url: '/', has_more: false, data: data.toReversed() } };
  }

  function expanded(subscription: Thing, form: Record<string, string>): Thing {
    const method = things.get(String(subscription['default_payment_method']));
    const isAsked = Object.values(form).includes('default_payment_method');
    return isAsked && method !== undefined
      ? { ...subscription, default_payment_method: method }
      : subscription;
  }

  function newSession(form: Record<string, string>) {
    const customer = form['customer'] ?? '';
    const price = form['line_items[0][price]'] ?? '';
    if (!things.has(customer)) return missing('customer');
    if (!(price in PRICES)) return missing('line_items[0][price]');
    const session = made('cs_test', {
      object: 'checkout.session',
      mode: form['mode'],
      customer,
      status: 'open',
      subscription: null,
      client_reference_id: form['client_reference_id'],
      payment_status: 'unpaid',
      success_url: form['success_url'],
      metadata: nested(form, 'metadata'),
      price,
      noted: nested(form, 'subscription_data[metadata]'),
    });
    Object.assign(session.body, { url: `https://checkout.stripe.example/c/${session.body.id}` });
    return session;
  }

  function event(type: string, object: unknown, created = seconds()): StripeEventBody {
    // events carry the object as it was then
    return {
      id: `evt_${randomBytes(8).toString('hex')}`,
      object: 'event',
      type,
      created,
      data: { object: structuredClone(object) },
    };
  }

  /**
   * The person pays on Stripe's page with a card that is good until then: what Stripe then tells. `takesS`: how long it
   * takes from the subscription to its money, seconds.
   */
  function pay(
    sessionId: string,
    { year, month }: { year: number; month: number } = { year: 2030, month: 12 },
    takesS = 0,
  ): { events: StripeEventBody[]; subscription: Thing } {
    const session = things.get(sessionId);
    if (session?.['status'] !== 'open') throw new Error(`no page is open for ${sessionId}`);
    const priceId = session['price'] as PriceId;
    const card = { last4: '4242', exp_year: year, exp_month: month };
    const method = made('pm', {
      object: 'payment_method',
      customer: session['customer'],
      type: 'card',
      card,
    });
    const subscription: Thing = {
      id: `sub_${randomBytes(8).toString('hex')}`,
      object: 'subscription',
      customer: session['customer'],
      created: seconds(),
      currency: PRICES[priceId].currency,
      status: 'incomplete',
      cancel_at_period_end: false,
      default_payment_method: method.body.id,
      metadata: session['noted'],
      items: { object: 'list', data: [itemOf(priceId, seconds())] },
    };
    things.set(subscription.id, subscription);
    const created = event('customer.subscription.created', subscription);
    const invoice = invoiceOf(subscription, 'subscription_create');
    subscription['status'] = 'active';
    Object.assign(session, { status: 'complete', subscription: subscription.id, payment_status: 'paid' });
    const paidAt = seconds() + takesS;
    const events = [
      created,
      event('invoice.finalized', invoice),
      event('invoice.paid', { ...invoice, amount_paid: invoice['amount_due'] }, paidAt),
      event('invoice.payment_succeeded', { ...invoice, amount_paid: invoice['amount_due'] }, paidAt),
      event('customer.subscription.updated', subscription, paidAt),
      event('checkout.session.completed', session, paidAt),
    ];
    return { events, subscription };
  }

  function itemOf(priceId: PriceId, start: number) {
    return {
      id: `si_${randomBytes(6).toString('hex')}`,
      object: 'subscription_item',
      price: { id: priceId, object: 'price', metadata: {} },
      current_period_start: start,
      current_period_end: start + MONTH_S,
    };
  }

  function invoiceOf(subscription: Thing, reason: string, more: Record<string, unknown> = {}): Thing {
    const { data } = subscription['items'] as { data: ReturnType<typeof itemOf>[] };
    const [item] = data;
    if (item === undefined) throw new Error('a subscription has an item');
    const id = `in_${randomBytes(8).toString('hex')}`;
    return {
      id,
      object: 'invoice',
      customer: subscription['customer'],
      currency: subscription['currency'],
      amount_due: PRICES[item.price.id].amount,
      amount_paid: 0,
      attempt_count: 1,
      next_payment_attempt: null,
      billing_reason: reason,
      hosted_invoice_url: `https://invoice.stripe.example/${id}`,
      parent: { type: 'subscription_details', subscription_details: { subscription: subscription.id } },
      lines: { data: [{ period: { start: item.current_period_start, end: item.current_period_end } }] },
      ...more,
    };
  }

  return {
    base,
    asked,
    things,
    event,
    pay,
    invoiceOf,
    itemOf,
    seconds,
    /** From now on it answers as another account that knows nobody of these, until what this answers is called. */
    asOtherAccount(): () => void {
      const kept = [...things];
      things.clear();
      return () => {
        for (const [id, thing] of kept) things.set(id, thing);
      };
    },
    /** What happens while it ends something. */
    whileItEnds(run: () => Promise<void>): void {
      onEnd.run = run;
    },
    /** What the next requests meet, one each. */
    fail: (...next: typeof troubles) => void troubles.push(...next),
    /** Options of a gateway that takes this host for Stripe. */
    args: Object.entries({
      '--stripe-secret-key': STRIPE_KEY,
      '--stripe-webhook-secret': WEBHOOK_SECRET,
      '--stripe-api-base': base,
      '--stripe-price-basic-brl': 'price_basic_brl_1',
      '--stripe-price-professional-brl': 'price_pro_brl_1',
      '--stripe-price-professional-usd': 'price_pro_usd_1',
    }).flat(),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export type FakeStripe = Awaited<ReturnType<typeof startFakeStripe>>;

/** Sends a body as Stripe signs it. `atS`: when it was signed. */
export function sendSigned(
  api: string,
  payload: string,
  { secret = WEBHOOK_SECRET, atS }: { secret?: string; atS: number },
): Promise<Response> {
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp: atS });
  return fetch(`${api}/payment/webhook`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json; charset=utf-8', 'Stripe-Signature': signature },
    body: payload,
  });
}

/** Fields of a form that lie in one name: metadata[user_id] and the like. */
function nested(form: Record<string, string>, name: string): Record<string, string> {
  const inside = Object.entries(form).filter(([field]) => field.startsWith(`${name}[`));
  return Object.fromEntries(inside.map(([field, value]) => [field.slice(name.length + 1, -1), value]));
}
