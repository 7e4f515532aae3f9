import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { Request as HttpRequest } from 'express';
import type { RowOf } from '#contract/resource.ts';
import { idempotentAnswer } from '#contract/resources/local-tables.ts';
import { insert, purgeSeen } from '#core/changes.ts';
import { AppError, conflict } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Request, RouteDecision } from '#core/route.ts';

export type IdempotencyDeps = Pick<Kernel, 'now' | 'elapsedSince'> & {
  storedAnswer: (id: string) => Promise<RowOf<typeof idempotentAnswer> | null>;
};

const MAX_ANSWER_BYTES = 65_536;
const KEPT_MS = 24 * 3600 * 1000;

/**
 * Honours Idempotency-Key on a create: the answer is stored in the commit that creates, so that a request repeated
 * after a lost answer creates nothing twice. The same key with another body is 422.
 */
export async function withIdempotency(
  deps: IdempotencyDeps,
  request: Request<unknown, unknown, unknown>,
  http: HttpRequest,
  decide: () => Promise<RouteDecision>,
): Promise<RouteDecision> {
  const key = http.headers['idempotency-key'];
  if (typeof key !== 'string' || request.caller === null) return decide();
  if (key.trim() === '' || key.length > 255) {
    throw new AppError(422, 'Idempotency-Key must have 1 to 255 characters', { code: 'VALIDATION_ERROR' });
  }
  const id = sha256(JSON.stringify([request.caller.userId, http.method, http.path, key]));
  const bodyHash = sha256(canonicalize(request.rawBody) ?? '');
  const stored = await deps.storedAnswer(id);
  if (stored !== null && deps.elapsedSince(Date.parse(stored.created_at)) < KEPT_MS) {
    if (stored.body_hash !== bodyHash) {
      throw new AppError(422, 'This Idempotency-Key was used with another body', {
        code: 'IDEMPOTENCY_KEY_REUSED',
      });
    }
    if (stored.answer === '')
      throw conflict(
        'This was done already; its answer was too large to keep, so read what was made',
        'ALREADY_DONE',
      );
    const headers = { 'Idempotent-Replayed': 'true' };
    const tag = stored.tag === null ? {} : { rev: stored.tag };
    return { answer: { status: stored.status, body: JSON.parse(stored.answer), headers, ...tag } };
  }
  const decision = await decide();
  const answer = JSON.stringify(decision.answer.body ?? null);
  // that it was done is kept all the same
  const isKept = Buffer.byteLength(answer) <= MAX_ANSWER_BYTES && decision.answer.rows === undefined;
  const row = {
    id,
    body_hash: bodyHash,
    status: decision.answer.status,
    answer: isKept ? answer : '',
    created_at: isoOf(deps.now()),
    user_id: request.caller.userId,
    tag: decision.answer.rev ?? null,
  };
  // one that is out of date and not swept yet stands in the way; where another request took its place meanwhile, that one's
  // answer is this one's, too
  const outdated = stored === null ? [] : [purgeSeen(idempotentAnswer, stored, 'created_at')];
  return {
    ...decision,
    changes: [...(decision.changes ?? []), ...outdated, insert(idempotentAnswer, row)],
  };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
