import { paymentObject } from '#contract/resources/local-tables.ts';
import { put } from '#core/changes.ts';
import { AppError } from '#core/errors.ts';
import { isoOf } from '#core/kernel.ts';
import { signatureOf } from '../read-stripe-event.ts';
import { attempt, later, type Outcome, renew } from './billing.ts';
import { type Card, type Row, type SandboxEvent, shownCard, thingOf, withBody } from './objects.ts';
import { confirmLater, expireSession } from './purchase.ts';
import {
  forget,
  onCustomer,
  type SandboxDeps,
  signingSecret,
  subscriptionOfCustomer,
} from './sandbox-provider.ts';
import { lastMonthOf } from './test-cards.ts';

const AT_A_TIME = 50;
/** Rounds of one tick: a box that was off for a year catches up month by month. */
const ROUNDS = 40;
/** An event that was not taken comes again after this long, then less and less often, as Stripe does for three days. */
const FIRST_RETRY_MS = 5_000;
const LONGEST_RETRY_MS = 3_600_000;
const GIVEN_UP_AFTER_MS = 3 * 86_400_000;

/** Does what is due: renewals, second attempts, expiries, money that arrives later, events on their way. */
export async function sandboxTick(deps: SandboxDeps): Promise<void> {
  const tried = new Set<string>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const due = await deps.queries.dueObjects(isoOf(deps.now()), AT_A_TIME);
    const fresh = due.filter(({ id, due_at }) => !tried.has(`${id} ${due_at}`));
    if (fresh.length === 0) return;
    for (const row of fresh) {
      tried.add(`${row.id} ${row.due_at}`);
      // a clock that is not to be trusted must not charge a month
      if (row.kind !== 'event' && deps.clockQuality() !== 'trusted') continue;
      await doDue(deps, row).catch((error: unknown) => tell(deps, row, error));
    }
  }
}

/** Sends what waits for one customer at once: who returns from the checkout page should find the plan there. */
export async function deliverFor(deps: SandboxDeps, customerId: string): Promise<void> {
  const due = await deps.queries.dueObjects(isoOf(deps.now()), AT_A_TIME);
  for (const row of due) {
    if (row.kind === 'event' && row.customer_id === customerId)
      await doDue(deps, row).catch((error: unknown) => tell(deps, row, error));
  }
}

function tell({ log }: SandboxDeps, { id, kind }: Row, error: unknown): void {
  log.warn({ id, kind, err: error }, 'the sandbox payment provider could not do what is due; it tries again');
}

async function doDue(deps: SandboxDeps, row: Row): Promise<void> {
  switch (row.kind) {
    case 'event':
      return deliver(deps, row);
    case 'portal_session':
      return forget(deps, row.id);
    case 'checkout_session':
      return sessionDue(deps, row);
    case 'subscription':
      return subscriptionDue(deps, row);
    case 'customer':
      return cardDue(deps, row);
    case 'invoice':
      return;
  }
}

async function sessionDue(deps: SandboxDeps, { id, customer_id, due_at }: Row): Promise<void> {
  if (customer_id === null || due_at === null) return;
  const looked = thingOf('checkout_session', await deps.queries.objectById(id));
  const isOver =
    looked !== null && (looked.body.payment_status === 'paid' || looked.body.status === 'expired');
  if (isOver) return forget(deps, id);
  await onCustomer(
    deps,
    customer_id,
    async (customer, work) => {
      const session = thingOf('checkout_session', await deps.queries.objectById(id));
      if (session === null || session.due_at !== due_at) return null;
      if (session.body.status === 'open') return expireSession(work, session);
      const { subscription_id, invoice_id } = session.body;
      const subscription = thingOf('subscription', await deps.queries.objectById(subscription_id ?? ''));
      const invoice = thingOf('invoice', await deps.queries.objectById(invoice_id ?? ''));
      if (subscription === null || invoice === null) return null;
      return confirmLater(work, session, { subscription, invoice, customer });
    },
    due_at,
  );
}

async function subscriptionDue(deps: SandboxDeps, { id, customer_id, due_at }: Row): Promise<void> {
  if (customer_id === null || due_at === null) return;
  await onCustomer(
    deps,
    customer_id,
    async (customer, work): Promise<Outcome | null> => {
      const subscription = thingOf('subscription', await deps.queries.objectById(id));
      // another process was faster
      if (subscription === null || subscription.due_at !== due_at) return null;
      const { status, open_invoice } = subscription.body;
      if (status === 'active') return renew(work, subscription, customer);
      const invoice = thingOf('invoice', await deps.queries.objectById(open_invoice ?? ''));
      if (status !== 'past_due' || invoice === null) {
        return { puts: [withBody(subscription, work.at, {}, null)], events: [] };
      }
      return attempt(work, { subscription, invoice, customer });
    },
    due_at,
  );
}

/** The last month of a card has begun. */
async function cardDue(deps: SandboxDeps, { id, due_at }: Row): Promise<void> {
  if (due_at === null) return;
  const subscription = await subscriptionOfCustomer(deps, id);
  await onCustomer(
    deps,
    id,
    (customer, work) => {
      if (customer.due_at !== due_at) return null;
      const { card } = customer.body;
      const isUsed = subscription !== null && subscription.body.status !== 'canceled';
      const told = withBody(customer, work.at, {}, null);
      if (card === null || !isUsed) return { puts: [told], events: [] };
      return { puts: [told], events: [{ type: 'customer.source.expiring', object: shownCard(card, id) }] };
    },
    due_at,
  );
}

/** When the sandbox has to look at a customer again. */
export function cardDueAt(card: Card, at: string): string {
  const lastMonth = isoOf(lastMonthOf(card));
  return lastMonth > at ? lastMonth : at;
}

async function deliver(deps: SandboxDeps, row: Row): Promise<void> {
  const event = thingOf('event', row);
  if (event === null) return;
  const { type, created, object } = event.body;
  const body = { id: event.id, object: 'event', type, created, data: { object } };
  const raw = Buffer.from(JSON.stringify(body));
  try {
    await deps.deliver(raw, signatureOf(raw, signingSecret(deps), deps.now()));
  } catch (error) {
    await again(deps, event, error);
    return;
  }
  await forget(deps, event.id);
}

async function again(deps: SandboxDeps, event: SandboxEvent, error: unknown): Promise<void> {
  const now = deps.now();
  const attempts = event.body.attempts + 1;
  const code = error instanceof AppError ? error.extras.code : 'INTERNAL';
  const about = { event: event.id, type: event.body.type, attempts, code };
  if (now - Date.parse(event.created_at) > GIVEN_UP_AFTER_MS) {
    deps.log.error(about, 'a payment event was never taken and is given up');
    await forget(deps, event.id);
    return;
  }
  deps.log.warn(about, 'a payment event was not taken; it is sent again');
  const wait = Math.min(FIRST_RETRY_MS * 2 ** (attempts - 1), LONGEST_RETRY_MS);
  const at = isoOf(now);
  const waiting = withBody(event, at, { attempts }, later(at, wait));
  await deps.commit({ changes: [put(paymentObject, waiting)], actor: null });
}
