import type * as z from 'zod';
import type { RowOf } from '#contract/resource.ts';
import {
  accessToken,
  type accessTokenCreate,
  type accessTokenUpdate,
} from '#contract/resources/access-tokens.ts';
import { tokenUse } from '#contract/resources/local-tables.ts';
import { asParent, insert, onTables, put, rowsOf, update } from '#core/changes.ts';
import { AppError, conflict, invalidField } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { NewestMap, remembered } from '#core/newest-map.ts';
import type { Notify } from '#core/notifying.ts';
import { invalidToken } from '#core/request-checks.ts';
import type { Caller } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import type { AccessTokenQueries, StandingOf, TokenText, UsedToken } from './ports.ts';

export type CreateTokenDeps = Pick<Kernel, 'now' | 'newId' | 'guard' | 'clockQuality'> & {
  text: Pick<TokenText, 'make' | 'hashOf'>;
  queries: Pick<AccessTokenQueries, 'countLive'>;
  /** Whether the plan of the user includes access tokens. */
  hasApiAccess: (userId: string) => Promise<boolean>;
  notify: Notify;
};

/** More than anybody tells apart. */
const MOST_LIVE = 50;
const HINT_LENGTH = 4;

/**
 * Decides a new token; the text is in the answer and nowhere else. Throws 403 when the plan has no access tokens, 409
 * when there are too many, 422 for an end that has passed.
 */
export async function createToken(
  deps: CreateTokenDeps,
  userId: string,
  input: Omit<z.infer<typeof accessTokenCreate>, 'current_password'>,
): Promise<Decision<{ row: RowOf<typeof accessToken>; token: string }>> {
  const guards = [asParent(await deps.guard('account', userId)), await deps.guard('access_tokens', userId)];
  await requireApiAccess(deps, userId);
  const at = isoOf(deps.now());
  if (input.expires_at && input.expires_at <= at && deps.clockQuality() === 'trusted')
    throw invalidField(422, 'expires_at', 'must lie ahead');
  if ((await deps.queries.countLive(userId, at)) >= MOST_LIVE) {
    throw conflict(`You have ${MOST_LIVE} access tokens; revoke one you no longer use`, 'TOO_MANY_TOKENS');
  }
  const token = deps.text.make();
  const row: RowOf<typeof accessToken> = {
    id: deps.newId(),
    user_id: userId,
    name: input.name,
    scopes: input.scopes,
    token_hash: deps.text.hashOf(token),
    hint: token.slice(-HINT_LENGTH),
    expires_at: input.expires_at ?? null,
    revoked_at: null,
    created_at: at,
    updated_at: null,
  };
  const told = await deps.notify({ userIds: [userId] }, newsOf(row));
  return { answer: { row, token }, changes: [insert(accessToken, row), ...told], guards };
}

/** 403 when the plan of the user does not include access tokens. */
export async function requireApiAccess(
  deps: Pick<CreateTokenDeps, 'hasApiAccess'>,
  userId: string,
): Promise<void> {
  if (await deps.hasApiAccess(userId)) return;
  throw new AppError(403, 'Your plan does not include access tokens (api_access); a larger one does', {
    code: 'FEATURE_NOT_AVAILABLE',
  });
}

/** Who finds a token that he did not make revokes it. */
function newsOf({ id, name, scopes }: RowOf<typeof accessToken>): Parameters<Notify>[1] {
  return {
    type: 'SYSTEM',
    title: (language) =>
      ({ 'pt-BR': 'Novo token de acesso', en: 'New access token', es: 'Nuevo acceso para programas' })[
        language
      ],
    message: (language) =>
      ({
        'pt-BR': `O token de acesso “${name}” foi criado na sua conta (${scopes.join(', ')}). Se não foi você, revogue-o e troque a senha.`,
        en: `The access token “${name}” was made for your account (${scopes.join(', ')}). If it was not you, revoke it and change your password.`,
        es: `El acceso para programas “${name}” se creó en su cuenta (${scopes.join(', ')}). Si no fue usted, revóquelo y cambie la contraseña.`,
      })[language],
    data: { access_token_id: id, scopes },
    cause: `access_token:${id}`,
    farmId: null,
  };
}

/** Decides another name; without one nothing changes. */
export function renameToken(
  deps: Pick<Kernel, 'now'>,
  current: UsedToken,
  { name }: z.infer<typeof accessTokenUpdate>,
): Decision<UsedToken> {
  if (name === undefined || name === current.name) return { answer: current };
  const set = { name, updated_at: isoOf(deps.now()) };
  return {
    answer: { ...current, ...set, rev: current.rev + 1 },
    changes: [update(accessToken, current, set)],
  };
}

/** Decides that a token counts no longer; it stays in the list, with the time. */
export function revokeToken(
  deps: Pick<Kernel, 'now'>,
  current: Pick<UsedToken, 'id' | 'revoked_at'>,
): Decision<void> {
  if (current.revoked_at !== null) return { answer: undefined };
  const at = isoOf(deps.now());
  // whatever else changes it at this moment, it is revoked
  return {
    answer: undefined,
    changes: [update(accessToken, current.id, { revoked_at: at, updated_at: at })],
  };
}

type AuthenticateTokenDeps = Pick<Kernel, 'now' | 'commit' | 'log'> & {
  monotonic: () => number;
  text: Pick<TokenText, 'isWhole' | 'hashOf'>;
  queries: Pick<AccessTokenQueries, 'tokenByHash'>;
  standingOf: StandingOf;
};

/** How long another process's revocation may go unseen. */
const TTL_MS = 5_000;
const KEPT = 10_000;
const NOTED_EVERY_MS = 10 * 60 * 1000;

/**
 * `authenticate` answers who holds an access token; throws 401 for one that is unknown, revoked, expired or of an account
 * that is gone or switched off, in the same words. A token is found by its hash, which nobody can steer, so the time of
 * the search tells nothing. `hear` keeps what it remembers true to the commits of this process.
 */
export function createTokenAuthentication(deps: AuthenticateTokenDeps) {
  const tokens = remembered<UsedToken | null>({ monotonic: deps.monotonic, ttlMs: TTL_MS, limit: KEPT });
  const notedAt = new NewestMap<string, number>(KEPT);

  return {
    async authenticate(bearer: string): Promise<Caller> {
      if (!deps.text.isWhole(bearer)) throw invalidToken();
      const found = await tokens.get(deps.text.hashOf(bearer), deps.queries.tokenByHash);
      if (found === null || !isLive(found, deps.now())) throw invalidToken();
      const standing = await deps.standingOf(found.user_id);
      if (!standing?.is_active) throw invalidToken();
      if (found.used_at !== null && !notedAt.has(found.id)) notedAt.set(found.id, Date.parse(found.used_at));
      return {
        userId: found.user_id,
        role: standing.role,
        tokenId: found.id,
        tokenExpiresAt: endOf(found),
        scopes: found.scopes,
      };
    },
    /** Notes the use at most every ten minutes; nobody waits for it, and a full disk does not hinder the caller. */
    noteUse({ tokenId }: Pick<Caller, 'tokenId'>, source: string): void {
      const now = deps.now();
      const last = notedAt.get(tokenId);
      // a clock that was set back makes it due
      if (last !== undefined && now >= last && now - last < NOTED_EVERY_MS) return;
      notedAt.set(tokenId, now);
      const use = put(tokenUse, { id: tokenId, used_at: isoOf(now), source });
      deps.commit({ changes: [use], actor: null }).catch((error: unknown) => {
        deps.log.warn({ err: error }, 'the use of an access token was not noted');
      });
    },
    hear: onTables([accessToken], (committed) => {
      for (const { after } of rowsOf(committed, accessToken)) tokens.forget(after.token_hash);
    }),
  };
}

const endOf = ({ expires_at }: Pick<UsedToken, 'expires_at'>): number =>
  expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at);

function isLive(token: UsedToken, now: number): boolean {
  return token.revoked_at === null && now < endOf(token);
}
