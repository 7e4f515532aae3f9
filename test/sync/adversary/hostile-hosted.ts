import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import fc from 'fast-check';
import { type WebSocket, WebSocketServer } from 'ws';
import { sharedResources } from '#contract/resources/all.ts';
import type {
  HelloRequest,
  LogPoint,
  PullRequest,
  PushRequest,
  SnapshotRequest,
} from '#contract/sync/wire.ts';
import { chainAfter } from '#store/merge/canonical-change.ts';
import { isCampaign, mutated, mutations, packaged, packaging } from './mutations.ts';
import type { RandomChange } from './random-changes.ts';

// A hosted instance in other hands: it knows the protocol, the chains and every row, and answers what it likes.

/** As much as a gateway reads of one answer. */
const MOST_BYTES = 8 * 1024 * 1024;
const REFUSALS = [
  [409, 'SYNC_GAP'],
  [409, 'SYNC_FORK'],
  [409, 'SYNC_STALE_EPOCH'],
  [425, 'SYNC_NEEDS_CORE'],
  [410, 'SYNC_BELOW_FLOOR'],
  [403, 'SYNC_REVOKED'],
  [401, 'SYNC_TOKEN'],
  [426, 'SYNC_SCHEMA'],
  [413, 'BODY_TOO_LARGE'],
  [429, 'SYNC_TOO_MANY_AT_ONCE'],
  [503, 'SYNC_BUSY'],
  [500, 'INTERNAL'],
  [302, 'MOVED'],
] as const;
const RETRY_AFTER = ['0', '1', '-1', '99999999999999', 'Infinity', 'Fri, 31 Dec 9999 23:59:59 GMT', 'x'];

/** How it answers the next request: as it should but with those rows, with an answer of another kind, or not at all. */
export const answers = (change: fc.Arbitrary<RandomChange>) =>
  fc.record({
    is: fc.oneof(
      { weight: 30, arbitrary: fc.constant('answer' as const) },
      { weight: 3, arbitrary: fc.constant('refusal' as const) },
      { weight: 2, arbitrary: fc.constantFrom('replay' as const, 'cut' as const, 'hello' as const) },
    ),
    changes: fc.array(change, { maxLength: 8 }),
    doesApply: fc.nat(3).map((n) => n > 0),
    directive: fc.oneof(
      { weight: 12, arbitrary: fc.constant('go' as const) },
      { weight: 2, arbitrary: fc.constant('resync' as const) },
      { weight: 1, arbitrary: fc.constantFrom('upgrade' as const, 'slow' as const) },
    ),
    waitMs: fc.constantFrom(0, 1, 2 ** 31, 2 ** 40, 2 ** 53 - 1),
    refusal: fc.constantFrom(...REFUSALS),
    retryAfter: fc.constantFrom(...RETRY_AFTER),
    mutations,
    packaging,
    // megabytes that come out of kilobytes take as long as a hundred other answers: a long campaign has fewer of them
    packed: fc.oneof(
      { weight: isCampaign ? 60 : 2, arbitrary: fc.constantFrom('identity', 'identity', 'zstd', 'gzip') },
      { weight: 1, arbitrary: fc.constantFrom('br', 'bomb') },
    ),
  });
export type Answer = ReturnType<typeof answers> extends fc.Arbitrary<infer One> ? One : never;

type Json = Record<string, unknown>;

export async function openHostileHosted(nowMs: () => number) {
  const own = {
    next: null as (() => Answer) | null,
    answered: 0,
    /** Time of the processor that its own work took, µs: it runs in the process of the gateway. */
    cpuUs: 0,
    sockets: new Set<WebSocket>(),
    /** Orders about which it was asked whether they count, and said so. */
    confirmed: new Set<string>(),
    still: null as ((id: string, ask: string) => Json) | null,
    sent: '',
  };
  const facts = () => ({ server_now_ms: Math.floor(nowMs()), timeline: 'of-the-hostile' });
  const none = { seq: 0, chain: '' };

  function rowsBehind(cursor: LogPoint, changes: readonly RandomChange[]) {
    let { seq, chain } = cursor;
    return changes.map((change) => {
      seq += 1;
      chain = chainAfter(chain, change);
      return { ...change, seq, tx: seq, chain };
    });
  }

  const wireRows = (changes: readonly RandomChange[]) =>
    changes.map(({ entity, id, cl, hlc, body }) => ({ entity, id, cl, hlc, over: {}, body: body ?? {} }));

  /** What an honest one might say. */
  function sound(path: string, asked: Json, { changes, directive, waitMs, doesApply }: Answer): unknown {
    switch (path) {
      case 'hello': {
        const { epoch, head, acked, cursor } = asked as unknown as HelloRequest;
        return {
          ...facts(),
          epoch,
          in: doesApply ? head : acked,
          head: cursor.seq + 1,
          floor: 0,
          restamps: [],
          directive,
          reason: 'x',
          wait_ms: waitMs,
        };
      }
      case 'push': {
        const { rows, after } = asked as unknown as PushRequest;
        const last = rows.at(-1);
        const applied = last === undefined || !doesApply ? after : { seq: last.seq, chain: last.chain };
        const parked = doesApply ? [] : rows.map(({ seq }) => seq);
        const { epoch, lane } = asked as unknown as PushRequest;
        const restamps = rows.slice(0, 2).map(({ seq, chain, hlc }) => ({
          epoch,
          lane,
          seq,
          chain,
          from: hlc,
          to: 'ffffffffffff.ffff.ffffffff',
        }));
        return { ...facts(), in: applied, restamps: waitMs === 0 ? restamps : [], parked };
      }
      case 'pull': {
        const { cursor, acked } = asked as unknown as PullRequest;
        const rows = rowsBehind(cursor, changes);
        return { ...facts(), rows, head: cursor.seq + rows.length, more: false, in: acked, restamps: [] };
      }
      case 'snapshot': {
        const { resync, epoch, after } = asked as unknown as SnapshotRequest;
        const next = after === null && !doesApply ? { entity: 3, id: 'x' } : null;
        return {
          ...facts(),
          resync: resync ?? { epoch: epoch + 1, head: { seq: 10, chain: 'a'.repeat(32) } },
          rows: wireRows(changes),
          next,
          restamps: [],
        };
      }
      case 'digest':
        return {
          ...facts(),
          is_calm: true,
          differing: Object.fromEntries(Object.keys(sharedResources).map((table) => [table, [0, 1, 63]])),
        };
      case 'repair':
        return { ...facts(), rows: wireRows(changes), repaired: changes.length, refused: 0 };
      case 'session/nonce':
        return { nonce: 'n'.repeat(43), server_now_ms: facts().server_now_ms };
      case 'session':
        return { token: 't'.repeat(40), expires_in_s: 900, server_now_ms: facts().server_now_ms };
      default:
        return { ...facts(), in: none };
    }
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const before = process.threadCpuUsage();
      const path = (request.url ?? '').replace('/sync/v1/', '');
      const answer = own.next?.() ?? null;
      // who gets no token asks for nothing else: that door is tried now and then only
      const isDoor = path.startsWith('session') && own.answered % 25 !== 0;
      own.answered += 1;
      if (answer === null || (isDoor && answer.is !== 'refusal')) {
        response.setHeader('Content-Type', 'application/json');
        const plain = answer ?? PLAIN;
        response.end(JSON.stringify(sound(path, bodyOf(request, chunks), plain)));
      } else if (answer.is === 'cut') request.socket.destroy();
      else if (answer.is === 'refusal' && !isDoor) {
        const [status, code] = answer.refusal;
        const body = { code, detail: 'x', in: none, epoch: 2, state: 'revoked', signature: 'AAAA' };
        response.writeHead(status, {
          'Content-Type': 'application/json',
          'Retry-After': answer.retryAfter,
          Location: 'http://127.0.0.1:1/',
        });
        response.end(packaged(mutated(body, answer.mutations), answer.packaging, MOST_BYTES));
      } else {
        const kind = answer.is === 'hello' ? 'hello' : path;
        const asked = bodyOf(request, chunks);
        const text = answer.is === 'replay' && own.sent !== '' ? own.sent : null;
        const isSound = kind === path || 'head' in asked;
        const made = text === null && isSound ? mutated(sound(kind, asked, answer), answer.mutations) : {};
        const bytes = text === null ? packaged(made, answer.packaging, MOST_BYTES) : Buffer.from(text);
        if (path === 'pull' && bytes.length < 100_000) own.sent = bytes.toString();
        const [encoding, packed] = packedAs(answer.packed, bytes);
        response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': encoding });
        response.end(packed);
      }
      own.cpuUs += usedSince(before);
    });
  });
  const accepting = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, socket, head) => {
    accepting.handleUpgrade(request, socket, head, (accepted) => {
      own.sockets.add(accepted);
      accepted.on('close', () => own.sockets.delete(accepted));
      accepted.on('error', () => undefined);
      accepted.on('message', (data: Buffer) => {
        const frame = JSON.parse(data.toString('utf8')) as { is: string; id: string; ask: string };
        if (frame.is !== 'ask_still' || own.still === null) return;
        const answer = own.still(frame.id, frame.ask);
        accepted.send(JSON.stringify(answer));
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    own,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      for (const socket of own.sockets) socket.terminate();
      server.closeAllConnections();
      server.close();
    },
  };
}

const PLAIN: Answer = {
  is: 'answer',
  changes: [],
  doesApply: true,
  directive: 'go',
  waitMs: 1,
  refusal: [500, 'INTERNAL'],
  retryAfter: '1',
  mutations: [],
  packaging: 'whole',
  packed: 'identity',
};

export const usedSince = (before: NodeJS.CpuUsage): number => {
  const { user, system } = process.threadCpuUsage(before);
  return user + system;
};

function bodyOf({ headers }: IncomingMessage, chunks: readonly Buffer[]): Json {
  const bytes = Buffer.concat(chunks);
  const plain = headers['content-encoding'] === 'zstd' ? zstdDecompressSync(bytes) : bytes;
  return (plain.length === 0 ? {} : JSON.parse(plain.toString('utf8'))) as Json;
}

const BOMB = gzipSync(Buffer.alloc(64 * 1024 * 1024, 0x20));

function packedAs(how: string, bytes: Buffer): [encoding: string, bytes: Buffer] {
  if (how === 'zstd') return ['zstd', zstdCompressSync(bytes)];
  if (how === 'gzip') return ['gzip', gzipSync(bytes)];
  if (how === 'bomb') return ['gzip', BOMB];
  return [how, bytes];
}
