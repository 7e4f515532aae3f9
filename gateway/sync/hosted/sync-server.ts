import {
  digestRequest,
  helloRequest,
  pullRequest,
  pushRequest,
  repairRequest,
  SYNC_SCHEMA,
  snapshotRequest,
} from '#contract/sync/wire.ts';
import type { AskKind, GatewayCaller, Refused } from '../ports.ts';
import { answerHello } from './answer-hello.ts';
import { answerPull } from './answer-pull.ts';
import { answerPush } from './answer-push.ts';
import { answerSnapshot } from './answer-snapshot.ts';
import type { HostedDeps } from './hosted-deps.ts';
import { malformed, tooNew } from './refusals.ts';
import { RequestRefused } from './request-refused.ts';

/** Letters of a path in an answer. */
const MOST_PATH = 200;

export type Asked = { ok: true; answer: unknown } | { ok: false; refused: Refused };

/** The hosted side of the protocol, whatever carries it. */
export type SyncServer = {
  /**
   * Answers one request of a gateway that proved who it is. A refused one has changed nothing. Throws when the database
   * does not answer: nothing is known then, and the gateway asks again.
   */
  ask(caller: GatewayCaller, kind: AskKind, body: unknown): Promise<Asked>;
};

export function createSyncServer(deps: HostedDeps): SyncServer {
  return {
    async ask(caller, kind, body) {
      try {
        const answer = await serve(deps, caller, kind, body);
        return { ok: true, answer };
      } catch (error) {
        if (!(error instanceof RequestRefused)) throw error;
        deps.refused(kind, error.refused.code);
        return { ok: false, refused: error.refused };
      }
    },
  };
}

function serve(deps: HostedDeps, caller: GatewayCaller, kind: AskKind, body: unknown): Promise<unknown> {
  switch (kind) {
    case 'hello':
      return answerHello(deps, caller, parsed(helloRequest, body));
    case 'push':
      return answerPush(deps, caller, parsed(pushRequest, body));
    case 'pull':
      return answerPull(deps, caller, parsed(pullRequest, body));
    case 'snapshot':
      return answerSnapshot(deps, caller, parsed(snapshotRequest, body));
    case 'digest':
      return deps.compare.digest(caller, parsed(digestRequest, body));
    case 'repair':
      return deps.compare.repair(caller, parsed(repairRequest, body));
  }
}

type Schema<T> = {
  safeParse(
    body: unknown,
  ):
    | { success: true; data: T }
    | { success: false; error: { issues: readonly { path: readonly PropertyKey[]; message: string }[] } };
};

function parsed<T>(schema: Schema<T>, body: unknown): T {
  const found = schema.safeParse(body);
  if (found.success) return found.data;
  if (isNewer(body)) throw new RequestRefused(tooNew(SYNC_SCHEMA));
  const [first] = found.error.issues;
  // keys of a map are the asker's own words, of any length
  const path = first?.path.map(String).join('.').slice(0, MOST_PATH);
  throw new RequestRefused(malformed(`${path || 'body'}: ${first?.message ?? 'not understood'}`));
}

/** Whether what could not be read was written by a newer version: then it waits instead of being wrong. */
function isNewer(body: unknown): boolean {
  if (typeof body !== 'object' || body === null || !('rows' in body) || !Array.isArray(body.rows))
    return false;
  return body.rows.some(
    (row: unknown) =>
      typeof row === 'object' &&
      row !== null &&
      'sv' in row &&
      typeof row.sv === 'number' &&
      row.sv > SYNC_SCHEMA,
  );
}
