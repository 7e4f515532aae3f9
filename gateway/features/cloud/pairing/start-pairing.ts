import type * as z from 'zod';
import { pairing } from '#contract/resources/sync-tables.ts';
import type { pairPollAnswer, pairStartAnswer, pairStartRequest } from '#contract/sync/wire.ts';
import { insert, purge } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Decision } from '#core/use-case.ts';
import { type AttemptLimit, tooManyAttempts } from '#features/people/attempts.ts';
import { badSignature } from './gateway-session.ts';
import type { PairingQueries, PairingSecrets } from './ports.ts';

export type StartPairingDeps = Pick<Kernel, 'now'> & {
  secrets: PairingSecrets;
  queries: Pick<PairingQueries, 'countWaiting' | 'waitingBehind' | 'oldestOfMost' | 'expiredBefore'>;
  /** Ceremonies per source. */
  starts: AttemptLimit;
  /** Address under which people reach this instance. */
  origin: (asked: string) => string;
};

const CODE_LIFE_S = 15 * 60;
const POLL_EVERY_S = 5;
/** Anybody may start one, so of each place, and in all, the newest wait: a flood displaces itself and nobody else. */
const MOST_OF_A_PLACE = 100;
const MOST_WAITING = 5_000;
const SWEPT = 100;
const KEPT_MS = 24 * 3600 * 1000;

/**
 * Decides a ceremony for a gateway that shows it holds its key: a code for the gateway to poll with, and one for a
 * person to type. Throws 401 without that proof, 429 when too many are started from one place. What
 * waits beyond the bounds ends: of this place first, then of the place that most wait of.
 */
export async function startPairing(
  deps: StartPairingDeps,
  asked: z.infer<typeof pairStartRequest>,
  from: { source: string; origin: string },
): Promise<Decision<z.infer<typeof pairStartAnswer>>> {
  const { gateway_id, public_key, name, software, schema, hardware } = asked;
  if (!deps.secrets.isSignedBy(public_key, `pair:${gateway_id}`, asked.proof)) throw badSignature();
  const waitMs = await deps.starts.take(from.source);
  if (waitMs !== null) throw tooManyAttempts('Too many pairings were started from here', waitMs);
  const nowMs = deps.now();
  const source = deps.secrets.sourceHash(from.source);
  const displaced = await displacedBy(deps, source, isoOf(nowMs));
  const deviceCode = deps.secrets.newDeviceCode();
  const userCode = deps.secrets.newUserCode();
  const row = {
    id: deps.secrets.deviceCodeHash(deviceCode),
    user_code_hash: deps.secrets.userCodeHash(userCode),
    gateway_id,
    public_key,
    name,
    software,
    schema_version: schema,
    hardware,
    state: 'waiting' as const,
    claimed_by: null,
    stream_id: null,
    created_at: isoOf(nowMs),
    expires_at: isoOf(nowMs + CODE_LIFE_S * 1000),
    source,
  };
  const swept = await deps.queries.expiredBefore(isoOf(nowMs - KEPT_MS), SWEPT);
  const shown = `${userCode.slice(0, 4)}-${userCode.slice(4)}`;
  return {
    answer: {
      device_code: deviceCode,
      user_code: shown,
      verification_uri: `${deps.origin(from.origin)}/pair?code=${shown}`,
      expires_in_s: CODE_LIFE_S,
      interval_s: POLL_EVERY_S,
    },
    changes: [insert(pairing, row), ...[...displaced, ...swept].map((id) => purge(pairing, id))],
  };
}

/** Ceremonies that end so that one more from that place may wait. */
async function displacedBy(
  { queries }: Pick<StartPairingDeps, 'queries'>,
  source: string,
  nowIso: string,
): Promise<string[]> {
  const ofPlace = await queries.waitingBehind(source, nowIso, MOST_OF_A_PLACE - 1);
  if (ofPlace.length > 0) return ofPlace;
  // those that came in at the same moment counted each other not: whoever comes next ends all that are too many
  const tooMany = (await queries.countWaiting(nowIso)) - MOST_WAITING + 1;
  return tooMany > 0 ? queries.oldestOfMost(nowIso, Math.min(tooMany, MOST_OF_A_PLACE)) : [];
}

export type PollPairingDeps = Pick<Kernel, 'now'> & {
  secrets: Pick<PairingSecrets, 'deviceCodeHash' | 'hostedKey'>;
  queries: Pick<PairingQueries, 'pairingByDevice' | 'person' | 'streamOf'>;
  instanceName: string;
};

/** How far a ceremony got. One that nobody knows is told like one that expired. */
export async function pollPairing(
  deps: PollPairingDeps,
  deviceCode: string,
): Promise<z.infer<typeof pairPollAnswer>> {
  const found = await deps.queries.pairingByDevice(deps.secrets.deviceCodeHash(deviceCode));
  if (found === null) return { state: 'expired', stream: null };
  if (found.state === 'refused') return { state: 'refused', stream: null };
  const owner = found.claimed_by === null ? null : await deps.queries.person(found.claimed_by);
  if (owner === null || found.state === 'waiting') {
    const isOver = deps.now() >= Date.parse(found.expires_at);
    return { state: isOver ? 'expired' : 'waiting', stream: null };
  }
  const { epoch } = await deps.queries.streamOf(found.gateway_id);
  return {
    state: 'claimed',
    stream: {
      epoch,
      owner_id: owner.id,
      owner_name: owner.name,
      instance_name: deps.instanceName,
      hosted_key: deps.secrets.hostedKey,
    },
  };
}
