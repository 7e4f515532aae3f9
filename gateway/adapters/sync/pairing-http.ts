import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Express, Request, Response } from 'express';
import * as z from 'zod';
import { called } from '#contract/commands.ts';
import {
  keysRequest,
  nonceAnswer,
  nonceRequest,
  notLetIn,
  pairPollRequest,
  pairStartRequest,
  REFUSED_HERE,
  SYNC_SCHEMA,
  sessionAnswer,
  sessionRequest,
  signInRequest,
} from '#contract/sync/wire.ts';
import { AppError } from '#core/errors.ts';
import { type AskHosted, HostedRefused } from './ask-hosted.ts';
import { isSignedBy, type KeyPair, newKeyPair, signText } from './ed25519.ts';

// What gateways ask of a hosted instance before they have a token, and about their keys. The data of the sync has its
// own routes.

export type PairingDesk = {
  start: (
    body: z.infer<typeof pairStartRequest>,
    from: { source: string; origin: string },
  ) => Promise<unknown>;
  poll: (body: z.infer<typeof pairPollRequest>) => Promise<unknown>;
  nonce: (body: z.infer<typeof nonceRequest>) => Promise<unknown>;
  session: (body: z.infer<typeof sessionRequest>) => Promise<unknown>;
  keys: (token: string, body: z.infer<typeof keysRequest>) => Promise<unknown>;
  signIn: (token: string, body: z.infer<typeof signInRequest>, source: string) => Promise<unknown>;
  time: (nonce: string) => unknown;
};

/** Reads a JSON body; the callback's error is one to answer. */
type ReadBody = (request: Request, done: (error: Error | null, body?: unknown) => void) => void;

const nonceQuery = z.object({ nonce: z.string().min(8).max(200) });

export type PairingHttpDeps = {
  desk: PairingDesk;
  readBody: ReadBody;
  /** Where a request comes from. */
  sourceOf: (request: Request) => string;
};

export function mountPairing(app: Express, { desk, readBody, sourceOf }: PairingHttpDeps): void {
  const post = <Body>(
    path: string,
    schema: z.ZodType<Body>,
    answer: (body: Body, request: Request) => Promise<unknown>,
  ) =>
    app
      .route(`/sync/v1/${path}`)
      .post(async (request, response) => {
        const body = valid(schema, await bodyOf(readBody, request));
        send(response, await answer(body, request));
      })
      .all(wrongMethod('POST'));
  post('pair/start', pairStartRequest, (body, request) =>
    desk.start(body, { source: sourceOf(request), origin: originOf(request) }),
  );
  post('pair/poll', pairPollRequest, desk.poll);
  post('session/nonce', nonceRequest, desk.nonce);
  post('session', sessionRequest, desk.session);
  post('keys', keysRequest, (body, request) => desk.keys(bearerOf(request), body));
  post('sign-in', signInRequest, (body, request) => desk.signIn(bearerOf(request), body, sourceOf(request)));
  app
    .route('/sync/v1/time')
    .get((request, response) => {
      send(response, desk.time(valid(nonceQuery, request.query).nonce));
    })
    .all(wrongMethod('GET'));
}

function bodyOf(readBody: ReadBody, request: Request): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  readBody(request, (error, body) => (error === null ? resolve(body) : reject(error)));
  return promise;
}

function valid<Body>(schema: z.ZodType<Body>, body: unknown): Body {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  // only the place is told: what stands there may be a secret
  const detail = `${issue?.path.join('.') || 'body'}: is not what this instance understands`;
  throw new AppError(422, detail, { code: 'VALIDATION_ERROR' });
}

function send(response: Response, body: unknown): void {
  response.setHeader('Cache-Control', 'no-store');
  response.json(body);
}

const SANE_HOST = /^[\w.-]+(:\d{1,5})?$|^\[[\da-f:]+\](:\d{1,5})?$/i;

function originOf({ headers: { host = '' } }: Request): string {
  return `http://${SANE_HOST.test(host) ? host : 'localhost'}`;
}

function bearerOf({ headers }: Request): string {
  return /^Bearer +([^\s]+)\s*$/i.exec(headers.authorization ?? '')?.[1] ?? '';
}

function wrongMethod(allow: string) {
  return (request: Request) => {
    throw new AppError(405, `${request.method} is not possible here; use ${allow}`, {
      code: 'METHOD_NOT_ALLOWED',
      headers: { Allow: allow },
    });
  };
}

type SessionFacts = { gatewayId: string; hostedUrl: string; hostedKey: string };

type GatewaySessionDeps = {
  ask: AskHosted;
  keys: Pick<GatewayKeys, 'current'>;
  monotonic: () => number;
  /** null: this gateway is not paired. */
  paired: () => Promise<SessionFacts | null>;
  /** Made anew by every start. */
  run: string;
  software: string;
  hardware: string;
  /** The hosted instance says, signed, that this gateway is let in no longer. */
  onNotLetIn: (state: 'revoked' | 'fenced', detail: string) => Promise<void>;
};

export type GatewaySession = {
  /** A token that is good for two minutes more at least. Throws HostedRefused, or what the network threw. */
  sessionToken: () => Promise<string>;
  /** The hosted instance refused the token: the next one is asked for anew. */
  forgetToken: () => void;
};

const SPARE_MS = 120_000;

/** Signs in at the hosted instance, once per quarter of an hour, whoever asks meanwhile. */
export function createGatewaySession(deps: GatewaySessionDeps): GatewaySession {
  const state: {
    held: { token: string; url: string; until: number } | null;
    signing: Promise<string> | null;
  } = { held: null, signing: null };

  async function signIn(facts: SessionFacts): Promise<string> {
    const { gatewayId, hostedUrl } = facts;
    const key = await deps.keys.current();
    if (key === null) throw keyMissing();
    const startedAt = deps.monotonic();
    const { nonce } = await deps.ask(
      { url: hostedUrl, path: '/sync/v1/session/nonce', body: { gateway_id: gatewayId } },
      nonceAnswer,
    );
    const body = {
      gateway_id: gatewayId,
      nonce,
      signature: signText(key, `session:${nonce}`),
      run: deps.run,
      software: deps.software,
      schema: SYNC_SCHEMA,
      hardware: deps.hardware,
    };
    const { token, expires_in_s } = await deps
      .ask({ url: hostedUrl, path: '/sync/v1/session', body }, sessionAnswer)
      .catch(async (error: unknown) => {
        if (error instanceof HostedRefused) await hearRefusal(deps, facts, nonce, error);
        throw error;
      });
    state.held = { token, url: hostedUrl, until: startedAt + expires_in_s * 1000 - SPARE_MS };
    return token;
  }

  return {
    async sessionToken() {
      const facts = await deps.paired();
      if (facts === null) throw notPaired();
      const { held } = state;
      if (held?.url === facts.hostedUrl && deps.monotonic() < held.until) return held.token;
      state.signing ??= signIn(facts).finally(() => {
        state.signing = null;
      });
      return state.signing;
    },
    forgetToken() {
      state.held = null;
    },
  };
}

async function hearRefusal(
  deps: Pick<GatewaySessionDeps, 'onNotLetIn'>,
  { gatewayId, hostedKey }: SessionFacts,
  nonce: string,
  error: HostedRefused,
): Promise<void> {
  const said = notLetIn.safeParse(error.body);
  if (error.refused.status !== 403 || !said.success) return;
  const { state, signature } = said.data;
  if (isSignedBy(hostedKey, `${state}:${gatewayId}:${nonce}`, signature))
    await deps.onNotLetIn(state, error.message);
}

const notPaired = () =>
  new HostedRefused({ status: 401, code: REFUSED_HERE.notPaired, detail: 'This gateway is not paired' });

const keyMissing = () =>
  new HostedRefused({
    status: 401,
    code: REFUSED_HERE.keyMissing,
    detail: `The key of this gateway is not on this box (a backup was restored on other hardware). Pair it again: ${called('pair')}`,
  });

// The gateway's key lies in a file of its own beside the database, for its owner alone, and in no backup: who finds a
// stick with backups, or restores one elsewhere, is not this gateway. A restored backup on new hardware is paired again.

const keyPair = z.object({ public_key: z.string().length(43), private_key: z.string().length(43) });

const ceremony = z.object({
  hosted_url: z.string(),
  device_code: z.string(),
  user_code: z.string(),
  verification_uri: z.string(),
  expires_at: z.iso.datetime(),
  interval_s: z.number(),
  started_by: z.string().nullable(),
});
/** A pairing under way. Its codes are secrets for a quarter of an hour, so they lie beside the key. */
type Ceremony = z.infer<typeof ceremony>;

const keyFile = z.object({
  current: keyPair.nullable(),
  /** Made for a pairing or a rotation that the hosted instance has not confirmed yet. */
  next: keyPair.nullable(),
  ceremony: ceremony.nullable(),
});
type KeyFile = z.infer<typeof keyFile>;

const NOTHING: KeyFile = { current: null, next: null, ceremony: null };

export type GatewayKeys = ReturnType<typeof gatewayKeys>;

export class KeyFileDamaged extends Error {}

/** `writeWhole` puts a file on disk whole, readable for its owner alone, or not at all. */
export function gatewayKeys(deps: {
  folder: string;
  writeWhole: (file: string, bytes: Iterable<Uint8Array>) => Promise<void>;
}) {
  const file = join(deps.folder, 'gateway-key.json');
  async function read(): Promise<KeyFile> {
    const text = await readFile(file, 'utf8').catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
      throw error;
    });
    if (text === null) return NOTHING;
    try {
      return keyFile.parse(JSON.parse(text));
    } catch {
      // what stands in it is secret, so the reason is not shown either
      throw new KeyFileDamaged(`${file} is damaged; remove it and pair the gateway again`);
    }
  }
  const write = (content: KeyFile) => deps.writeWhole(file, [Buffer.from(`${JSON.stringify(content)}\n`)]);
  return {
    async current(): Promise<KeyPair | null> {
      return (await read()).current;
    },
    async next(): Promise<KeyPair | null> {
      return (await read()).next;
    },
    /** A key for a ceremony, always a new one: what a copied card holds must not open again. */
    async newNext(): Promise<KeyPair> {
      const next = newKeyPair();
      await write({ ...(await read()), next });
      return next;
    },
    /** A key for a rotation, made once until it is adopted. */
    async makeNext(): Promise<KeyPair> {
      const content = await read();
      const next = content.next ?? newKeyPair();
      if (content.next === null) await write({ ...content, next });
      return next;
    },
    /** The next key becomes the current one; nothing when it did already. */
    async adoptNext(): Promise<void> {
      const content = await read();
      if (content.next === null) return;
      await write({ ...content, current: content.next, next: null });
    },
    async ceremony(): Promise<Ceremony | null> {
      return (await read()).ceremony;
    },
    async setCeremony(wanted: Ceremony | null): Promise<void> {
      await write({ ...(await read()), ceremony: wanted });
    },
    /** Unpaired: the key opens nothing any more. */
    async forget(): Promise<void> {
      await write(NOTHING);
    },
  };
}
