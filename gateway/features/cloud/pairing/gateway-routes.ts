import type * as z from 'zod';
import { called } from '#contract/commands.ts';
import { type PairingAnswer, pairingAnswer, pairingInput } from '#contract/resources/gateways.ts';
import { instanceValue, TIME_RETURNS_TAKEN } from '#contract/resources/local-tables.ts';
import {
  type pairPollAnswer,
  type pairStartAnswer,
  type pairStartRequest,
  SYNC_SCHEMA,
} from '#contract/sync/wire.ts';
import { type Change, purge } from '#core/changes.ts';
import { type AppError, conflict, forbidden, invalidField } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { signedIn } from '#core/request-checks.ts';
import { type Caller, type Route, route } from '#core/route.ts';
import { type Decision, type PerformDeps, perform } from '#core/use-case.ts';
import type { MayOnBox } from '#features/people/box-rights.ts';
import { OWN_STREAM } from '#store/own-stream.ts';
import { PAIRED, type Paired, savePaired } from './on-paired.ts';

export type GatewayPairingDeps = {
  pairing: LocalPairing;
  /** Hosted instance this gateway is set up for. */
  hostedUrl: string | null;
  mayOnBox: MayOnBox;
  ownsFarm: (userId: string) => Promise<boolean>;
  /** Says in one sentence what kept the hosted instance from answering; rethrows what is a fault of ours. */
  unreachable: (error: unknown) => AppError;
};

const common = {
  tag: 'Gateways',
  path: '/sync/pairing',
  token: 'never',
} as const;

/** Pairing as people see it on the gateway. */
export function gatewayPairingRoutes(deps: GatewayPairingDeps): Route[] {
  return [
    route({
      ...common,
      access: { who: 'account' },
      method: 'GET',
      answersSecret: true,
      summary: 'Whether this gateway is paired, and the code while somebody is to enter it',
      answers: { 200: { schema: pairingAnswer } },
      async handle(request) {
        const shown = await deps.pairing.show();
        const body = (await mayPair(deps, signedIn(request))) ? shown : withoutCode(shown);
        return { answer: { status: 200, body } };
      },
    }),
    route({
      ...common,
      access: { who: 'box', right: 'keep' },
      method: 'POST',
      answersSecret: true,
      summary: 'Begin to pair this gateway with a hosted instance: it shows a code to enter there',
      body: pairingInput,
      answers: { 201: { schema: pairingAnswer } },
      async handle(request) {
        const caller = signedIn(request);
        if (!(await mayPair(deps, caller)))
          throw forbidden(`Who pairs this box must have a farm on it; at the box: ${called('pair')}`);
        const hostedUrl = request.body.hosted_url ?? deps.hostedUrl;
        if (hostedUrl === null)
          throw invalidField(422, 'hosted_url', 'is missing: say the address of the hosted instance');
        const wish = { hostedUrl, name: request.body.name, startedBy: caller.userId };
        await deps.pairing.start(wish).catch((error: unknown) => {
          throw deps.unreachable(error);
        });
        return { answer: { status: 201, body: await deps.pairing.show() } };
      },
    }),
    route({
      ...common,
      access: { who: 'box', right: 'keep' },
      method: 'DELETE',
      summary:
        'End the pairing from this side; farm and local accounts go on, people of the hosted instance go',
      answers: { 204: null },
      async handle(request) {
        await deps.pairing.unpair(signedIn(request).userId);
        return { answer: { status: 204 } };
      },
    }),
  ];
}

/** Whoever claims the gateway owns its farms then, so only who keeps the box and has a farm on it may begin. */
async function mayPair(deps: GatewayPairingDeps, { role, userId }: Caller): Promise<boolean> {
  if (role === 'ADMIN') return true;
  return (await deps.mayOnBox('keep', userId)) && (await deps.ownsFarm(userId));
}

const withoutCode = (shown: PairingAnswer): PairingAnswer => ({
  ...shown,
  user_code: null,
  verification_uri: null,
  qr_text: null,
});

type LocalCeremony = {
  hosted_url: string;
  device_code: string;
  user_code: string;
  verification_uri: string;
  expires_at: string;
  interval_s: number;
  started_by: string | null;
};

type LocalPairingDeps = Pick<Kernel, 'now' | 'log'> &
  PerformDeps & {
    gatewayId: string;
    /** As it is shown to whoever claims it. */
    name: string;
    software: string;
    hardware: string;
    paired: () => Promise<Paired | null>;
    keys: {
      ceremony: () => Promise<LocalCeremony | null>;
      setCeremony: (ceremony: LocalCeremony | null) => Promise<void>;
      /** A new key for the ceremony, with its signature of a text. */
      proveNext: (text: string) => Promise<{ publicKey: string; proof: string }>;
      /** The key of the ceremony becomes that of the gateway. */
      adoptNext: () => Promise<void>;
      hasKey: () => Promise<boolean>;
      forget: () => Promise<void>;
    };
    hosted: {
      start: (
        url: string,
        body: z.infer<typeof pairStartRequest>,
      ) => Promise<z.infer<typeof pairStartAnswer>>;
      poll: (url: string, deviceCode: string) => Promise<z.infer<typeof pairPollAnswer>>;
    };
    /** Rows that keep the owners of the farms until now on them. */
    keepFormerOwners: (ownerId: string) => Promise<Change[]>;
    /** Takes back what people of the hosted instance could log in with here. */
    forgetHosted: (paired: Paired) => Promise<void>;
    /** What `show` answers is another than before. */
    changed: () => void;
  };

type PairedStream = NonNullable<z.infer<typeof pairPollAnswer>['stream']>;

type LocalPairing = ReturnType<typeof createLocalPairing>;

/** A gateway's part of the ceremony. It survives a restart in the middle: codes and key lie in a file. */
export function createLocalPairing(deps: LocalPairingDeps) {
  const { keys } = deps;
  const told = { userCode: null as string | null };

  /** The command line begins and ends ceremonies, too: their file is what counts. */
  function note(ceremony: LocalCeremony | null): void {
    const userCode = ceremony?.user_code ?? null;
    if (userCode === told.userCode) return;
    told.userCode = userCode;
    deps.changed();
  }

  /** Begins a ceremony, or a new one in place of that under way. Throws what the network threw. */
  async function start(wish: { hostedUrl: string; name: string | undefined; startedBy: string | null }) {
    const known = await deps.paired();
    if (known?.state === 'paired' && (await keys.hasKey()))
      throw conflict(
        `This gateway is paired with ${known.instance_name} already; unpair it there or here first`,
        'ALREADY_PAIRED',
      );
    const { publicKey, proof } = await keys.proveNext(`pair:${deps.gatewayId}`);
    const answer = await deps.hosted.start(wish.hostedUrl, {
      gateway_id: deps.gatewayId,
      public_key: publicKey,
      name: wish.name ?? deps.name,
      software: deps.software,
      schema: SYNC_SCHEMA,
      hardware: deps.hardware,
      proof,
    });
    const { expires_in_s: expiresInS, ...told } = answer;
    const ceremony = {
      hosted_url: wish.hostedUrl,
      ...told,
      expires_at: isoOf(deps.now() + expiresInS * 1000),
      started_by: wish.startedBy,
    };
    await keys.setCeremony(ceremony);
    note(ceremony);
    return ceremony;
  }

  /** Looks once how far the ceremony got. Throws what the network threw. */
  async function look(): Promise<'none' | 'waiting' | 'claimed' | 'refused' | 'expired'> {
    const ceremony = await keys.ceremony();
    note(ceremony);
    if (ceremony === null) return 'none';
    const { state, stream } = await deps.hosted.poll(ceremony.hosted_url, ceremony.device_code);
    if (state === 'waiting') return state;
    if (state === 'claimed' && stream !== null) {
      await keys.adoptNext();
      await complete(ceremony, stream).catch(async (error: unknown) => {
        // the program and the command line look at the same time, and one is first
        const known = await deps.paired();
        if (known?.state !== 'paired' || known.hosted_key !== stream.hosted_key) throw error;
      });
    }
    await keys.setCeremony(null);
    note(null);
    return state;
  }

  async function complete(ceremony: LocalCeremony, stream: PairedStream): Promise<void> {
    await perform(deps, ceremony.started_by, () => decidePaired(deps, ceremony, stream));
    const { instance_name: instance } = stream;
    deps.log.info({ instance, hostedUrl: ceremony.hosted_url }, 'this gateway is paired');
  }

  return {
    start,
    look,
    /** The hosted instance lets this gateway in no longer. Control and local accounts go on as they are. */
    async notLetIn(state: 'revoked' | 'fenced', detail: string): Promise<void> {
      const known = await deps.paired();
      if (known === null || known.state === state) return;
      // first, so that a stop in between leaves it to be done
      if (state === 'revoked') await deps.forgetHosted(known);
      await perform(deps, null, () => decideNotLetIn(deps, state, detail));
      deps.changed();
      deps.log.warn({ state, detail }, 'the hosted instance lets this gateway in no longer');
    },
    /** Ends the pairing from this side, and a ceremony under way. */
    async unpair(actor: string | null): Promise<void> {
      const known = await deps.paired();
      if (known !== null) {
        await deps.forgetHosted(known);
        await perform(deps, actor, async () => ({
          answer: undefined,
          changes: [purge(instanceValue, PAIRED)],
        }));
      }
      await keys.forget();
      deps.changed();
    },
    async show(): Promise<PairingAnswer> {
      return shown(deps, await deps.paired(), await keys.ceremony(), await keys.hasKey());
    },
  };
}

/** From here on the gateway syncs, beginning with a comparison of everything. */
async function decidePaired(
  deps: Pick<LocalPairingDeps, 'now' | 'keepFormerOwners'>,
  { hosted_url, started_by }: LocalCeremony,
  stream: PairedStream,
): Promise<Decision<void>> {
  const { epoch, owner_id, owner_name, instance_name, hosted_key } = stream;
  const row: Paired = {
    state: 'paired',
    hosted_url,
    hosted_key,
    owner_id,
    owner_name,
    instance_name,
    paired_at: isoOf(deps.now()),
    started_by,
    detail: null,
  };
  return {
    answer: undefined,
    changes: [
      savePaired(row),
      purge(instanceValue, TIME_RETURNS_TAKEN),
      ...(await deps.keepFormerOwners(owner_id)),
    ],
    stream: { id: OWN_STREAM, expect: {}, set: { epoch, resync: 'paired' } },
  };
}

/** A pairing that ended meanwhile stays ended. */
async function decideNotLetIn(
  deps: Pick<LocalPairingDeps, 'paired'>,
  state: 'revoked' | 'fenced',
  detail: string,
): Promise<Decision<void>> {
  const known = await deps.paired();
  return { answer: undefined, changes: known === null ? [] : [savePaired({ ...known, state, detail })] };
}

function shown(
  deps: Pick<LocalPairingDeps, 'gatewayId' | 'now'>,
  paired: Paired | null,
  ceremony: LocalCeremony | null,
  hasKey: boolean,
): PairingAnswer {
  const isOpen = ceremony !== null && deps.now() < Date.parse(ceremony.expires_at);
  const state = isOpen
    ? 'waiting'
    : paired === null
      ? 'unpaired'
      : paired.state === 'paired'
        ? 'paired'
        : 'revoked';
  const lostKey =
    paired?.state === 'paired' && !hasKey
      ? 'The key of this gateway is not on this box (a backup was restored on other hardware): pair it again'
      : null;
  return {
    state,
    gateway_id: deps.gatewayId,
    hosted_url: (isOpen ? ceremony.hosted_url : paired?.hosted_url) ?? null,
    user_code: isOpen ? ceremony.user_code : null,
    verification_uri: isOpen ? ceremony.verification_uri : null,
    qr_text: isOpen ? ceremony.verification_uri : null,
    expires_at: isOpen ? ceremony.expires_at : null,
    owner_name: paired?.owner_name ?? null,
    instance_name: paired?.instance_name ?? null,
    paired_at: paired?.paired_at ?? null,
    detail: lostKey ?? paired?.detail ?? null,
  };
}
