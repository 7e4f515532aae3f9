import { called } from '#contract/commands.ts';
import { nonceAnswer, notLetIn, REFUSED_HERE, SYNC_SCHEMA, sessionAnswer } from '#contract/sync/wire.ts';
import { type AskHosted, HostedRefused } from './ask-hosted.ts';
import { isSignedBy, signText } from './ed25519.ts';
import type { GatewayKeys } from './pairing-key.ts';

export type SessionFacts = { gatewayId: string; hostedUrl: string; hostedKey: string };

export type GatewaySessionDeps = {
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
