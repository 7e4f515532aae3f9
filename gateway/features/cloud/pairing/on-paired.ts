import * as z from 'zod';
import { farm } from '#contract/resources/farms.ts';
import { instanceValue } from '#contract/resources/local-tables.ts';
import { type Change, put } from '#core/changes.ts';
import { type AppError, conflict } from '#core/errors.ts';
import { signedIn } from '#core/request-checks.ts';
import type { Request, Route } from '#core/route.ts';
import { type MembershipDeps, membership } from '#features/people/membership.ts';

// What a gateway knows of its pairing. It lies in the database, the key does not: a backup restored on other hardware
// knows to whom it belongs, and is let in only after somebody pairs it again.

const paired = z.object({
  state: z.enum(['paired', 'revoked', 'fenced']),
  hosted_url: z.string(),
  /** Ed25519 of the hosted instance, raw, base64url. */
  hosted_key: z.string(),
  owner_id: z.string(),
  owner_name: z.string(),
  instance_name: z.string(),
  paired_at: z.string(),
  /** Account on this gateway that began the ceremony; null: the command line. */
  started_by: z.string().nullable(),
  /** Why it is let in no longer. */
  detail: z.string().nullable(),
});
export type Paired = z.infer<typeof paired>;

export const PAIRED = 'pairing';

export const readPaired = (value: string | null): Paired | null =>
  value === null ? null : paired.parse(JSON.parse(value));

export const savePaired = (row: Paired): Change =>
  put(instanceValue, { id: PAIRED, value: JSON.stringify(row) });

// Some things are the hosted instance's alone once a gateway belongs to one: identities, owners, money. They are
// refused here with a word where to do them, instead of being accepted and then forgotten by the sync.

type OnPairedDeps = {
  paired: () => Promise<Paired | null>;
  /** True for an account that came from the hosted instance. */
  isOfHosted: (userId: string) => Promise<boolean>;
  members: MembershipDeps;
};

type Anything = Request<unknown, Record<string, unknown>, Record<string, unknown>>;
type Rule = (deps: OnPairedDeps, paired: Paired, request: Anything) => Promise<void>;

const field = (request: Anything, name: string): unknown => request.rawBody[name];

const RULES: Readonly<Record<string, Rule>> = {
  'PUT /users/me': async (deps, paired, request) => {
    if (field(request, 'email') === undefined && field(request, 'name') === undefined) return;
    if (await deps.isOfHosted(signedIn(request).userId))
      throw elsewhere(paired, 'Name and e-mail of your account are changed');
  },
  'DELETE /users/me': async (deps, paired, request) => {
    if (await deps.isOfHosted(signedIn(request).userId)) throw elsewhere(paired, 'Your account is deleted');
  },
  'POST /farms/{farm_id}/invitations': async (_deps, paired, request) => {
    const kind = field(request, 'kind');
    if (typeof kind === 'string' && kind.trim().toUpperCase() === 'HANDOVER')
      throw elsewhere(paired, 'A farm is handed over');
  },
  'PUT /subscriptions/{user_id}': async (_deps, paired) => {
    throw elsewhere(paired, 'Plans are changed');
  },
  // what somebody pays for is for that person's own login over there: a stolen box must not get at it
  ...Object.fromEntries(
    ['create-checkout-session', 'create-billing-portal', 'create-portal-session', 'cancel-subscription'].map(
      (what) => [
        `POST /payment/${what}`,
        async (_deps: OnPairedDeps, paired: Paired) => {
          throw elsewhere(paired, 'Plans are bought, paid and cancelled');
        },
      ],
    ),
  ),
};

const MAKES_FARMS: ReadonlySet<string> = new Set(['POST /farms/', 'POST /farms/{user_id}']);

/** Routes of a gateway that ask first whether they are still its own to serve. */
export function servedWhilePaired(deps: OnPairedDeps, routes: readonly Route[]): Route[] {
  return routes.map((route) => {
    const name = `${route.method} ${route.path}`;
    if (MAKES_FARMS.has(name)) return withCreator(deps, route);
    const rule = RULES[name];
    if (rule === undefined) return route;
    return {
      ...route,
      async handle(request, prepared) {
        const paired = await deps.paired();
        // the route table validated it with this route's own schemas
        if (paired?.state === 'paired') await rule(deps, paired, request as unknown as Anything);
        return route.handle(request, prepared);
      },
    };
  });
}

/** A farm made here becomes the owner's of the gateway; who made it stays its manager. */
function withCreator(deps: OnPairedDeps, route: Route): Route {
  return {
    ...route,
    async handle(request, prepared) {
      const decided = await route.handle(request, prepared);
      const paired = await deps.paired();
      if (paired === null || decided.changes === undefined) return decided;
      const kept = await keepCreators(deps.members, decided.changes, paired.owner_id);
      const changes = await withOwnersPlace(deps, decided.changes, paired.owner_id);
      return { ...decided, changes: [...changes, ...kept] };
    },
  };
}

/** Where the farm is belongs to whom the farm belongs: the account of who made it here is not ours to write to. */
async function withOwnersPlace(
  { isOfHosted }: OnPairedDeps,
  changes: readonly Change[],
  ownerId: string,
): Promise<Change[]> {
  const isKnown = await isOfHosted(ownerId);
  return changes.map((change) =>
    isKnown && change.op === 'insert' && change.resource.name === 'addresses'
      ? { ...change, row: { ...change.row, user_id: ownerId, is_primary: false } }
      : change,
  );
}

function elsewhere({ instance_name: name, hosted_url: url }: Paired, what: string): AppError {
  return conflict(
    `${what} on the hosted instance ${name} (${url}), because this gateway is paired with it`,
    'HOSTED_ONLY',
  );
}

// A run is one start of a gateway's program; its name is made anew each time and never stored. A run that signed in waits; it
// is the last one from the first use of its token, and the one before it is overtaken then. Only a program that lives uses
// a token: the request of one that was killed, which a busy instance takes up after the next start came in, changes nothing.
// Whoever signs with the gateway's key under a run that was overtaken, and asked for the nonce after that, was
// alive all the while: two programs hold the key, a copied card among the likeliest reasons.

const runsSchema = z.array(
  z.object({ run: z.string(), since: z.number(), waits: z.literal(true).optional() }),
);
type Runs = z.infer<typeof runsSchema>;

const KEPT = 8;

/** The runs with this one noted; `isCopied` when it shows that two live at once. `since`: ms. */
export function noteRun(
  json: string,
  run: string,
  { nowMs, nonceIssuedAt }: { nowMs: number; nonceIssuedAt: number },
): { runs: Runs; isCopied: boolean } {
  const known = readRuns(json);
  const last = lastOf(known);
  const own = known.find((one) => one.run === run);
  if (last === undefined) return { runs: [{ run, since: nowMs }], isCopied: false };
  if (own === undefined)
    return { runs: kept([...known, { run, since: nowMs, waits: true }]), isCopied: false };
  const isOvertaken = own.waits === undefined && own !== last;
  return { runs: known, isCopied: isOvertaken && nonceIssuedAt > last.since };
}

/** The runs once this one used its token; null where it does not wait. Who signed in before it and still waits is gone. */
export function useRun(json: string, run: string, nowMs: number): Runs | null {
  const known = readRuns(json);
  const at = known.findIndex((one) => one.run === run && one.waits === true);
  if (at < 0) return null;
  const later = known.slice(at + 1).filter(({ waits }) => waits === true);
  return [...known.filter(({ waits }) => waits === undefined), { run, since: nowMs }, ...later];
}

/** Whether another start of the gateway came in after the one that holds this token. */
export function isOvertaken(json: string, run: string | undefined): boolean {
  const last = lastOf(readRuns(json));
  return run !== undefined && last !== undefined && last.run !== run;
}

const lastOf = (runs: Runs) => runs.findLast(({ waits }) => waits === undefined);

/** Starts that never used their token do not push out the last that did. */
function kept(runs: Runs): Runs {
  const used = runs.filter(({ waits }) => waits === undefined).slice(-KEPT / 2);
  return [...used, ...runs.filter(({ waits }) => waits === true).slice(-KEPT / 2)];
}

function readRuns(json: string): Runs {
  const parsed = runsSchema.safeParse(JSON.parse(json));
  return parsed.success ? parsed.data : [];
}

// A paired gateway's farms belong to whoever claimed it. Whoever owned one here, or makes one here afterwards, goes on
// as its manager: the row is made here, in the same commit, so that there is no moment without a role on the farm.

type FormerOwnersDeps = MembershipDeps & {
  /** Farms of this gateway with their owners. */
  farms: () => Promise<readonly { id: string; owner_id: string }[]>;
};

/** Memberships for the owners until now, when the gateway becomes another account's. */
export async function keepFormerOwners(deps: FormerOwnersDeps, ownerId: string): Promise<Change[]> {
  const others = (await deps.farms()).filter(({ owner_id }) => owner_id !== ownerId);
  const kept = await Promise.all(others.map(({ id, owner_id }) => asManager(deps, id, owner_id)));
  return kept.flat();
}

/** The same for farms that these changes make. */
async function keepCreators(
  deps: MembershipDeps,
  changes: readonly Change[],
  ownerId: string,
): Promise<Change[]> {
  const made = changes.flatMap((change) =>
    change.op === 'insert' && change.resource.name === farm.name ? [change.row] : [],
  );
  const others = made.filter((row) => row['owner_id'] !== ownerId);
  const kept = await Promise.all(others.map((row) => asManager(deps, row.id, String(row['owner_id']))));
  return kept.flat();
}

async function asManager(deps: MembershipDeps, farmId: string, userId: string): Promise<Change[]> {
  return (await membership(deps, { farmId, userId, role: 'MANAGER' })).changes;
}
