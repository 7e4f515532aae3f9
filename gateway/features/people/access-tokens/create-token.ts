import type * as z from 'zod';
import type { RowOf } from '#contract/resource.ts';
import { accessToken, type accessTokenCreate } from '#contract/resources/access-tokens.ts';
import { asParent, insert } from '#core/changes.ts';
import { AppError, conflict, invalidField } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Notify } from '#core/notifying.ts';
import type { Decision } from '#core/use-case.ts';
import type { AccessTokenQueries, TokenText } from './ports.ts';

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
  input: z.infer<typeof accessTokenCreate>,
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
    title: (language) => (language === 'en' ? 'New access token' : 'Novo token de acesso'),
    message: (language) =>
      language === 'en'
        ? `The access token “${name}” was made for your account (${scopes.join(', ')}). If it was not you, revoke it and change your password.`
        : `O token de acesso “${name}” foi criado na sua conta (${scopes.join(', ')}). Se não foi você, revogue-o e troque a senha.`,
    data: { access_token_id: id, scopes },
    cause: `access_token:${id}`,
    farmId: null,
  };
}
