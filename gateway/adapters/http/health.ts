import type { RequestHandler } from 'express';

export type Readiness = {
  ready: boolean;
  checks: Readonly<Record<string, { ok: boolean; detail?: string; rung?: string; age_s?: number | null }>>;
};

type Check = Readiness['checks'][string];
export type Checks = ReturnType<typeof createChecks>;

/** Checks that parts of the program add when they stand. */
export function createChecks() {
  const asks = new Map<string, () => Check>();
  return {
    add: (name: string, ask: () => Check): void => void asks.set(name, ask),
    read: (): Record<string, Check> => Object.fromEntries([...asks].map(([name, ask]) => [name, ask()])),
  };
}

const PATIENCE_MS = 2_000;

/** GET /healthz: the process lives and its event loop turns. */
export function healthPage(deps: { monotonic: () => number }): RequestHandler {
  const startedAt = deps.monotonic();
  return (_request, response) => {
    response.json({ status: 'ok', uptime_s: Math.round((deps.monotonic() - startedAt) / 1000) });
  };
}

/** GET /readyz: 200 when requests can be served, else 503 with what is wrong. */
export function readyPage(deps: { readiness: () => Promise<Readiness> }): RequestHandler {
  return async (_request, response) => {
    const { ready, checks } = await inTime(deps.readiness());
    response.status(ready ? 200 : 503).json({ ready, checks });
  };
}

/** A check that hangs is an answer too. */
async function inTime(readiness: Promise<Readiness>): Promise<Readiness> {
  const { promise: patience, resolve } = Promise.withResolvers<Readiness>();
  const failed = (detail: string): Readiness => ({
    ready: false,
    checks: { readiness: { ok: false, detail } },
  });
  const timer = setTimeout(() => resolve(failed(`no answer within ${PATIENCE_MS} ms`)), PATIENCE_MS);
  try {
    return await Promise.race([
      readiness.catch((error: unknown) => failed(error instanceof Error ? error.message : 'failed')),
      patience,
    ]);
  } finally {
    clearTimeout(timer);
  }
}

/** One check by a question that throws when the answer is no. */
export async function checked(ask: () => Promise<void>): Promise<{ ok: boolean; detail?: string }> {
  try {
    await ask();
    return { ok: true };
  } catch (error) {
    return { ok: false, detail: error instanceof Error ? error.message : 'failed' };
  }
}
