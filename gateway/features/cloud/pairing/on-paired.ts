import type { Change } from '#core/changes.ts';
import { type AppError, conflict } from '#core/errors.ts';
import { signedIn } from '#core/request-checks.ts';
import type { Request, Route } from '#core/route.ts';
import type { MembershipDeps } from '#features/people/membership.ts';
import { keepCreators } from './former-owners.ts';
import type { Paired } from './paired.ts';

// Some things are the hosted instance's alone once a gateway belongs to one: identities, owners, money. They are
// refused here with a word where to do them, instead of being accepted and then forgotten by the sync.

export type OnPairedDeps = {
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
