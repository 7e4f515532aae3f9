import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { BOOT_MAC_PATTERN } from '#contract/mqtt/boot.ts';
import { claimIdentity } from '../boot/claim-identity.ts';
import { callHttp } from '../fetch-firmware.ts';
import {
  type ControllerView,
  createFleet,
  type Fleet,
  type FleetController,
  newKeyIn,
} from '../fleet/fleet.ts';
import {
  builtInScenarios,
  runScenario,
  type Scenario,
  scenario as scenarioSchema,
} from '../fleet/scenario.ts';
import { type GatewayTrust, pinsInPem, readPin, trustedAgent } from '../transport/gateway-trust.ts';
import { GatewayRefused, openGatewayApi, passwordOf, type Terminal } from './gateway-api.ts';
import { type FleetShape, provisionIdentities, readIdentities, saveIdentities } from './identities.ts';
import { type Options, readFirmwareKeys, UsageError } from './options.ts';

// By what the controllers know their gateway: a pin, a file, or what the gateway says of itself the first time.

type Addresses = { httpBase: string; mqttUrl: string; trust?: GatewayTrust | undefined };

const port = z.int().min(1).max(65_535).nullable();

const identity = z.object({
  authority: z.object({ spki_sha256: z.string() }).nullable(),
  ports: z.object({ https: port, mqtts: port }),
});

const DEFAULT_MAC = '24:6f:28:00:00:01';

/** Runs a fleet until its time is over or it is interrupted; answers the exit code. */
export async function runFleet(terminal: Terminal, options: Options): Promise<number> {
  const script = await readScenario(options.text('scenario'));
  const addresses = await secureAddresses(options, readAddresses(options));
  const forMs = options.duration('for');
  const everyMs = options.duration('every') ?? 10_000;
  const speed = options.number('speed', { min: 0.1, max: 100 });
  const shape = readShape(options);
  const controllers = await readControllers(options, addresses, shape, terminal);
  const saveTo = options.text('save-keys');
  if (saveTo !== undefined) await saveIdentities(saveTo, controllers);

  const firmwareKeys = await readFirmwareKeys(options.text('firmware-key'));
  const fleet = createFleet({ controllers, ...addresses, seed: shape.seed, speed, firmwareKeys });
  const startedMs = performance.now();
  const tell = (line: string) => {
    if (!options.is('json')) terminal.print(line);
  };
  tell(`${controllers.length} controllers start against ${addresses.httpBase} and ${addresses.mqttUrl}`);
  const status = setInterval(() => {
    terminal.print(statusLine(fleet, performance.now() - startedMs, options.is('json')));
  }, everyMs);
  if (saveTo !== undefined) saveNewKeys(fleet, controllers, saveTo);
  fleet.start();
  const callOff = script === null ? () => undefined : runScenario(fleet, script, tell);
  await waitFor(forMs, terminal.interrupted);
  clearInterval(status);
  callOff();
  terminal.print(statusLine(fleet, performance.now() - startedMs, options.is('json')));
  await fleet.stop();
  return 0;
}

/** A key that a gateway sent is the one to come with next time, once it has opened a session. */
function saveNewKeys(fleet: Fleet, controllers: FleetController[], file: string): void {
  fleet.listen((event) => {
    const key = newKeyIn(event);
    const owner = controllers.find(({ device_id }) => device_id === event.device_id);
    if (key === null || owner === undefined) return;
    owner.key = key;
    void saveIdentities(file, controllers);
  });
}

/** The built-in scenarios, one a line. */
export function listScenarios(): string {
  return builtInScenarios()
    .map((each) => `${each.name.padEnd(16)}${each.description ?? ''}`)
    .join('\n');
}

export function readAddresses(options: Options): { httpBase: string; mqttUrl: string } {
  const http = options.url('gateway', ['http:', 'https:']);
  if (http === undefined) throw new UsageError('--gateway is needed: HTTP address of the gateway.');
  return { httpBase: http.origin, mqttUrl: readMqttUrl(options, http) };
}

/** The given MQTT address, or port 1883 beside the HTTP one. */
export function readMqttUrl(options: Options, beside: URL): string {
  const given = options.url('mqtt', ['mqtt:', 'mqtts:', 'ws:', 'wss:']);
  return given === undefined ? `mqtt://${beside.hostname}:1883` : given.href.replace(/\/$/, '');
}

function readShape(options: Options): FleetShape {
  return {
    count: options.number('count', { min: 1, max: 5_000, whole: true }),
    httpShare: options.number('http-share', { min: 0, max: 1 }),
    prefix: options.need('prefix'),
    feeders: options.number('feeders', { min: 1, max: 26, whole: true }),
    seed: options.number('seed', { min: 0, max: 2 ** 31, whole: true }),
  };
}

async function readControllers(
  options: Options,
  addresses: Addresses,
  shape: FleetShape,
  terminal: Terminal,
): Promise<FleetController[]> {
  const claim = options.text('claim');
  if (claim !== undefined) return [await claimController(terminal, options, addresses.mqttUrl, claim)];
  const { httpBase, trust } = addresses;
  const keys = options.text('keys');
  if (keys !== undefined) return readIdentities(keys, shape);
  const email = options.text('email');
  if (email === undefined) {
    throw new UsageError('give --keys FILE, or --email and --password to let the controllers be created.');
  }
  const agent = trust === undefined ? undefined : trustedAgent({ keepAlive: true, maxSockets: 8 }, trust);
  const user = { email, password: await passwordOf(terminal, options) };
  const api = await openGatewayApi(httpBase, user, agent);
  try {
    return await provisionIdentities(api, shape, options.text('farm'));
  } finally {
    agent?.destroy();
  }
}

/** One board that has no key yet: it asks for one until a technician gives it its place. */
async function claimController(
  terminal: Terminal,
  options: Options,
  mqttUrl: string,
  claim: string,
): Promise<FleetController> {
  const mac = (options.text('mac') ?? DEFAULT_MAC).replaceAll(/[:.-]/g, '').toLowerCase();
  if (!BOOT_MAC_PATTERN.test(mac)) throw new UsageError('--mac must be 12 hex digits, as 24:6f:28:00:00:01.');
  const said = new Set<string>();
  const { device_id, mqtt_id, key } = await claimIdentity({
    mqttUrl,
    mac,
    claim,
    signal: terminal.interrupted,
    tell(line) {
      // it tries for hours, and says each thing once
      if (!said.has(line)) terminal.print(line);
      said.add(line);
    },
  });
  terminal.print(`board ${mac} is ${device_id} from now on`);
  return { device_id, mqtt_id, key, transport: 'mqtt' };
}

async function readScenario(wanted: string | undefined): Promise<Scenario | null> {
  if (wanted === undefined) return null;
  const builtIn = builtInScenarios().find((each) => each.name === wanted);
  if (builtIn !== undefined) return builtIn;
  const text = await readFile(wanted, 'utf8').catch((cause: unknown) => {
    const names = builtInScenarios().map((each) => each.name);
    throw new UsageError(`--scenario ${wanted} is neither a file nor one of ${names.join(', ')}.`, { cause });
  });
  const parsed = scenarioSchema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const where = issue?.path.join('.') || 'file';
  throw new UsageError(`--scenario ${wanted}: ${where}: ${issue?.message ?? 'not a scenario'}.`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The schema says what should have been there.
    return undefined;
  }
}

function statusLine(fleet: Fleet, elapsedMs: number, asJson: boolean): string {
  const views = fleet.states();
  const countOf = (test: (view: ControllerView) => boolean) => views.filter(test).length;
  const facts = {
    elapsed_s: Math.round(elapsedMs / 1000),
    controllers: views.length,
    powered: countOf((view) => view.is_powered),
    connected: countOf((view) => view.is_connected),
    running: countOf((view) => view.is_motor_running),
    alone: countOf((view) => view.source === 'local_schedule' || view.source === 'fail_safe'),
    manual: countOf((view) => view.source === 'manual'),
    kw: Math.round(views.reduce((sum, view) => sum + view.consumption_kw, 0) * 10) / 10,
    ...fleet.counters(),
  };
  if (asJson) return JSON.stringify(facts);
  return (
    `${String(facts.elapsed_s).padStart(5)} s  connected ${facts.connected}/${facts.controllers}` +
    `  running ${facts.running} (${facts.kw} kW)  alone ${facts.alone}  manual ${facts.manual}` +
    `  without power ${facts.controllers - facts.powered}  heartbeats ${facts.heartbeats}` +
    `  levels ${facts.levels}  lost sessions ${facts.disconnects}  failed requests ${facts.httpFailures}`
  );
}

function waitFor(ms: number | undefined, interrupted: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (interrupted.aborted) return resolve();
    const timer = ms === undefined ? undefined : setTimeout(resolve, Math.min(ms, 2 ** 31 - 1));
    interrupted.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/**
 * Puts TLS on the addresses where it is asked for. With a pin or a file the addresses are taken as given; with --tls alone
 * the gateway is asked for its pin and its ports in the clear, as a console does that sees it for the first time.
 */
async function secureAddresses(options: Options, plain: Addresses): Promise<Addresses> {
  const pin = options.text('tls-pin');
  const file = options.text('tls-ca');
  if (pin === undefined && file === undefined) return options.is('tls') ? askGateway(plain) : plain;
  const trust = { pins: [...(pin === undefined ? [] : readPins(pin)), ...(await pinsInFile(file))] };
  const isSecured = plain.httpBase.startsWith('https:') || plain.mqttUrl.startsWith('mqtts:');
  if (!isSecured) throw new UsageError('--tls-pin and --tls-ca need an https:// or mqtts:// address.');
  return { ...plain, trust };
}

async function askGateway({ httpBase }: Addresses): Promise<Addresses> {
  const answer = await callHttp(httpBase, '/api/v1/system/identity').catch((cause: unknown) => {
    throw new GatewayRefused(`${httpBase} cannot be reached to ask for its pin.`, { cause });
  });
  const told = identity.safeParse(answer.body);
  const { authority, ports } = told.success ? told.data : { authority: null, ports: null };
  if (authority === null || ports.https === null || ports.mqtts === null)
    throw new GatewayRefused(`${httpBase} has no secured ports open.`);
  const { hostname } = new URL(httpBase);
  return {
    httpBase: `https://${hostname}:${ports.https}`,
    mqttUrl: `mqtts://${hostname}:${ports.mqtts}`,
    trust: { pins: [authority.spki_sha256] },
  };
}

function readPins(text: string): string[] {
  return text.split(',').map((one) => {
    const pin = readPin(one);
    if (pin === null) throw new UsageError(`--tls-pin: "${one}" is no SHA-256 in base64.`);
    return pin;
  });
}

async function pinsInFile(file: string | undefined): Promise<string[]> {
  if (file === undefined) return [];
  try {
    const pins = pinsInPem(await readFile(file, 'utf8'));
    if (pins.length > 0) return pins;
  } catch (cause) {
    throw new UsageError(`--tls-ca ${file} cannot be read.`, { cause });
  }
  throw new UsageError(`--tls-ca ${file} holds no certificate.`);
}
