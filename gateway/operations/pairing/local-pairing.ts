import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { writeWhole } from '#adapters/backup/safe-files.ts';
import type { Database } from '#adapters/sql/database.ts';
import { localPairingQueries } from '#adapters/sql/queries/cloud/local-pairing.ts';
import { memberQueries } from '#adapters/sql/queries/people/members.ts';
import { type BoxRightsRead, boxRightsQueries } from '#adapters/sql/queries/system/box-rights.ts';
import { type AskHosted, askHosted, HostedRefused, HostedUnreachable } from '#adapters/sync/ask-hosted.ts';
import { signText } from '#adapters/sync/ed25519.ts';
import { createGatewaySession, gatewayKeys } from '#adapters/sync/pairing-http.ts';
import { rotateOwnKey } from '#adapters/sync/rotate-own-key.ts';
import { hardwareOf, programVersion } from '#adapters/system/machine-facts.ts';
import { instanceValue } from '#contract/resources/local-tables.ts';
import { pairPollAnswer, pairStartAnswer, type SignInRequest, signInAnswer } from '#contract/sync/wire.ts';
import { put } from '#core/changes.ts';
import { AppError } from '#core/errors.ts';
import type { Kernel } from '#core/kernel.ts';
import type { Route } from '#core/route.ts';
import type { TellChanged } from '#core/tell-changed.ts';
import { forgetHosted } from '#features/cloud/pairing/forget-hosted.ts';
import { createLocalPairing, gatewayPairingRoutes } from '#features/cloud/pairing/gateway-routes.ts';
import {
  keepFormerOwners,
  PAIRED,
  type Paired,
  readPaired,
  servedWhilePaired,
} from '#features/cloud/pairing/on-paired.ts';
import { grantBoxRight } from '#features/people/box-rights.ts';
import type { Config } from '#runtime/config.ts';

export type LocalPairingWiring = {
  config: Pick<Config, 'data' | 'hostedUrl'>;
  kernel: Pick<Kernel, 'now' | 'idOf' | 'commit' | 'pause' | 'random' | 'goFirst' | 'log'>;
  monotonic: () => number;
  database: Pick<Database, 'read'>;
  tellChanged: TellChanged;
  /** A command beside the gateway: it signs in as the start of the program that runs, and is none itself. */
  isCommand?: true;
  /** Tests give another way out. */
  ask?: AskHosted;
};

/** Under which a start of the program notes its name, for commands beside it; each start takes a new one. */
const RUN = 'sync_run';

/** On a card that takes nothing any more the gateway starts all the same. */
async function noteRun({ commit, log }: LocalPairingWiring['kernel'], value: string): Promise<void> {
  await commit({ actor: null, changes: [put(instanceValue, { id: RUN, value })] }).catch((error: unknown) =>
    log.warn({ err: error }, 'the name of this start could not be noted'),
  );
}

/** A gateway's part of pairing: its key, the ceremony, its sessions at the hosted instance. */
export async function openLocalPairing({
  config,
  kernel,
  monotonic,
  database,
  tellChanged,
  isCommand,
  ask = askHosted,
}: LocalPairingWiring) {
  const queries = localPairingQueries(database.read);
  const gatewayId = await queries.gatewayId();
  const keys = gatewayKeys({ folder: config.data, writeWhole });
  const paired = async (): Promise<Paired | null> => readPaired(await queries.instanceValue(PAIRED));
  const members = { ...kernel, queries: memberQueries(database.read) };
  const [software, hardware] = [programVersion(), hardwareOf()];
  const pairing = createLocalPairing({
    ...kernel,
    gatewayId,
    name: hostname().slice(0, 100) || 'gateway',
    software,
    hardware,
    paired,
    keys: {
      ceremony: keys.ceremony,
      setCeremony: keys.setCeremony,
      async proveNext(text) {
        const key = await keys.newNext();
        return { publicKey: key.public_key, proof: signText(key, text) };
      },
      adoptNext: keys.adoptNext,
      hasKey: async () => (await keys.current()) !== null,
      forget: keys.forget,
    },
    hosted: {
      start: (url, body) => ask({ url, path: '/sync/v1/pair/start', body }, pairStartAnswer),
      poll: (url, code) =>
        ask({ url, path: '/sync/v1/pair/poll', body: { device_code: code } }, pairPollAnswer),
    },
    changed: () => tellChanged('pairing', 'everybody'),
    keepFormerOwners: (ownerId) => keepFormerOwners({ ...members, farms: queries.farms }, ownerId),
    async forgetHosted(known) {
      await forgetHosted({ ...kernel, accounts: queries.accounts }, known);
    },
  });
  const fresh = randomBytes(16).toString('hex');
  const run = isCommand === true ? ((await queries.instanceValue(RUN)) ?? fresh) : fresh;
  if (isCommand !== true) await noteRun(kernel, run);
  const session = createGatewaySession({
    ask,
    keys,
    monotonic,
    software,
    hardware,
    run,
    async paired() {
      const known = await paired();
      return known === null || known.state === 'revoked'
        ? null
        : { gatewayId, hostedUrl: known.hosted_url, hostedKey: known.hosted_key };
    },
    onNotLetIn: pairing.notLetIn,
  });
  const rotate = rotateOwnKey({ ask, keys, gatewayId, paired, session });
  return {
    gatewayId,
    /** Farms that stand here. */
    farms: queries.farms,
    /** With whom this gateway is paired, as stored now; null: with nobody. Cheap: one row by its key. */
    paired,
    /** A token for the hosted instance; see createGatewaySession. */
    sessionToken: session.sessionToken,
    /** After a 401 SYNC_TOKEN or 403 SYNC_REVOKED: the next token is asked for anew, and tells what is wrong. */
    forgetToken: session.forgetToken,
    /** Looks how far a ceremony got; never throws for the network. */
    async look(): Promise<void> {
      await pairing.look().catch((error: unknown) => {
        if (!(error instanceof HostedUnreachable) && !(error instanceof HostedRefused)) throw error;
        kernel.log.debug({ err: error }, 'the pairing is looked after again in a moment');
      });
    },
    /** Gives the gateway a new key; the old one opens for a week more. */
    rotate,
    pairing,
    /** Whether the hosted instance knows somebody by that password; null: it does not, or cannot be asked now. */
    async askHome(said: SignInRequest) {
      const known = await paired();
      if (known?.state !== 'paired') return null;
      try {
        const token = await session.sessionToken();
        return await ask(
          { url: known.hosted_url, path: '/sync/v1/sign-in', token, body: said },
          signInAnswer,
        );
      } catch (error) {
        if (!(error instanceof HostedUnreachable) && !(error instanceof HostedRefused)) throw error;
        if (error instanceof HostedRefused) passOnSecondFactor(error);
        kernel.log.debug({ err: error }, 'the hosted instance did not vouch for a login here');
        return null;
      }
    },
    isOfHosted: queries.isOfHosted,
    hasVerifierOfHosted: queries.hasVerifierOfHosted,
    routes: gatewayPairingRoutes({
      pairing,
      hostedUrl: config.hostedUrl,
      mayOnBox: boxRightsOf(database.read, 'gateway').mayOnBox,
      ownsFarm: queries.ownsFarm,
      unreachable,
    }),
    /** Routes that a paired gateway does not serve by itself any more. */
    guard: (routes: readonly Route[]): Route[] =>
      servedWhilePaired({ paired, isOfHosted: queries.isOfHosted, members }, routes),
  };
}

export type LocalPairingParts = Awaited<ReturnType<typeof openLocalPairing>>;

const OF_SECOND_FACTOR: ReadonlySet<string> = new Set([
  'SECOND_FACTOR',
  'SECOND_FACTOR_WRONG',
  'SECOND_FACTOR_SPENT',
]);

/** The hosted instance knows the password and asks for more: the person hears it in its words. */
function passOnSecondFactor({ refused: { status, code, detail } }: HostedRefused): void {
  if ((status !== 401 && status !== 429) || !OF_SECOND_FACTOR.has(code)) return;
  throw new AppError(status, detail, { code, headers: { 'WWW-Authenticate': 'Bearer' } });
}

/** One sentence for what kept the hosted instance from answering. */
export function unreachable(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof HostedRefused)
    return new AppError(502, `The hosted instance refused: ${error.message}`, { code: 'HOSTED_REFUSED' });
  if (error instanceof HostedUnreachable)
    return new AppError(503, `${error.message}; check the address and the internet, then try again`, {
      code: 'HOSTED_UNREACHABLE',
      headers: { 'Retry-After': '30' },
    });
  throw error;
}

/** Who may what over this box. Who claimed it in the cloud owns it here, too. */
export function boxRightsOf(read: Database['read'], role: 'gateway' | 'hosted'): BoxRightsRead {
  const { instanceValue } = localPairingQueries(read);
  return boxRightsQueries(read, role, async () => {
    const paired = readPaired(await instanceValue(PAIRED));
    if (paired === null || paired.state === 'revoked') return null;
    const { owner_id: userId, started_by: granted_by, paired_at: granted_at } = paired;
    return { userId, right: 'owner', granted_by, granted_at };
  });
}

/** A box of before boxes had an owner belongs to whose farm is its oldest. */
export async function foundBox(
  { commit, now, log }: Pick<Kernel, 'commit' | 'now' | 'log'>,
  rights: Pick<BoxRightsRead, 'all' | 'founder'>,
): Promise<void> {
  if ((await rights.all()).some(({ right }) => right === 'owner')) return;
  const founder = await rights.founder();
  if (founder === null) return;
  try {
    await commit({ actor: null, changes: [grantBoxRight(founder, 'owner', { by: null, now: now() })] });
    log.info({ user_id: founder }, 'the box belongs to whose farm is its oldest');
  } catch (error) {
    // control starts all the same; the next start tries again
    log.warn({ err: error }, 'who owns the box could not be stored');
  }
}
