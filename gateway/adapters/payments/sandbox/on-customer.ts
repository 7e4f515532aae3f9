import { randomBytes } from 'node:crypto';
import { paymentObject } from '#contract/resources/local-tables.ts';
import { type Change, type Commit, purge, put } from '#core/changes.ts';
import { type AppError, conflict } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { perform } from '#core/use-case.ts';
import { type BillingDeps, make, type Outcome } from './billing.ts';
import { type Customer, type Row, type SandboxSubscription, secondsOf, thingOf, things } from './objects.ts';

export type SandboxDeps = Pick<
  Kernel,
  'now' | 'clockQuality' | 'newId' | 'random' | 'pause' | 'guard' | 'log'
> & {
  commit: Commit;
  queries: {
    objectById: (id: string) => Promise<Row | null>;
    /** Newest first. */
    objectsOf: (customerId: string, kind: Row['kind'], limit: number) => Promise<Row[]>;
    /** Longest due first. */
    dueObjects: (at: string, limit: number) => Promise<Row[]>;
  };
  /** Secret of this instance; what signs events is derived from it. */
  secret: string;
  /** Hands an event to our own webhook. Rejects when it was not taken; it is sent again then. */
  deliver: (raw: Uint8Array, signature: string) => Promise<void>;
};

export function billing({ now }: Pick<SandboxDeps, 'now'>, at = isoOf(now())): BillingDeps {
  return { at, newId: (prefix) => `${prefix}_${randomBytes(18).toString('base64url')}` };
}

/**
 * Decides and stores what happens to one customer's things. Whoever else works on the same customer, here or in another
 * process, makes it run again. `null`: nothing happens. `at`: when it happened, if not now.
 */
export async function onCustomer(
  deps: SandboxDeps,
  customerId: string,
  decide: (customer: Customer, work: BillingDeps) => Promise<Outcome | null> | Outcome | null,
  at?: string,
): Promise<void> {
  await perform(deps, null, async () => {
    const guard = await deps.guard('sandbox', customerId);
    const customer = thingOf('customer', await deps.queries.objectById(customerId));
    if (customer === null) throw unknown();
    const work = billing(deps, at);
    const outcome = await decide(customer, work);
    if (outcome === null) return { answer: undefined };
    const changes = changesOf(deps, customerId, outcome, secondsOf(work.at));
    return { answer: undefined, changes, guards: [guard] };
  });
}

/** Rows of an outcome; its events lie beside it in the same commit until they were taken. */
function changesOf(
  deps: SandboxDeps,
  customerId: string,
  { puts, events }: Outcome,
  created: number,
): Change[] {
  const at = isoOf(deps.now());
  const told = events.map(({ type, object }) =>
    // ids grow, so that events that are due together go in their order
    make({ at }, 'event', {
      id: `evt_${deps.newId()}`,
      customerId,
      body: { type, created, object, attempts: 0 },
      dueAt: at,
    }),
  );
  return [...puts, ...told].map((thing) => put(paymentObject, thing));
}

export async function forget(deps: Pick<SandboxDeps, 'commit'>, id: string): Promise<void> {
  await deps.commit({ changes: [purge(paymentObject, id)], actor: null });
}

const SUBSCRIPTIONS_LOOKED_AT = 20;

/** The newest subscription of a customer that has not ended; else the newest of all. */
export async function subscriptionOfCustomer(
  deps: Pick<SandboxDeps, 'queries'>,
  customerId: string,
): Promise<SandboxSubscription | null> {
  const all = await deps.queries.objectsOf(customerId, 'subscription', SUBSCRIPTIONS_LOOKED_AT);
  const newestFirst = things('subscription', all);
  return newestFirst.find(({ body }) => body.status !== 'canceled') ?? newestFirst[0] ?? null;
}

/** Those that have not ended. */
export async function runningOf(
  deps: Pick<SandboxDeps, 'queries'>,
  customerId: string,
): Promise<SandboxSubscription[]> {
  const all = await deps.queries.objectsOf(customerId, 'subscription', SUBSCRIPTIONS_LOOKED_AT);
  return things('subscription', all).filter(({ body }) => body.status !== 'canceled');
}

function unknown(): AppError {
  return conflict('The payment provider does not know you any more; please try again', 'CUSTOMER_UNKNOWN');
}
