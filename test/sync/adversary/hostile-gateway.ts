import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { WebSocket } from 'ws';
import { newKeyPair, signText } from '#adapters/sync/ed25519.ts';
import { sharedResources } from '#contract/resources/all.ts';
import { pairedGateway } from '#contract/resources/sync-tables.ts';
import { SYNC_SCHEMA } from '#contract/sync/wire.ts';
import { update } from '#core/changes.ts';
import { chainAfter } from '#store/merge/canonical-change.ts';
import { bucketOf } from '#store/merge/digest.ts';
import { httpClient } from '#test/http-client.ts';
import type { SpysGateway } from './a-spys-gateway.ts';
import { mutated, mutations, packaged, packaging } from './mutations.ts';
import type { RandomChange } from './random-changes.ts';

// Everything that a gateway can say to a hosted instance, by hand: requests, the ceremony, frames.

const MOST_BYTES = 2 * 1024 * 1024;
const KINDS = ['hello', 'push', 'push', 'push', 'push', 'pull', 'snapshot', 'digest', 'repair'] as const;
const BESIDE = ['pair/start', 'pair/poll', 'session/nonce', 'session', 'keys', 'sign-in', 'time'] as const;
const FRAMES = ['command_state', 'ask_still', 'live', 'report', 'outage'] as const;
type Kind = (typeof KINDS)[number];

export type Reply = { status: number; text: string };

export async function aHostileGateway(its: SpysGateway, stream: SpysGateway['stream'] = its.stream) {
  const { app, spy, victim } = its;
  const client = httpClient(`${app.base}/sync/v1/`);
  const key = newKeyPair();
  await app.kernel.commit({
    actor: null,
    changes: [update(pairedGateway, stream.gatewayId, { public_key: key.public_key })],
  });
  const own = { token: '', socket: null as WebSocket | null, frames: [] as string[] };
  const run = randomUUID();

  async function post(path: string, body: Buffer, headers: Record<string, string> = {}): Promise<Reply> {
    const sent = { body, headers: { Authorization: `Bearer ${own.token}`, ...headers } };
    const { status, text } = await client.told('POST', path, sent);
    return { status, text };
  }

  async function signIn(): Promise<void> {
    const ask = async (path: string, body: unknown) => {
      const { status, text } = await post(path, Buffer.from(JSON.stringify(body)));
      if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
      return JSON.parse(text) as Record<string, unknown>;
    };
    const { nonce } = await ask('session/nonce', { gateway_id: stream.gatewayId });
    const signature = signText(key, `session:${String(nonce)}`);
    const { token } = await ask('session', {
      gateway_id: stream.gatewayId,
      nonce,
      signature,
      run,
      software: 'spy',
      schema: SYNC_SCHEMA,
      hardware: '',
    });
    own.token = String(token);
  }

  const read = () =>
    app.database.read
      .selectFrom('sync_stream')
      .selectAll()
      .where('stream_id', '=', stream.streamId)
      .executeTakeFirstOrThrow();
  type Standing = Awaited<ReturnType<typeof read>>;
  let stood: Standing | null = null;
  /** How both sides stand: what it says alone moves it. */
  async function standing(): Promise<Standing> {
    stood ??= await read();
    return stood;
  }

  /** A request that fits how both sides stand, with those rows. */
  function valid(kind: Kind, at: Standing, changes: readonly RandomChange[]): unknown {
    const { epoch } = at;
    const applied = {
      core: { seq: at.in_core_seq, chain: at.in_core_chain },
      history: { seq: at.in_history_seq, chain: at.in_history_chain },
    };
    const cursor = { seq: at.core_seq, chain: at.core_chain };
    const window = { history_from: '2020-01-01T00:00:00.000Z', history_to: '2030-01-01T00:00:00.000Z' };
    switch (kind) {
      case 'hello':
        return {
          epoch,
          timeline: '',
          schema: SYNC_SCHEMA,
          software: 'spy',
          head: applied,
          acked: applied,
          cursor,
          clock: { trust: 'trusted', now_ms: app.clock.now() },
        };
      case 'push': {
        const lane = changes.length % 5 === 4 ? 'history' : 'core';
        let { seq, chain } = applied[lane];
        const after = { seq, chain };
        const rows = changes.map((change) => {
          seq += 1;
          chain = chainAfter(chain, { ...change, hlc: change.hlc });
          return { ...change, seq, tx: seq, chain };
        });
        return { epoch, lane, after, cursor, needs_core: 0, rows };
      }
      case 'pull':
        return { epoch, cursor: { seq: 0, chain: '' }, acked: applied, limit: 100 };
      case 'snapshot':
        return { resync: null, epoch, after: null, limit: 100, history_from: null };
      case 'digest':
        return {
          epoch,
          cursor,
          head: applied,
          ...window,
          sums: { ponds: Array.from({ length: 64 }, () => '0') },
        };
      case 'repair': {
        const entity = changes[0]?.entity;
        const table = Object.values(sharedResources).find((resource) => resource.entity === entity)?.name;
        const bucket = bucketOf(changes[0]?.id ?? '');
        const rows = changes.filter((change) => change.entity === entity && bucketOf(change.id) === bucket);
        return {
          epoch,
          table,
          bucket,
          after: null,
          to: null,
          ...window,
          rows: rows.map(({ id, cl, hlc, body }) => ({ entity, id, cl, hlc, over: {}, body: body ?? {} })),
        };
      }
    }
  }

  function besides(path: (typeof BESIDE)[number]): unknown {
    const gateway_id = stream.gatewayId;
    switch (path) {
      case 'pair/start':
        return {
          gateway_id,
          public_key: key.public_key,
          name: 'x',
          software: '1',
          schema: 1,
          hardware: '',
          proof: signText(key, `pair:${gateway_id}`),
        };
      case 'pair/poll':
        return { device_code: randomUUID() };
      case 'session/nonce':
        return { gateway_id };
      case 'session':
        return { gateway_id, nonce: randomUUID(), signature: '', run, software: '', schema: 1, hardware: '' };
      case 'keys':
        return { public_key: key.public_key, proof_old: '', proof_new: '' };
      case 'sign-in':
        return { email: victim.user.email, password: 'camarao-000' };
      case 'time':
        return {};
    }
  }

  function frame(is: (typeof FRAMES)[number], id: string): unknown {
    switch (is) {
      case 'command_state':
        return { is, id, state: 'done', result: 'x' };
      case 'ask_still':
        return { is, id, ask: '1' };
      case 'live':
        return {
          is,
          is_all: false,
          points: [
            {
              id,
              is_online: true,
              heard_at_ms: 1,
              consumption: 1,
              current_status: 'ON',
              target_status: 'ON',
            },
          ],
        };
      case 'report':
        return {
          is,
          head: { core: 1, history: 1 },
          oldest_unacked_ms: 1,
          clock: 'trusted',
          parked: 0,
          disk: 'ok',
        };
      case 'outage':
        return { is, until_ms: app.clock.now() + 1_000, reason: 'x' };
    }
  }

  async function speak(bytes: Buffer): Promise<void> {
    if (own.socket?.readyState !== WebSocket.OPEN) {
      const socket = new WebSocket(`${app.base.replace('http', 'ws')}/sync/v1/live`, {
        headers: { Authorization: `Bearer ${own.token}` },
      });
      socket.on('error', () => undefined);
      socket.on('message', (data: Buffer) => own.frames.push(data.toString('utf8')));
      await Promise.race([once(socket, 'open'), once(socket, 'close')]);
      own.socket = socket;
    }
    // no instance hears more than twenty in a second of its clock
    app.clock.advance(50);
    own.socket.send(bytes.toString('latin1'));
  }

  /** The whole of what one may send, given rows to speak of and ids to name. */
  function messages(change: fc.Arbitrary<RandomChange>, ids: readonly string[]) {
    const id = fc.constantFrom(...ids);
    return fc.record({
      to: fc.oneof(
        { weight: 12, arbitrary: fc.constantFrom(...KINDS) },
        { weight: 2, arbitrary: fc.constantFrom(...BESIDE) },
        { weight: 6, arbitrary: fc.constantFrom(...FRAMES) },
      ),
      changes: fc.array(change, { minLength: 1, maxLength: 12 }),
      id,
      mutations,
      packaging,
      isPacked: fc.boolean(),
      isTokenLost: fc.nat(40).map((n) => n === 0),
    });
  }
  type Message = ReturnType<typeof messages> extends fc.Arbitrary<infer One> ? One : never;

  async function send(message: Message): Promise<Reply | null> {
    const { to, changes, id } = message;
    const isFrame = (FRAMES as readonly string[]).includes(to);
    const isBeside = (BESIDE as readonly string[]).includes(to);
    const made = isFrame
      ? frame(to as (typeof FRAMES)[number], id)
      : isBeside
        ? besides(to as (typeof BESIDE)[number])
        : valid(to as Kind, await standing(), changes);
    const bytes = packaged(mutated(made, message.mutations), message.packaging, MOST_BYTES);
    if (isFrame) {
      await speak(bytes.subarray(0, 70_000));
      return null;
    }
    const headers: Record<string, string> = message.isTokenLost ? { Authorization: 'Bearer x' } : {};
    const reply = await (!message.isPacked || isBeside
      ? post(to, bytes, headers)
      : post(to, zstdCompressSync(bytes), { ...headers, 'Content-Encoding': 'zstd' }));
    if (reply.status === 200 || reply.status === 409) stood = null;
    return reply;
  }

  await signIn();
  return {
    messages,
    send,
    signIn,
    /** What came over the live socket. */
    heard: own.frames,
    owner: spy,
    close() {
      own.socket?.terminate();
      client.close();
    },
  };
}
