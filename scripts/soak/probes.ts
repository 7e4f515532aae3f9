import { connect, type MqttClient } from 'mqtt';
import { deviceTopic } from '#contract/mqtt/topics.ts';
import type { Point, Publish } from './history.ts';

// Controllers that do nothing but write: an event or a change of status at a time, with what the broker acknowledged.

export type Probes = { pause: () => void; resume: () => void; stop: () => void };

const EVERY_MS = 40;
const AGAIN_MS = 120;

export type ProbeDeps = {
  url: () => string;
  now: () => number;
  /** A publish is about to be sent; until it is acknowledged nobody knows what became of it. */
  begin: (tag: string, publish: Publish) => void;
  acknowledged: (tag: string, publish: Publish) => void;
  /** Names what this run sends. */
  run: string;
};

export function startProbes(deps: ProbeDeps & { points: readonly Point[] }): Probes {
  const probes = deps.points.filter(({ isProbe }) => isProbe).map((point) => startProbe(deps, point));
  const all = (what: 'pause' | 'resume' | 'stop') => () => {
    for (const probe of probes) probe[what]();
  };
  return { pause: all('pause'), resume: all('resume'), stop: all('stop') };
}

function startProbe(deps: ProbeDeps, point: Point): Probes {
  let client: MqttClient | null = null;
  let isPaused = true;
  let isOver = false;
  let count = 0;

  function open(): void {
    if (isOver) return;
    const opened = connect(deps.url(), {
      protocolVersion: 4,
      clientId: point.mqtt_id,
      username: point.mqtt_id,
      password: point.key,
      clean: true,
      reconnectPeriod: 0,
      connectTimeout: 3_000,
    });
    opened.on('connect', () => {
      client = opened;
    });
    opened.on('error', () => undefined);
    opened.on('close', () => {
      if (client === opened) client = null;
      opened.end(true);
      setTimeout(open, AGAIN_MS);
    });
  }

  function write(): void {
    const to = client;
    if (to === null || isPaused) return;
    count += 1;
    const isEvent = count % 3 !== 0;
    const status = count % 2 === 0 ? ('ON' as const) : ('OFF' as const);
    const id = `${deps.run}-${count}`;
    const publish: Publish = {
      pointId: point.id,
      what: isEvent ? { event: id } : { status },
      sentAt: deps.now(),
      ackedAt: null,
    };
    const tag = `${point.id} ${id}`;
    deps.begin(tag, publish);
    const body = isEvent ? { id, k: 'brownout' } : { current_status: status };
    to.publish(
      deviceTopic(point.mqtt_id, isEvent ? 'event' : 'hb'),
      JSON.stringify(body),
      { qos: 1 },
      (error) => {
        if (error) return;
        publish.ackedAt = deps.now();
        deps.acknowledged(tag, publish);
      },
    );
  }

  open();
  const timer = setInterval(write, EVERY_MS);
  return {
    pause: () => void (isPaused = true),
    resume: () => void (isPaused = false),
    stop() {
      isOver = true;
      clearInterval(timer);
      client?.end(true);
    },
  };
}
