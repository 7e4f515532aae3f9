import type * as z from 'zod';
import { revokedToken } from '#contract/resources/local-tables.ts';
import { pairedGateway } from '#contract/resources/sync-tables.ts';
import type { sessionAnswer, sessionRequest } from '#contract/sync/wire.ts';
import { SYNC_REFUSALS } from '#contract/sync/wire.ts';
import { type Change, insertIfAbsent, rowsOf, type StreamMove, update } from '#core/changes.ts';
import { AppError } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Notify } from '#core/notifying.ts';
import { copiedCardNews } from './pairing-words.ts';
import type { Gateway, PairingQueries, PairingSecrets } from './ports.ts';
import { noteRun } from './run-rules.ts';

export type SessionDeps = Pick<Kernel, 'now' | 'commit' | 'log'> & {
  secrets: Pick<PairingSecrets, 'newNonce' | 'readNonce' | 'newToken' | 'isSignedBy' | 'sign'>;
  queries: Pick<PairingQueries, 'gateway' | 'streamOf'>;
  notify: Notify;
};

export const TOKEN_S = 15 * 60;
const NONCE_MS = 60_000;
/** Hosted processes do not share a clock to the millisecond. */
const SKEW_MS = 5_000;

/**
 * Gives a gateway a token for a signature over a nonce that this instance made a moment ago. No clock of the gateway
 * is looked at. Throws 401 for a signature that is none, 403 for a gateway that was unpaired or fenced.
 */
export async function openSession(
  deps: SessionDeps,
  asked: z.infer<typeof sessionRequest>,
): Promise<z.infer<typeof sessionAnswer>> {
  const nowMs = deps.now();
  const nonce = deps.secrets.readNonce(asked.nonce);
  const age = nowMs - (nonce?.issuedAt ?? 0);
  if (nonce?.gatewayId !== asked.gateway_id || age > NONCE_MS || age < -SKEW_MS) throw badSignature();
  const gateway = await deps.queries.gateway(asked.gateway_id);
  const key = gateway === null ? null : signingKey(deps, gateway, asked, nowMs);
  if (gateway === null || key === null) throw badSignature();
  requireLetIn(deps, gateway, asked.nonce);
  await noteSession(deps, gateway, { ...asked, key, nonceIssuedAt: nonce.issuedAt });
  const { id: gatewayId, stream_id: streamId } = gateway;
  return {
    token: deps.secrets.newToken({
      gatewayId,
      streamId,
      key,
      expiresAt: nowMs + TOKEN_S * 1000,
      run: asked.run,
    }),
    expires_in_s: TOKEN_S,
    server_now_ms: nowMs,
  };
}

function signingKey(
  deps: SessionDeps,
  gateway: Gateway,
  { nonce, signature }: { nonce: string; signature: string },
  nowMs: number,
): string | null {
  const text = `session:${nonce}`;
  return validKeys(gateway, nowMs).find((key) => deps.secrets.isSignedBy(key, text, signature)) ?? null;
}

/** Keys that count now: during a rotation the old one and the new one. */
export function validKeys(gateway: Gateway, nowMs: number): string[] {
  const { public_key: key, next_public_key: next, key_retires_at: retiresAt } = gateway;
  if (next === null) return [key];
  return retiresAt !== null && nowMs >= Date.parse(retiresAt) ? [next] : [key, next];
}

type Noted = z.infer<typeof sessionRequest> & { key: string; nonceIssuedAt: number };

/** Uses the nonce up and notes that the gateway came; a copied card is fenced here. */
async function noteSession(deps: SessionDeps, gateway: Gateway, asked: Noted): Promise<void> {
  const nowMs = deps.now();
  const { runs, isCopied } = noteRun(gateway.runs_json, asked.run, { nowMs, ...asked });
  const used = { id: `nonce:${asked.nonce.slice(-43)}`, expires_at: isoOf(nowMs + 2 * NONCE_MS) };
  const seen = {
    last_seen_at: isoOf(nowMs),
    software: asked.software,
    schema_version: asked.schema,
    hardware: asked.hardware,
    runs_json: JSON.stringify(runs),
    ...retiredKey(gateway, asked.key, nowMs),
    ...(isCopied ? { status: 'fenced' as const } : {}),
  };
  const changes: Change[] = [insertIfAbsent(revokedToken, used), update(pairedGateway, gateway.id, seen)];
  if (isCopied)
    changes.push(...(await deps.notify({ userIds: [gateway.owner_id] }, copiedCardNews(gateway, nowMs))));
  const fenced = isCopied ? { stream: await nextEpoch(deps, gateway.id) } : {};
  const committed = await deps.commit({ changes, actor: null, ...fenced });
  if (isCopied) deps.log.warn({ gatewayId: gateway.id }, 'two gateways live with one key: both are fenced');
  if (!rowsOf(committed, revokedToken).some(({ id }) => id === used.id)) throw badSignature();
  if (isCopied) requireLetIn(deps, { ...gateway, status: 'fenced' }, asked.nonce);
}

/** Once the old key has retired the new one stands alone. */
function retiredKey(gateway: Gateway, usedKey: string, nowMs: number): Partial<Gateway> {
  if (gateway.next_public_key !== usedKey || validKeys(gateway, nowMs).length > 1) return {};
  return { public_key: usedKey, next_public_key: null, key_retires_at: null };
}

/** Fences what was sent under the epoch until now; whoever comes next compares everything anew. */
export async function nextEpoch(
  deps: { queries: Pick<PairingQueries, 'streamOf'> },
  gatewayId: string,
): Promise<StreamMove> {
  const { id, epoch } = await deps.queries.streamOf(gatewayId);
  return { id, expect: { epoch }, set: { epoch: epoch + 1, resync: 'paired' } };
}

/** The refusal is signed: on its word a gateway gives something up. */
function requireLetIn(deps: Pick<SessionDeps, 'secrets'>, { id, status }: Gateway, nonce: string): void {
  if (status === 'active') return;
  requireActive({ status }, { signature: deps.secrets.sign(`${status}:${id}:${nonce}`) });
}

export function requireActive(
  { status }: Pick<Gateway, 'status'>,
  more: Readonly<Record<string, unknown>> = {},
): void {
  if (status === 'active') return;
  const detail =
    status === 'revoked'
      ? 'This gateway was unpaired by its owner. The farm goes on by itself; pair it again to sync'
      : 'Two gateways use the key of this one, so neither is let in. Switch the copy off and pair this one again';
  throw new AppError(403, detail, { code: SYNC_REFUSALS.revoked, more: { state: status, ...more } });
}

export const badSignature = () =>
  new AppError(401, 'This instance does not know that gateway, or the signature is not its own', {
    code: SYNC_REFUSALS.token,
  });
