import mqtt, { type MqttClient } from 'mqtt';

// A controller as somebody would write it from docs/device-protocol.md, with nothing of the product in it.

export type Relay = 'ON' | 'OFF';
type Level = {
  epoch: string;
  version: number;
  target_status: Relay;
  issued_at: number;
  until?: number;
  then?: Relay;
};
type Config = { heartbeat_s: number; lost_s: number; start_delay_s: number };
/** What survives a cut of its power. */
type Flash = {
  level: Level | null;
  left: { s: number; then: Relay } | null;
  hasEnded: boolean;
  writes: number;
};

export type PlainController = ReturnType<typeof plainController>;

/** `speed`: it lives so many times as fast. */
export function plainController(
  url: string,
  identity: { mqtt_id: string; key: string },
  { speed = 1 }: { speed?: number } = {},
) {
  const { mqtt_id: id, key } = identity;
  const flash: Flash = { level: null, left: null, hasEnded: false, writes: 0 };
  const changes: { to: Relay; at: number }[] = [];
  const levels: Level[] = [];
  const timers = new Set<NodeJS.Timeout>();
  let client: MqttClient | null = null;
  let relay: Relay = 'OFF';
  let endsAt: number | null = null;
  let startTimer: NodeJS.Timeout | null = null;
  let config: Config = { heartbeat_s: 30, lost_s: 90, start_delay_s: 5 };
  let isReachable = true;
  let isPowered = false;

  const nowS = () => (performance.now() / 1000) * speed;
  function after(seconds: number, run: () => void): NodeJS.Timeout {
    const timer = setTimeout(
      () => {
        timers.delete(timer);
        if (isPowered) run();
      },
      (seconds * 1000) / speed,
    );
    timers.add(timer);
    return timer;
  }
  const say = (path: string, body: object) => {
    if (client?.connected) client.publish(`sf/v1/d/${id}/${path}`, JSON.stringify(body), { qos: 1 });
  };
  function heartbeat(): void {
    const { level, hasEnded } = flash;
    say('hb', {
      current_status: relay,
      source: 'shadow',
      ...(level === null ? {} : { version: level.version, epoch: level.epoch }),
      ...(hasEnded ? { ended: true } : {}),
    });
  }
  function note(change: Partial<Flash>): void {
    Object.assign(flash, change, { writes: flash.writes + 1 });
  }
  function turn(to: Relay): void {
    if (startTimer !== null) clearTimeout(startTimer);
    startTimer = null;
    if (relay === to) return;
    relay = to;
    changes.push({ to, at: nowS() });
    heartbeat();
  }

  // 6.11: counted from receipt, noted at most once a minute, ended without anybody
  function count(seconds: number, then: Relay): void {
    const end = nowS() + seconds;
    endsAt = end;
    note({ left: { s: seconds, then }, hasEnded: false });
    after(seconds, () => {
      if (endsAt === end) endOf(then);
    });
    const again = () =>
      after(60, () => {
        if (endsAt !== end) return;
        note({ left: { s: Math.ceil(end - nowS()), then } });
        again();
      });
    again();
  }
  function endOf(then: Relay): void {
    if (flash.level === null) return;
    endsAt = null;
    note({ level: { ...flash.level, target_status: then }, left: null, hasEnded: true });
    heartbeat();
    if (then === 'OFF') turn('OFF');
    else startTimer = after(config.start_delay_s, () => turn('ON'));
  }

  function hear(level: Level): void {
    levels.push(level);
    const known = flash.level;
    const isAgain = known?.epoch === level.epoch && known.version === level.version;
    if (known?.epoch === level.epoch && level.version < known.version) return;
    if (isAgain && flash.hasEnded && level.until !== undefined) return;
    if (!isAgain) endsAt = null;
    if (!isAgain || known.target_status !== level.target_status) note({ level, hasEnded: false });
    if (level.until === undefined || level.then === undefined) {
      endsAt = null;
      if (flash.left !== null) note({ left: null });
    } else if (endsAt === null || nowS() + level.until < endsAt - 1 || flash.left?.then !== level.then) {
      count(Math.min(level.until, endsAt === null ? level.until : endsAt - nowS()), level.then);
    }
    turn(level.target_status);
    say('shadow/reported', {
      epoch: level.epoch,
      version: level.version,
      current_status: relay,
      source: 'shadow',
      ack: 'applied',
    });
  }

  function connect(): void {
    if (!isPowered || !isReachable) return;
    client = mqtt.connect(url, {
      protocolVersion: 4,
      clientId: id,
      username: id,
      password: key,
      reconnectPeriod: 0,
      connectTimeout: 5_000,
      keepalive: 30,
    });
    const mine = client;
    mine.on('error', () => undefined);
    mine.on('connect', () => {
      const own = ['shadow/desired', 'config/desired', 'schedule/desired', 'cmd/+'];
      mine.subscribe(
        own.map((path) => `sf/v1/d/${id}/${path}`),
        { qos: 1 },
      );
      say('state', { s: 'online', sid: `${nowS()}` });
      heartbeat();
    });
    mine.on('message', (topic, payload) => {
      if (mine !== client) return;
      const body: unknown = JSON.parse(payload.toString());
      if (topic.endsWith('/shadow/desired')) hear(body as Level);
      if (topic.endsWith('/config/desired')) config = body as Config;
    });
    mine.on('close', () => {
      if (mine === client) after(5, connect);
    });
  }
  const beat = () => {
    heartbeat();
    after(config.heartbeat_s, beat);
  };
  function hangUp(): void {
    const closing = client;
    client = null;
    closing?.stream.destroy();
    closing?.end(true);
  }

  return {
    changes,
    levels,
    flash,
    relay: () => relay,
    /** Its own seconds, for `changes`. */
    nowS,
    powerOn(): void {
      isPowered = true;
      if (flash.left !== null && flash.level !== null) {
        turn(flash.level.target_status);
        count(flash.left.s, flash.left.then);
      }
      connect();
      after(config.heartbeat_s, beat);
    },
    powerCut(): void {
      hangUp();
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
      isPowered = false;
      endsAt = null;
      startTimer = null;
      relay = 'OFF';
    },
    /** The cable is out, or the access point is gone. */
    cut(): void {
      isReachable = false;
      hangUp();
    },
    heal(): void {
      isReachable = true;
      connect();
    },
  };
}
