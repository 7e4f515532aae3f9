import { connect, type IClientOptions, type MqttClient } from 'mqtt';

// What relays of every maker do on the network: they connect by themselves again and again, and keep their connection.

export type Said = { topic: string; payload: string; retain?: boolean; qos?: 0 | 1 };

/** Durations of the relay, farm milliseconds; its own clock runs `speed` times as fast as that of the machine. */
export type RelayClock = ReturnType<typeof relayClock>;

export function relayClock(speed: number) {
  const startedAt = performance.now();
  const timers = new Set<NodeJS.Timeout>();
  return {
    now: () => (performance.now() - startedAt) * speed,
    after(ms: number, run: () => void): () => void {
      const timer = setTimeout(() => {
        timers.delete(timer);
        run();
      }, ms / speed);
      timers.add(timer);
      return () => {
        clearTimeout(timer);
        timers.delete(timer);
      };
    },
    stop: () => timers.forEach((timer) => clearTimeout(timer)),
  };
}

export type Wire = {
  say: (messages: readonly Said[]) => void;
  /** The cable is pulled: no farewell. */
  cut: () => void;
  open: () => void;
  isConnected: () => boolean;
  /** Everything it heard, oldest first. */
  heard: { topic: string; payload: string; at: number }[];
};

/** Of a relay that has been set: it connects, subscribes, and answers what it hears. */
export function startWire(of: {
  url: string;
  clock: RelayClock;
  options: IClientOptions;
  keepaliveS: number;
  /** How long it waits before the next attempt after so many that failed, ms. */
  retryMs: (failed: number) => number;
  connected: (client: MqttClient) => void;
  hear: (topic: string, payload: string) => void;
}): Wire {
  const { clock } = of;
  const heard: Wire['heard'] = [];
  let client: MqttClient | null = null;
  let failed = 0;
  let isDown = false;

  function open(): void {
    isDown = false;
    const opened = connect(of.url, {
      protocolVersion: 4,
      clean: true,
      keepalive: of.keepaliveS,
      reconnectPeriod: 0,
      resubscribe: false,
      queueQoSZero: false,
      ...of.options,
    });
    client = opened;
    opened.on('connect', () => {
      failed = 0;
      of.connected(opened);
    });
    opened.on('message', (topic, payload) => {
      heard.push({ topic, payload: payload.toString(), at: clock.now() });
      of.hear(topic, payload.toString());
    });
    // what is wrong shows in that it does not connect
    opened.on('error', () => undefined);
    opened.on('close', () => {
      if (client !== opened || isDown) return;
      failed += 1;
      clock.after(of.retryMs(failed), () => {
        if (client === opened && !isDown) open();
      });
    });
  }

  /** Its keepalive is counted by its own clock. */
  function ping(): void {
    if (client?.connected === true) client.sendPing();
    clock.after((of.keepaliveS * 1000) / 3, ping);
  }

  open();
  ping();
  return {
    heard,
    open,
    isConnected: () => client?.connected ?? false,
    say(messages) {
      for (const { topic, payload, retain = false, qos = 0 } of messages) {
        if (client?.connected === true) client.publish(topic, payload, { retain, qos }, () => undefined);
      }
    },
    cut() {
      isDown = true;
      client?.stream.destroy();
      client?.end(true);
      client = null;
    },
  };
}
