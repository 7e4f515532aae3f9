import { connect } from 'mqtt';
import type { RelayKind } from '#contract/resources/relays.ts';
import { passwordOf, type Terminal } from '../cli/ask-password.ts';
import { type GatewayApi, GatewayRefused, openGatewayApi } from '../cli/gateway-api.ts';
import { type Options, UsageError } from '../cli/options.ts';
import { readAddresses } from '../cli/run-fleet.ts';
import { createRealClock } from '../sim-clock.ts';
import { adoptAtGateway, pasteInto } from './adopt.ts';
import { type RelayOnline, startRelay } from './relay-client.ts';

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
