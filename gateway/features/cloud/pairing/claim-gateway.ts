import type * as z from 'zod';
import type { claimInput, claimPreview } from '#contract/resources/gateways.ts';
import { pairedGateway, pairing, syncFarm } from '#contract/resources/sync-tables.ts';
import { type Change, put, update } from '#core/changes.ts';
import { conflict, forbidden, notFound } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Notify } from '#core/notifying.ts';
import { invalidToken } from '#core/request-checks.ts';
import type { Caller } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import { type AttemptLimit, tooManyAttempts } from '#features/people/attempts.ts';
import { nextEpoch, pairedNews, revokedNews } from './gateway-session.ts';
import type { Gateway, Pairing, PairingQueries, PairingSecrets } from './ports.ts';

export type ClaimDeps = Pick<Kernel, 'now' | 'guard'> & {
  secrets: Pick<PairingSecrets, 'normalUserCode' | 'userCodeHash'>;
  queries: Pick<PairingQueries, 'pairingByCode' | 'gateway' | 'streamOf' | 'farmsOn' | 'person'>;
  notify: Notify;
  /** Wrong codes per person, and per source: one account more must not buy more guesses. */
  wrongCodes: AttemptLimit;
  wrongCodesFrom: AttemptLimit;
};

type Who = { caller: Caller; source: string };

/** What would be claimed. Throws as claimGateway does. */
export async function previewClaim(
  deps: ClaimDeps,
  who: Who,
  typed: string,
): Promise<z.infer<typeof claimPreview>> {
  requireOwner(who.caller);
  const found = await openPairing(deps, who, typed);
  const known = await deps.queries.gateway(found.gateway_id);
  await requireMine(deps, known, who.caller.userId);
  const { gateway_id, name, hardware, software, expires_at } = found;
  return { gateway_id, name, hardware, software, expires_at, is_known: known !== null };
}

/**
 * Decides that the gateway behind a code belongs to the caller. One that was the caller's before, with another key by
 * now (a dead box whose backup lives on new hardware), is the same gateway: its old key opens nothing any more. With
 * `in_place_of` the farms of a gateway that is gone move over. Throws 403 for an account that owns no farms, 404 for a
 * code that is none, 409 for one that was used, has expired, or belongs to the gateway of another account, 429 after
 * ten wrong ones.
 */
export async function claimGateway(
  deps: ClaimDeps,
  who: Who,
  input: z.infer<typeof claimInput>,
): Promise<Decision<Gateway>> {
  requireOwner(who.caller);
  const { userId } = who.caller;
  const accountGuard = await deps.guard('account', userId);
  if ((await deps.queries.person(userId)) === null) throw invalidToken();
  const { gateway_id: gatewayId } = await openPairing(deps, who, input.user_code);
  const guards = [accountGuard, await deps.guard('gateway', gatewayId)];
  // read again behind the guard: of two who claim at this moment one wins
  const found = await openPairing(deps, who, input.user_code);
  const known = await deps.queries.gateway(gatewayId);
  await requireMine(deps, known, userId);
  const move = await nextEpoch(deps, gatewayId);
  const row = claimed(deps, {
    found,
    known,
    streamId: move.id,
    userId,
    name: input.name ?? known?.name ?? found.name,
  });
  const before = input.in_place_of ?? null;
  const moved = before === null || before === gatewayId ? [] : await moveFarms(deps, before, row);
  return {
    answer: row,
    changes: [
      put(pairedGateway, row),
      update(pairing, found.id, { state: 'claimed', claimed_by: userId, stream_id: row.stream_id }),
      ...moved,
      ...(await deps.notify({ userIds: [userId] }, pairedNews(row, row.paired_at))),
    ],
    guards,
    stream: move,
  };
}

function claimed(
  deps: Pick<Kernel, 'now'>,
  facts: { found: Pairing; known: Gateway | null; streamId: number; userId: string; name: string },
): Gateway {
  const { found, known, streamId, userId, name } = facts;
  return {
    id: found.gateway_id,
    stream_id: streamId,
    owner_id: userId,
    name,
    public_key: found.public_key,
    next_public_key: null,
    key_retires_at: null,
    status: 'active',
    software: found.software,
    schema_version: found.schema_version,
    hardware: found.hardware,
    paired_at: isoOf(deps.now()),
    revoked_at: null,
    last_seen_at: known?.last_seen_at ?? null,
    last_report_json: null,
    outage_until: null,
    outage_reason: null,
    silent_since: null,
    runs_json: '[]',
  };
}

/** Control data comes first in the snapshot that the new gateway begins with, so aeration is right within a minute. */
async function moveFarms(deps: ClaimDeps, oldId: string, heir: Gateway): Promise<Change[]> {
  const old = await deps.queries.gateway(oldId);
  if (old === null || old.owner_id !== heir.owner_id) throw notFound('Gateway');
  const at = isoOf(deps.now());
  const farms = await deps.queries.farmsOn(old.stream_id);
  const told = await deps.notify({ userIds: [heir.owner_id] }, revokedNews(old, at));
  return [
    update(pairedGateway, old.id, { status: 'revoked', revoked_at: at }),
    ...farms.map(({ id }) => put(syncFarm, { id, stream_id: heir.stream_id, bound_at: at })),
    ...told,
  ];
}

/** The ceremony behind a code. A wrong code counts against the caller; what could not be judged does not. */
async function openPairing(deps: ClaimDeps, { caller, source }: Who, typed: string): Promise<Pairing> {
  const limits = [
    [deps.wrongCodes, caller.userId],
    [deps.wrongCodesFrom, source],
  ] as const;
  // counted before the code is looked at, so that guesses at the same moment count too
  for (const [limit, key] of limits) {
    const waitMs = await limit.take(key);
    if (waitMs !== null) throw tooManyAttempts('Too many wrong codes', waitMs);
  }
  const giveBack = () => Promise.all(limits.map(([limit, key]) => limit.giveBack(key)));
  const code = deps.secrets.normalUserCode(typed);
  const found =
    code === null
      ? null
      : await deps.queries.pairingByCode(deps.secrets.userCodeHash(code)).catch(async (error: unknown) => {
          await giveBack();
          throw error;
        });
  if (found === null) throw notFound('A gateway with this code was');
  await giveBack();
  if (found.state === 'claimed' || found.state === 'done')
    throw conflict('This code was used already; start the pairing on the gateway again', 'PAIRING_USED');
  if (found.state === 'refused' || deps.now() >= Date.parse(found.expires_at))
    throw conflict('This code has expired; start the pairing on the gateway again', 'PAIRING_EXPIRED');
  return found;
}

function requireOwner({ role }: Caller): void {
  if (role === 'OWNER' || role === 'ADMIN') return;
  throw forbidden('Only an OWNER account may pair a gateway: its farms become yours');
}

/** What lies on a gateway is its owner's: another account gets it only when nothing here belongs to it any more. */
async function requireMine(
  deps: Pick<ClaimDeps, 'queries'>,
  known: Gateway | null,
  userId: string,
): Promise<void> {
  if (known === null || known.owner_id === userId) return;
  const farms = known.status === 'active' ? [] : await deps.queries.farmsOn(known.stream_id);
  if (known.status === 'revoked' && farms.length === 0) return;
  throw conflict(
    'This gateway belongs to another account; its owner must unpair it and take its farms off it, or it starts anew with an empty data folder',
    'GATEWAY_OF_ANOTHER',
  );
}
