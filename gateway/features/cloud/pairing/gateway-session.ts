import type * as z from 'zod';
import { atTheBox } from '#contract/commands.ts';
import { revokedToken } from '#contract/resources/local-tables.ts';
import { pairedGateway } from '#contract/resources/sync-tables.ts';
import {
  type keysAnswer,
  type keysRequest,
  SYNC_REFUSALS,
  type sessionAnswer,
  type sessionRequest,
} from '#contract/sync/wire.ts';
import { type Change, insertIfAbsent, onTables, rowsOf, type StreamMove, update } from '#core/changes.ts';
import { AppError } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { remembered } from '#core/newest-map.ts';
import type { Language, News, Notify } from '#core/notifying.ts';
import type { Decision } from '#core/use-case.ts';
import { isOvertaken, noteRun, useRun } from './on-paired.ts';
import type { Gateway, PairingQueries, PairingSecrets } from './ports.ts';

type SessionDeps = Pick<Kernel, 'now' | 'commit' | 'log'> & {
  secrets: Pick<PairingSecrets, 'newNonce' | 'readNonce' | 'newToken' | 'isSignedBy' | 'sign'>;
  queries: Pick<PairingQueries, 'gateway' | 'streamOf'>;
  notify: Notify;
};

const TOKEN_S = 15 * 60;
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
function validKeys(gateway: Gateway, nowMs: number): string[] {
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

function requireActive(
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

/** How long another process's revocation may go unseen; the stream's epoch fences what comes in between. */
const TTL_MS = 2_000;
const KEPT = 10_000;

/**
 * `gatewayByToken` answers whose token it is; null for one that is none, has expired or belongs to a key that was
 * replaced, or to a start of the gateway that was followed by another one. Throws 403 SYNC_REVOKED for a gateway that was unpaired or fenced. `hear` keeps what is remembered true to
 * the commits of this process.
 */
export function createGatewayAuthentication(
  deps: Pick<Kernel, 'now' | 'commit'> & {
    monotonic: () => number;
    secrets: Pick<PairingSecrets, 'readToken'>;
    queries: Pick<PairingQueries, 'gateway'>;
  },
) {
  const gateways = remembered<Gateway | null>({ monotonic: deps.monotonic, ttlMs: TTL_MS, limit: KEPT });
  /** A newer start may have signed in at another process just now. */
  function again(id: string): Promise<Gateway | null> {
    gateways.forget(id);
    return gateways.get(id, deps.queries.gateway);
  }
  /** The first use of a token: whoever used one before is overtaken from now on. */
  async function takesOver({ id, runs_json }: Gateway, run: string | undefined): Promise<boolean> {
    const runs = run === undefined ? null : useRun(runs_json, run, deps.now());
    if (runs === null) return false;
    const used = update(pairedGateway, id, { runs_json: JSON.stringify(runs) });
    await deps.commit({ changes: [used], actor: null });
    return true;
  }
  return {
    async gatewayByToken(
      token: string,
    ): Promise<{ gatewayId: string; streamId: number; run?: string } | null> {
      const said = deps.secrets.readToken(token);
      if (said === null || deps.now() >= said.expiresAt) return null;
      const known = await gateways.get(said.gatewayId, deps.queries.gateway);
      const gateway =
        known !== null && isOvertaken(known.runs_json, said.run) ? await again(known.id) : known;
      if (gateway === null || gateway.stream_id !== said.streamId) return null;
      if (!validKeys(gateway, deps.now()).includes(said.key)) return null;
      requireActive(gateway);
      // one that lives beside a newer start signs in anew, and by that shows itself
      if (isOvertaken(gateway.runs_json, said.run) && !(await takesOver(gateway, said.run))) return null;
      const caller = { gatewayId: gateway.id, streamId: gateway.stream_id };
      return said.run === undefined ? caller : { ...caller, run: said.run };
    },
    /** Whether another start of that gateway signed in since. */
    async isOvertaken({ gatewayId, run }: { gatewayId: string; run?: string }): Promise<boolean> {
      const gateway = run === undefined ? null : await again(gatewayId);
      return gateway !== null && isOvertaken(gateway.runs_json, run);
    },
    hear: onTables([pairedGateway], (committed) => {
      for (const { id, before, after, hidden } of rowsOf(committed, pairedGateway)) {
        // of another process's commit nobody tells what stood before, and its row may be older than what is known here
        if (before === null || hidden) gateways.forget(id);
        else gateways.set(id, after);
      }
    }),
  };
}

const OVERLAP_MS = 7 * 24 * 3600 * 1000;

/**
 * Decides that a gateway has a new key: it counts at once, the one before it for a week more, so that a gateway that
 * loses its power in between comes in with either. The same new key again is answered the same.
 */
export async function rotateKey(
  deps: Pick<Kernel, 'now'> & {
    secrets: Pick<PairingSecrets, 'isSignedBy'>;
    queries: Pick<PairingQueries, 'gateway'>;
  },
  gatewayId: string,
  asked: z.infer<typeof keysRequest>,
): Promise<Decision<z.infer<typeof keysAnswer>>> {
  const nowMs = deps.now();
  const gateway = await deps.queries.gateway(gatewayId);
  if (gateway === null) throw badSignature();
  const text = `keys:${gatewayId}:${asked.public_key}`;
  if (!deps.secrets.isSignedBy(asked.public_key, text, asked.proof_new)) throw badSignature();
  const old = validKeys(gateway, nowMs).find((key) => deps.secrets.isSignedBy(key, text, asked.proof_old));
  if (old === undefined) throw badSignature();
  const { next_public_key: next, key_retires_at: retiresAt } = gateway;
  if (next === asked.public_key && retiresAt !== null) return { answer: { old_key_until: retiresAt } };
  const until = isoOf(nowMs + OVERLAP_MS);
  const set = { public_key: old, next_public_key: asked.public_key, key_retires_at: until };
  return { answer: { old_key_until: until }, changes: [update(pairedGateway, gatewayId, set)] };
}

// What owners are told of their gateways. Names are what somebody typed: they are cut.

const short = (name: string): string => {
  const line = name.replaceAll(/[\p{C}\s]+/gu, ' ').trim();
  return line.length <= 60 ? line : `${line.slice(0, 59)}…`;
};

type Named = Pick<Gateway, 'id' | 'name' | 'hardware'>;

const news = (
  gateway: Named,
  cause: string,
  words: Record<Language, { title: string; message: string }>,
): News => ({
  type: 'SYSTEM',
  title: (language) => words[language].title,
  message: (language) => words[language].message,
  data: { gateway_id: gateway.id, gateway_name: gateway.name },
  cause,
  farmId: null,
});

export function pairedNews(gateway: Named, at: string): News {
  const name = short(gateway.name);
  return news(gateway, `gateway:${gateway.id}:paired:${at}`, {
    en: {
      title: 'A gateway was paired',
      message: `The gateway ${name} (${short(gateway.hardware)}) belongs to your account now; its farms appear as it syncs. If that was not you, unpair it and change your password.`,
    },
    'pt-BR': {
      title: 'Um gateway foi pareado',
      message: `O gateway ${name} (${short(gateway.hardware)}) agora pertence à sua conta; as fazendas dele aparecem com a sincronização. Se não foi você, desfaça o pareamento e troque a senha.`,
    },
    es: {
      title: 'Se vinculó un gateway',
      message: `El gateway ${name} (${short(gateway.hardware)}) ahora pertenece a su cuenta; sus camaroneras aparecen con la sincronización. Si no fue usted, deshaga el vínculo y cambie la contraseña.`,
    },
  });
}

export function revokedNews(gateway: Named, at: string): News {
  const name = short(gateway.name);
  return news(gateway, `gateway:${gateway.id}:revoked:${at}`, {
    en: {
      title: 'A gateway was unpaired',
      message: `The gateway ${name} syncs no longer. The farm goes on by itself; what is done there from now on stays there.`,
    },
    'pt-BR': {
      title: 'Um gateway foi despareado',
      message: `O gateway ${name} não sincroniza mais. A fazenda continua sozinha; o que for feito lá daqui em diante fica lá.`,
    },
    es: {
      title: 'Se desvinculó un gateway',
      message: `El gateway ${name} ya no sincroniza. La camaronera continúa sola; lo que se haga allá de aquí en adelante se queda allá.`,
    },
  });
}

function copiedCardNews(gateway: Named, nowMs: number): News {
  const name = short(gateway.name);
  return {
    ...news(gateway, `gateway:${gateway.id}:copied:${Math.floor(nowMs / 3_600_000)}`, {
      en: {
        title: 'Two gateways with one key',
        message: `Two boxes sign in as the gateway ${name}: its card was copied, or a backup of the whole box runs beside it. Neither is let in. Switch one off, then pair the other one again (there: ${atTheBox('pair')}); aeration goes on meanwhile.`,
      },
      'pt-BR': {
        title: 'Dois gateways com a mesma chave',
        message: `Dois aparelhos se identificam como o gateway ${name}: o cartão foi copiado ou uma cópia completa roda ao lado dele. Nenhum dos dois entra. Desligue um e pareie o outro de novo (nele: ${atTheBox('pair')}); a aeração continua enquanto isso.`,
      },
      es: {
        title: 'Dos gateways con la misma clave',
        message: `Dos equipos se identifican como el gateway ${name}: se copió la tarjeta o una copia completa corre junto a él. Ninguno de los dos entra. Apague uno y vincule el otro de nuevo (en él: ${atTheBox('pair')}); la aireación continúa mientras tanto.`,
      },
    }),
    severity: 'HIGH',
  };
}
