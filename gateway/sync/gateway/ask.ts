import type * as z from 'zod';
import { FIRST_SCHEMA, MAX_ROWS, MOST_RESTAMPS } from '#contract/sync/wire.ts';
import type { AskKind } from '../ports.ts';
import type { SyncClientDeps } from './ports.ts';
import type { Outcome } from './state.ts';
import { TUNING } from './tuning.ts';

type Unanswered = Extract<Outcome, { is: 'refused' | 'failed' }>;
export type Asked<Answer> =
  | { ok: true; answer: Answer; tookMs: number }
  | { ok: false; outcome: Unanswered; in?: { seq: number; chain: string } };

type HostedFacts = { server_now_ms: number; timeline: string; schema?: number | undefined };

/** Asks the hosted instance and checks the shape of what it answers: whoever answers is not believed by itself. */
export async function ask<Answer extends HostedFacts>(
  deps: Pick<
    SyncClientDeps,
    'transport' | 'monotonic' | 'later' | 'onMet' | 'onHostedTime' | 'onHostedSchema'
  >,
  kind: AskKind,
  schema: z.ZodType<Answer>,
  body: unknown,
): Promise<Asked<Answer>> {
  const askedAt = deps.monotonic();
  try {
    const reply = await inTime(deps, deps.transport.ask(kind, body, { timeoutMs: TUNING.requestTimeoutMs }));
    if (!reply.ok) {
      const { status, code, detail, retryAfterMs = null } = reply.refused;
      const outcome: Unanswered = { is: 'refused', status, code, detail, retryAfterMs };
      return reply.refused.in === undefined
        ? { ok: false, outcome }
        : { ok: false, outcome, in: reply.refused.in };
    }
    if (isTooMany(reply.answer))
      throw new LinkFailure('broken', `the answer to ${kind} has more rows than were asked for`);
    const parsed = schema.safeParse(reply.answer);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      throw new LinkFailure('broken', `the answer to ${kind} is not valid at ${issue?.path.join('.') ?? ''}`);
    }
    const tookMs = deps.monotonic() - askedAt;
    deps.onMet?.();
    deps.onHostedSchema?.(parsed.data.schema ?? FIRST_SCHEMA);
    deps.onHostedTime?.({ serverNowMs: parsed.data.server_now_ms, roundTripMs: tookMs });
    return { ok: true, answer: parsed.data, tookMs };
  } catch (error) {
    return { ok: false, outcome: failureOf(error) };
  }
}

/** Looked at before every row is: a list that nobody asked for is not worth the time. */
function isTooMany(answer: unknown): boolean {
  if (typeof answer !== 'object' || answer === null) return false;
  const { rows, restamps } = answer as { rows?: unknown; restamps?: unknown };
  return [[rows, MAX_ROWS.history] as const, [restamps, MOST_RESTAMPS] as const].some(
    ([list, most]) => Array.isArray(list) && list.length > most,
  );
}

export function failureOf(error: unknown): Extract<Outcome, { is: 'failed' }> {
  const detail = error instanceof Error ? error.message : String(error);
  return { is: 'failed', why: error instanceof LinkFailure ? error.why : 'broken', detail };
}

/** A transport that never answers is given up, too; a little after its own time has passed. */
function inTime<Answer>(deps: Pick<SyncClientDeps, 'later'>, asking: Promise<Answer>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const callOff = deps.later(TUNING.requestTimeoutMs + TUNING.connectTimeoutMs, () =>
      reject(new LinkFailure('timeout', 'no answer in time')),
    );
    asking.then(resolve, reject).finally(callOff);
  });
}

/** Why a request got no answer that can be used. */
export const LINK_FAILURES = ['unreachable', 'timeout', 'broken'] as const;
type LinkFailureKind = (typeof LINK_FAILURES)[number];

/**
 * The network did not carry it: `unreachable` nobody answered at all, `timeout` too slow, `broken` the answer was cut,
 * too large or not what it should be. What became of the request is unknown in all three.
 */
export class LinkFailure extends Error {
  readonly why: LinkFailureKind;

  constructor(why: LinkFailureKind, message: string, options?: { cause: unknown }) {
    super(message, options);
    this.why = why;
  }
}
