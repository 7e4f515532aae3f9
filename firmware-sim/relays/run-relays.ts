import { connect, type MqttClient } from 'mqtt';
import * as z from 'zod';
import { type RelayKind, relayAdopted } from '#contract/resources/relays.ts';
import {
  type ControlPoint,
  type GatewayApi,
  GatewayRefused,
  openGatewayApi,
  passwordOf,
  type Terminal,
} from '../cli/gateway-api.ts';
import { type Options, UsageError } from '../cli/options.ts';
import { readAddresses } from '../cli/run-fleet.ts';
import { createRealClock, type SimClock, type SimTimer } from '../sim-clock.ts';
import { createShelly, type Load, type Message, type RelayPersona } from './shelly-persona.ts';
import { createTasmota, readBacklog } from './tasmota-persona.ts';

const settings = relayAdopted.pick({ settings: true });
const failure = z.object({ detail: z.string() });

/** Has the gateway adopt a relay for this control point, and answers the lines it shows for pasting. */
export async function adoptAtGateway(
  base: string,
  api: Pick<GatewayApi, 'token'>,
  wish: { point: ControlPoint; kind: RelayKind },
): Promise<string[]> {
  const path = `/api/v1/control-points/${wish.point.id}/relay`;
  const response = await fetch(`${base}${path}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${api.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ kind: wish.kind, load: 'motor', mqtt_host: new URL(base).hostname }),
    signal: AbortSignal.timeout(15_000),
  });
  const body: unknown = await response.json();
  const parsed = settings.safeParse(body);
  if (response.ok && parsed.success) return parsed.data.settings.steps.map(({ text }) => text);
  const said = failure.safeParse(body);
  throw new GatewayRefused(
    `${path} answered ${response.status}: ${said.success ? said.data.detail : 'no reason given'}`,
  );
}

/** The relay after the lines were pasted into it, one after another; `before`: what a Tasmota was set to until then. */
export function pasteInto(
  kind: RelayKind,
  lines: readonly string[],
  of: { mac: string; channels: number; load: Load; nowMs: () => number; before?: Record<string, string> },
): RelayPersona {
  if (kind === 'shelly') {
    const opened = lines.map((line) => line.replace('RELAY-ADDRESS', '10.0.0.8'));
    return createShelly({ opened, ...of });
  }
  const before = Object.entries(of.before ?? {}).map(([name, value]) => [name.toLowerCase(), value] as const);
  const settings = new Map([...before, ...lines.flatMap((line) => [...readBacklog(line)])]);
  return createTasmota({ settings, ...of });
}

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

type Wanted = { kind: RelayKind; number: number; name: string; mac: string };

/** Relays of the trade against a gateway, until their time is over; answers the exit code. */
export async function runRelays(terminal: Terminal, options: Options): Promise<number> {
  const wanted = wantedOf(options);
  const { httpBase, mqttUrl } = readAddresses(options);
  const forMs = options.duration('for');
  if (options.is('unadopted')) return knock(terminal, wanted, { mqttUrl, forMs });
  const user = { email: options.need('email'), password: await passwordOf(terminal, options) };
  const api = await openGatewayApi(httpBase, user);
  const clock = createRealClock({ speed: options.number('speed', { min: 0.1, max: 100 }) });
  const farmId = await farmOf(api, options.text('farm'));
  const known = new Map((await api.controlPoints()).map((point) => [point.device_id, point]));
  const relays: RelayOnline[] = [];
  const { hostname, port } = new URL(mqttUrl);
  for (const { kind, name, mac } of wanted) {
    const point = known.get(name) ?? (await api.createControlPoint(farmId, name));
    const lines = await adoptAtGateway(httpBase, api, { point, kind });
    const persona = pasteInto(kind, lines, {
      mac,
      channels: 1,
      load: { powerW: 1_490, voltageV: 220 },
      nowMs: clock.unixMs,
    });
    relays.push(startRelay(persona, clock, { host: hostname, port: Number(port || '1883') }));
  }
  const tell = () => terminal.print(statusLine(relays));
  const status = setInterval(tell, options.duration('every') ?? 10_000);
  await waitFor(forMs, terminal.interrupted);
  clearInterval(status);
  tell();
  for (const relay of relays) relay.stop();
  clock.stop();
  return 0;
}

function wantedOf(options: Options): Wanted[] {
  const bounds = { min: 0, max: 500, whole: true } as const;
  const counts = { tasmota: options.number('tasmota', bounds), shelly: options.number('shelly', bounds) };
  const wanted = (['tasmota', 'shelly'] as const).flatMap((kind) =>
    Array.from({ length: counts[kind] }, (_, index) => ({
      kind,
      number: index + 1,
      name: `sim-${kind}-${String(index + 1).padStart(3, '0')}`,
      mac: `24A160${(kind === 'shelly' ? 0x800000 + index : index + 1).toString(16).toUpperCase().padStart(6, '0')}`,
    })),
  );
  if (wanted.length === 0) throw new UsageError('--tasmota N or --shelly N is needed: how many relays.');
  return wanted;
}

async function farmOf(api: GatewayApi, wanted: string | undefined): Promise<string> {
  const farms = await api.farms();
  const found =
    wanted === undefined ? farms[0] : farms.find(({ id, name }) => id === wanted || name === wanted);
  if (found !== undefined) return found.id;
  if (wanted !== undefined && farms.length > 0)
    throw new GatewayRefused(`no farm of this user is ${wanted}.`);
  return (await api.createFarm(wanted ?? 'Simulated farm')).id;
}

/** As they come from the shop, with the address of the gateway and nothing else: they knock, and are refused. */
async function knock(
  terminal: Terminal,
  wanted: readonly Wanted[],
  { mqttUrl, forMs }: { mqttUrl: string; forMs: number | undefined },
): Promise<number> {
  const clients = wanted.map(({ kind, mac }) => {
    const six = mac.slice(-6);
    const shellyName = `shellypro1pm-${mac.toLowerCase()}`;
    const isTasmota = kind === 'tasmota';
    const client = connect(mqttUrl, {
      protocolVersion: 4,
      clientId: isTasmota ? `DVES_${six}` : shellyName,
      ...(isTasmota ? { username: 'DVES_USER', password: 'DVES_PASS' } : {}),
      reconnectPeriod: 10_000,
      will: isTasmota
        ? { topic: `tele/tasmota_${six}/LWT`, payload: Buffer.from('Offline'), qos: 1, retain: true }
        : { topic: `${shellyName}/online`, payload: Buffer.from('false'), qos: 1, retain: true },
    });
    client.on('error', () => undefined);
    return client;
  });
  terminal.print(`${clients.length} relays knock at ${mqttUrl}; the gateway lists them as discovered`);
  await waitFor(forMs, terminal.interrupted);
  for (const client of clients) client.end(true);
  return 0;
}

function statusLine(relays: readonly RelayOnline[]): string {
  const connected = relays.filter((relay) => relay.isConnected());
  const sum = (name: 'sent' | 'heard' | 'connects') =>
    relays.reduce((total, relay) => total + relay.counts()[name], 0);
  const on = relays.filter(({ persona }) => persona.stateOf(1) === 'ON').length;
  return `relays connected ${connected.length}/${relays.length}  on ${on}  said ${sum('sent')}  heard ${sum('heard')}  connects ${sum('connects')}`;
}

function waitFor(ms: number | undefined, interrupted: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (interrupted.aborted) resolve();
  const timer = ms === undefined ? undefined : setTimeout(resolve, ms);
  interrupted.addEventListener('abort', () => {
    clearTimeout(timer);
    resolve();
  });
  return promise;
}
