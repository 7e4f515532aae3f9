import type { AttemptLimits } from '#adapters/http/attempt-limit.ts';
import type { Metrics } from '#adapters/http/metrics.ts';
import { readJsonBody, UNPROVED_BYTES } from '#adapters/http/read-json-body.ts';
import type { Database } from '#adapters/sql/database.ts';
import { instanceValue } from '#adapters/sql/instance.ts';
import { pairingQueries } from '#adapters/sql/queries/cloud/pairing.ts';
import { farmNamesOf } from '#adapters/sql/queries/people/accounts.ts';
import { memberQueries } from '#adapters/sql/queries/people/members.ts';
import { subscriptionQueries } from '#adapters/sql/queries/people/subscriptions.ts';
import { type KeyPair, newKeyPair } from '#adapters/sync/ed25519.ts';
import { askSignedTime } from '#adapters/sync/hosted-time.ts';
import { mountPairing, type PairingDesk, type PairingHttpDeps } from '#adapters/sync/pairing-http.ts';
import { pairingSecrets } from '#adapters/sync/pairing-secrets.ts';
import type { DisciplinedClock } from '#adapters/system/disciplined-clock.ts';
import { invitationCodes } from '#adapters/tokens/invitation-code.ts';
import { subscription } from '#contract/resources/subscriptions.ts';
import { insert } from '#core/changes.ts';
import { needsHostedTime } from '#core/clock-trust.ts';
import type { Kernel, Log } from '#core/kernel.ts';
import { remembered } from '#core/newest-map.ts';
import type { Notify } from '#core/notifying.ts';
import { perform } from '#core/use-case.ts';
import { type AdoptDeps, signInAtBox } from '#features/cloud/pairing/adopt-local-user.ts';
import {
  badSignature,
  createGatewayAuthentication,
  openSession,
  rotateKey,
} from '#features/cloud/pairing/gateway-session.ts';
import { hostedPairingRoutes } from '#features/cloud/pairing/hosted-routes.ts';
import type { Paired } from '#features/cloud/pairing/on-paired.ts';
import type { FleetGateway } from '#features/cloud/pairing/ports.ts';
import { pollPairing, startPairing } from '#features/cloud/pairing/start-pairing.ts';
import type { Passwords } from '#features/people/accounts/ports.ts';
import type { ProveSecondFactor } from '#features/people/second-factor.ts';
import { firstSubscription } from '#features/people/subscriptions/terms.ts';
import type { Config } from '#runtime/config.ts';

const QUARTER_S = 15 * 60;

export type HostedPairingWiring = {
  config: Config;
  kernel: Kernel;
  monotonic: () => number;
  database: Database;
  notify: Notify;
  passwords: Pick<Passwords, 'codeHash' | 'hash' | 'verify'>;
  proveSecondFactor: ProveSecondFactor;
  attempts: AttemptLimits;
  sendLetter: AdoptDeps['sendLetter'];
  metrics: Metrics;
  /** Where a request comes from. */
  sourceOf: PairingHttpDeps['sourceOf'];
};

/** A hosted instance's part of pairing: gateways, their keys and sessions, and what their owners do about them. */
export async function openHostedPairing(wiring: HostedPairingWiring) {
  const { config, kernel, database, notify, passwords, attempts, proveSecondFactor } = wiring;
  const { read } = database;
  const queries = { ...pairingQueries(read), ...memberQueries(read) };
  const secrets = pairingSecrets(await instanceValue(read, 'sync_secret'), await signingKey(database));
  const authentication = createGatewayAuthentication({
    ...kernel,
    monotonic: wiring.monotonic,
    secrets,
    queries,
  });
  database.onRows(authentication.hear);
  const { gatewayByToken } = authentication;
  const deps = { ...kernel, secrets, queries, notify };
  // all gateways of a place may come from one address
  const starts = attempts({ name: 'pairing', attempts: 600, windowS: QUARTER_S });
  const wrongSignIns = attempts({ name: 'sign-in at a gateway', attempts: 10, windowS: QUARTER_S });
  const origin = (asked: string) => config.publicUrl ?? asked;
  const instanceName = config.publicUrl === null ? 'hosted instance' : new URL(config.publicUrl).host;
  async function known(token: string) {
    const caller = await gatewayByToken(token);
    if (caller === null) throw badSignature();
    return caller;
  }
  const desk: PairingDesk = {
    start: async (body, from) =>
      (await perform(kernel, null, () => startPairing({ ...deps, starts, origin }, body, from))).answer,
    poll: ({ device_code }) => pollPairing({ ...deps, instanceName }, device_code),
    nonce: async ({ gateway_id }) => ({
      nonce: secrets.newNonce(gateway_id, kernel.now()),
      server_now_ms: Math.floor(kernel.now()),
    }),
    session: (body) => openSession(deps, body),
    async signIn(token, body, source) {
      const { streamId } = await known(token);
      const signIn = { queries, verifyPassword: passwords.verify, wrongSignIns, proveSecondFactor };
      return (await perform(kernel, null, () => signInAtBox(signIn, { streamId, source }, body))).answer;
    },
    async keys(token, body) {
      const caller = await known(token);
      return (await perform(kernel, null, () => rotateKey(deps, caller.gatewayId, body))).answer;
    },
    time(nonce) {
      const server_now_ms = Math.floor(kernel.now());
      return { server_now_ms, nonce, signature: secrets.sign(`time:${nonce}:${server_now_ms}`) };
    },
  };
  tellFleet(wiring, queries);
  return {
    /** Whose token it is; null for none. Throws AppError 403 SYNC_REVOKED for a gateway that is not let in. */
    gatewayByToken,
    isOvertaken: authentication.isOvertaken,
    /** Public half of the key that signs the time. */
    hostedKey: secrets.hostedKey,
    mount: (app: Parameters<typeof mountPairing>[0]) =>
      mountPairing(app, {
        desk,
        readBody: (request, done) => readJsonBody(request, UNPROVED_BYTES, done),
        sourceOf: wiring.sourceOf,
      }),
    routes: hostedPairingRoutes({
      ...deps,
      codes: invitationCodes,
      codeHash: passwords.codeHash,
      hashPassword: passwords.hash,
      sendLetter: wiring.sendLetter,
      firstRows: (userId) => firstRowsOf(kernel, database, userId),
      farmNamesOf: (userId) => farmNamesOf(read, userId),
      wrongCodes: attempts({ name: 'pairing code', attempts: 10, windowS: QUARTER_S }),
      // a whole place may come from one address: one person's guesses must not keep the others from pairing
      wrongCodesFrom: attempts({ name: 'pairing code from', attempts: 1_000, windowS: QUARTER_S }),
      wrongPasswordCodes: attempts({ name: 'first password', attempts: 10, windowS: QUARTER_S }),
    }),
  };
}

/** What every account has; one that a gateway knew has it, too. */
export async function firstRowsOf(
  kernel: Pick<Kernel, 'now' | 'newId' | 'idOf'>,
  { read }: Pick<Database, 'read'>,
  userId: string,
) {
  const known = await subscriptionQueries(read).subscriptionOf(userId);
  return known === null ? [insert(subscription, firstSubscription(kernel, userId, 'FREE'))] : [];
}

/** All processes of the instance sign with one key. */
async function signingKey({ read }: Database): Promise<KeyPair> {
  const text = await instanceValue(read, 'sync_signing_key', () => JSON.stringify(newKeyPair()));
  // only `newKeyPair` ever wrote it
  return JSON.parse(text) as KeyPair;
}

const SILENT_AFTER_MS = 10 * 60_000;
/** One look at the fleet serves all its numbers. */
const LOOK_MS = 2_000;

/** What a fleet looks like as numbers; which gateway it is says `npm run admin -- fleet`. */
function tellFleet(
  { metrics, kernel, monotonic }: Pick<HostedPairingWiring, 'metrics' | 'kernel' | 'monotonic'>,
  queries: Pick<ReturnType<typeof pairingQueries>, 'fleet' | 'lostPeople'>,
): void {
  const looks = remembered<FleetGateway[]>({ monotonic, ttlMs: LOOK_MS, limit: 1 });
  const gauge = (name: string, help: string, count: (gateway: FleetGateway) => number) =>
    metrics.gauge(name, help, async () =>
      (await looks.get('fleet', queries.fleet)).reduce((sum, gateway) => sum + count(gateway), 0),
    );
  const isActive = ({ status }: FleetGateway) => status === 'active';
  gauge('fleet_gateways', 'Gateways that are paired', (gateway) => Number(isActive(gateway)));
  gauge('fleet_gateways_silent', 'Paired gateways that did not come for ten minutes', (gateway) => {
    const seen = gateway.last_seen_at === null ? 0 : Date.parse(gateway.last_seen_at);
    return Number(isActive(gateway) && kernel.now() - seen > SILENT_AFTER_MS);
  });
  gauge('fleet_gateways_fenced', 'Gateways whose key two boxes use', ({ status }) =>
    Number(status === 'fenced'),
  );
  gauge('fleet_feed_pending', 'Changes made here that gateways have not fetched', ({ behind }) => behind);
  gauge('fleet_conflicts_open', 'Edits that lost and wait for a look', ({ conflicts }) => conflicts);
  metrics.gauge(
    'lost_people_open',
    'What gateways know of people, this instance lost, and no administrator decided on',
    async () => (await queries.lostPeople()).length,
  );
  gauge('fleet_parked_rows', 'Rows of gateways that could not be applied', ({ parked }) => parked);
}

/** An answer that took longer tells too little. */
const LONGEST_MS = 10_000;

/**
 * Asks the hosted instance for the time while this gateway's own clock is not to be trusted. What follows from the new
 * time is the same as when a person sets it: nothing is made up for, schedules go on from there.
 */
export function createHostedTime(deps: {
  clock: Pick<DisciplinedClock, 'state' | 'confirmByHosted'>;
  monotonic: () => number;
  log: Log;
  paired: () => Promise<Paired | null>;
}) {
  const { clock, monotonic, log } = deps;
  return {
    /** Four times a minute. */
    async look(): Promise<void> {
      if (!needsHostedTime(clock.state())) return;
      const known = await deps.paired();
      if (known === null || known.state !== 'paired') return;
      try {
        const { serverNowMs, roundTripMs } = await askSignedTime(
          { url: known.hosted_url, key: known.hosted_key },
          { monotonic },
        );
        if (roundTripMs > LONGEST_MS) return;
        if (clock.confirmByHosted(Math.round(serverNowMs + roundTripMs / 2)))
          log.warn({}, 'the hosted instance signed the time; this gateway goes by it now');
      } catch (error) {
        log.debug({ err: error }, 'the hosted instance was not asked for the time; it is asked again');
      }
    },
  };
}
