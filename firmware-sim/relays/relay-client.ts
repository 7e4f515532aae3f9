import { connect, type MqttClient } from 'mqtt';
import type { SimClock, SimTimer } from '../sim-clock.ts';
import type { Message, RelayPersona } from './relay-persona.ts';

/** A relay on the network. */
export type RelayOnline = {
  persona: RelayPersona;
  isConnected: () => boolean;
  press: (channel: number) => void;
  /** No farewell: the gateway finds out by itself. Comes back after `downMs`. */
  powerCut: (downMs: number) => void;
  counts: () => { sent: number; heard: number; connects: number };
  stop: () => void;
};

const KEEPALIVE_S = 30;

/** Connects as the relay does: by itself, again and again, with clean sessions. */
export function startRelay(
  persona: RelayPersona,
  clock: SimClock,
  at: { host: string; port: number } = persona.setup,
): RelayOnline {
  const { user, password, clientId } = persona.setup;
  const counts = { sent: 0, heard: 0, connects: 0 };
  let client: MqttClient | null = null;
  let telemetry: SimTimer | null = null;
  let back: SimTimer | null = null;

  function open(): void {
    const opened = connect(`mqtt://${at.host}:${at.port}`, {
      protocolVersion: 4,
      clientId,
      username: user,
      password,
      clean: true,
      keepalive: KEEPALIVE_S,
      reconnectPeriod: 10_000,
      resubscribe: false,
      will: { ...persona.will, payload: Buffer.from(persona.will.payload), qos: 1, retain: true },
    });
    client = opened;
    const say = (messages: readonly Message[]): void => {
      for (const { topic, payload, retain, qos } of messages) {
        counts.sent += 1;
        opened.publish(topic, payload, { qos, retain }, () => undefined);
      }
    };
    opened.on('connect', () => {
      counts.connects += 1;
      const { before, after } = persona.greet();
      say(before);
      opened.subscribe([...persona.subscriptions], { qos: 1 }, () => say(after));
    });
    opened.on('message', (topic, payload) => {
      counts.heard += 1;
      say(persona.hear(topic, payload.toString()));
    });
    // what is wrong shows in that it does not connect; it tries again for ever, as a relay does
    opened.on('error', () => undefined);
    const tell = () => {
      if (opened.connected) say(persona.telemetry());
      telemetry = clock.at(clock.nowMs() + persona.everyMs, tell);
    };
    telemetry = clock.at(clock.nowMs() + persona.everyMs, tell);
  }

  function close(): void {
    telemetry?.cancel();
    client?.stream?.destroy();
    client?.end(true);
    client = null;
  }

  open();
  return {
    persona,
    isConnected: () => client?.connected ?? false,
    press(channel) {
      for (const { topic, payload, retain, qos } of persona.press(channel)) {
        client?.publish(topic, payload, { qos, retain }, () => undefined);
      }
    },
    powerCut(downMs) {
      close();
      back = clock.at(clock.nowMs() + downMs, () => {
        persona.powerCut();
        open();
      });
    },
    counts: () => ({ ...counts }),
    stop() {
      back?.cancel();
      close();
    },
  };
}
