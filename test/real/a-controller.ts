import { connectAsync, type IClientOptions } from 'mqtt';
import type { Json, Point, RealFarm } from './a-farm.ts';

// A controller of another maker, written from docs/device-protocol.md alone. It has no rules of its own: what it does
// with a level is the test's.

export type Level = Json & { version: number; epoch: string; target_status: 'ON' | 'OFF' };
export type ForeignController = Awaited<ReturnType<typeof connectController>>;

/** Connects as the control point and obeys each level at once, unless `obeys` says otherwise. */
export async function connectController(
  farm: Pick<RealFarm, 'mqtt' | 'key'>,
  point: Point,
  given: { key?: string; obeys?: (level: Level) => boolean; options?: IClientOptions; bootId?: string } = {},
) {
  const { obeys = () => true, bootId = '1' } = given;
  const base = `sf/v1/d/${point.mqtt_id}`;
  const sid = `${bootId}.${Math.random().toString(36).slice(2)}`;
  const client = await connectAsync(farm.mqtt, {
    clientId: point.mqtt_id,
    username: point.mqtt_id,
    password: given.key ?? (await farm.key(point)),
    keepalive: 30,
    reconnectPeriod: 0,
    will: {
      topic: `${base}/state`,
      payload: JSON.stringify({ s: 'lost', boot_id: bootId, sid }),
      qos: 1,
      retain: true,
    },
    ...given.options,
  });
  const state = { current: 'OFF' as 'ON' | 'OFF', seq: 0, level: null as Level | null };
  const levels: Level[] = [];
  const messages: { topic: string; body: Json; at: number }[] = [];

  const say = (topic: string, body: Json, retain = false) =>
    client.publishAsync(`${base}/${topic}`, JSON.stringify(body), { qos: 1, retain });

  /** Resolves with the acknowledgement of the gateway. */
  async function heartbeat(more: Json = {}): Promise<void> {
    state.seq += 1;
    await say('hb', {
      seq: state.seq,
      current_status: state.current,
      ...(state.level === null ? {} : { version: state.level.version, epoch: state.level.epoch }),
      boot_id: bootId,
      source: 'shadow',
      ...more,
    });
  }

  async function take(level: Level): Promise<void> {
    levels.push(level);
    if (!obeys(level)) return;
    state.level = level;
    state.current = level.target_status;
    const { epoch, version } = level;
    await say('shadow/reported', {
      epoch,
      version,
      current_status: state.current,
      ack: 'applied',
      source: 'shadow',
    });
  }

  client.on('message', (topic, payload) => {
    const body = JSON.parse(payload.toString('utf8')) as Json;
    messages.push({ topic, body, at: performance.now() });
    // what the gateway may say on this topic stands in the document
    if (topic === `${base}/shadow/desired`) void take(body as Level).catch(() => undefined);
  });
  client.on('error', () => undefined);
  await client.subscribeAsync(
    ['shadow/desired', 'config/desired', 'schedule/desired', 'cmd/+'].map((one) => `${base}/${one}`),
    { qos: 1 },
  );
  await say('state', { s: 'online', boot_id: bootId, sid, firmware_version: '1.0.0' }, true);
  await heartbeat();

  return {
    client,
    state,
    /** Levels heard, in their order. */
    levels,
    messages,
    heartbeat,
    say,
    /** Somebody switches it at its own panel. */
    async switchByHand(to: 'ON' | 'OFF'): Promise<void> {
      state.current = to;
      await heartbeat({ source: 'manual' });
    },
    /** Its power is gone: no farewell. */
    async cut(): Promise<void> {
      client.stream.destroy();
      await client.endAsync(true);
    },
    end: () => client.endAsync(true),
  };
}
