// One request to the gateway; no answer is an answer too.

export type Reply = { status: number; body: unknown };

export type Call = (
  method: string,
  path: string,
  options?: { token?: string; body?: unknown; withinMs?: number },
) => Promise<Reply | null>;

/** Calls below /api/v1. Null: the box went away, or did not answer in time. */
export function callAt(base: () => string): Call {
  return async (method, path, { token, body, withinMs = 20_000 } = {}) => {
    try {
      const response = await fetch(`${base()}${path.startsWith('/readyz') ? '' : '/api/v1'}${path}`, {
        method,
        headers: {
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(withinMs),
      });
      const text = await response.text();
      return { status: response.status, body: text === '' ? null : (JSON.parse(text) as unknown) };
    } catch {
      // killed, restarting, or cut off in the middle of its answer
      return null;
    }
  };
}

/** The JSON object of an answer that must be a success. */
export function answerOf(reply: Reply | null, what: string): Record<string, unknown> {
  if (reply === null || reply.status >= 300) {
    throw new Error(`${what} failed: ${reply === null ? 'no answer' : JSON.stringify(reply)}`);
  }
  // every success the campaign asks for is an object
  return reply.body as Record<string, unknown>;
}
