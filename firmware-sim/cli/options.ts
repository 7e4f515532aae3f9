import { createPublicKey, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { parseDuration } from '../fleet/scenario.ts';

// The command line of the simulator: one table makes the flags, the help and the errors.

export class UsageError extends Error {}

type Flag = {
  type: 'string' | 'boolean';
  /** Shown after the flag in the help. */
  value?: string;
  fallback?: string;
  /** Environment variable that stands in for the flag. */
  env?: string;
  help: string;
};

const FLAGS = {
  gateway: {
    type: 'string',
    value: 'URL',
    fallback: 'http://127.0.0.1:8080',
    env: 'SIM_GATEWAY',
    help: 'HTTP address of the gateway',
  },
  mqtt: {
    type: 'string',
    value: 'URL',
    env: 'SIM_MQTT',
    help: 'MQTT address (mqtt, mqtts, ws or wss); default: port 1883 of the gateway’s host',
  },
  tls: {
    type: 'boolean',
    help: 'speak TLS; asks the gateway in the clear for its ports and its pin',
  },
  'tls-pin': {
    type: 'string',
    value: 'PIN,...',
    help: 'know the gateway by this pin of its authority; needs https and mqtts addresses',
  },
  'tls-ca': {
    type: 'string',
    value: 'FILE',
    help: 'the same by its authority as a file (/ca.pem of the gateway)',
  },
  email: {
    type: 'string',
    value: 'EMAIL',
    env: 'SIM_EMAIL',
    help: 'user who may set up devices; what is missing is created',
  },
  password: {
    type: 'string',
    value: 'WORD',
    env: 'SIM_PASSWORD',
    help: 'password of that user; better given as SIM_PASSWORD, or when asked for it',
  },
  farm: {
    type: 'string',
    value: 'ID|NAME',
    help: 'farm of the controllers; default: the only farm of the user',
  },
  count: { type: 'string', value: 'N', fallback: '10', help: 'number of controllers, 1 to 5000' },
  'http-share': {
    type: 'string',
    value: 'SHARE',
    fallback: '0.25',
    help: 'share of them that speak HTTP, 0 to 1',
  },
  prefix: {
    type: 'string',
    value: 'WORD',
    fallback: 'sim',
    help: 'their device ids are PREFIX-0001 and so on',
  },
  feeders: { type: 'string', value: 'N', fallback: '2', help: 'number of feeders (A, B, ...) they hang on' },
  keys: {
    type: 'string',
    value: 'FILE',
    help: 'ready identities: JSON array of {device_id, mqtt_id, key, transport?}',
  },
  'firmware-key': {
    type: 'string',
    value: 'FILE',
    help: 'public key (PEM) of the publisher whose firmware they take over the air',
  },
  'save-keys': { type: 'string', value: 'FILE', help: 'write the identities there, readable by you alone' },
  claim: {
    type: 'string',
    value: 'CODE',
    help: 'be one new board with this claim code: waits at the gateway until a technician adopts it, then runs; with --conformance-gateway: check a board without a key that has it, first of all',
  },
  seed: { type: 'string', value: 'N', fallback: '42', help: 'the same seed gives the same night' },
  speed: {
    type: 'string',
    value: 'X',
    fallback: '1',
    help: 'the controllers live X times as fast, 0.1 to 100',
  },
  scenario: {
    type: 'string',
    value: 'NAME|FILE',
    help: 'built-in scenario or a JSON file; "list" shows the built-in ones',
  },
  for: { type: 'string', value: 'TIME', help: 'stop after 90s, 10m, 1.5h; default: until Ctrl-C' },
  every: { type: 'string', value: 'TIME', fallback: '10s', help: 'time between status lines' },
  json: { type: 'boolean', help: 'status lines and reports as JSON' },
  conformance: {
    type: 'string',
    value: 'URL',
    help: 'check the gateway at this address against docs/device-protocol.md',
  },
  thorough: { type: 'boolean', help: 'with --conformance: also the checks that take minutes' },
  'ntp-port': {
    type: 'string',
    value: 'N',
    fallback: '123',
    help: 'with --conformance: UDP port of SNTP at the gateway (0: it is not asked)',
  },
  'conformance-gateway': {
    type: 'boolean',
    help: 'be a gateway for one controller and check that controller',
  },
  port: {
    type: 'string',
    value: 'N',
    fallback: '1883',
    help: 'with --conformance-gateway: MQTT port (0: any)',
  },
  'http-port': {
    type: 'string',
    value: 'N',
    fallback: '8080',
    help: 'with --conformance-gateway: HTTP port (0: any)',
  },
  host: {
    type: 'string',
    value: 'H',
    fallback: '0.0.0.0',
    help: 'with --conformance-gateway: address to listen on',
  },
  transport: {
    type: 'string',
    value: 'mqtt|http',
    fallback: 'mqtt',
    help: 'with --conformance-gateway: how the controller speaks',
  },
  'device-id': {
    type: 'string',
    value: 'ID',
    help: 'with either conformance run: device_id of the identity',
  },
  'mqtt-id': { type: 'string', value: 'ID', help: 'its mqtt_id; default: the device_id' },
  key: { type: 'string', value: 'KEY', env: 'SIM_KEY', help: 'its key; better given as SIM_KEY' },
  board: { type: 'boolean', help: 'be one controller board at a serial cable, to flash and provision' },
  pty: { type: 'boolean', help: 'open a pseudo-terminal as serial port' },
  link: { type: 'string', value: 'PATH', help: 'with --pty: keep a link to the port there' },
  tcp: { type: 'string', value: 'PORT', help: 'listen there in place of a serial port (0: any)' },
  rfc2217: { type: 'string', value: 'PORT', help: 'the same with the modem lines of RFC 2217' },
  flash: { type: 'string', value: 'FILE', help: 'with --board: keep its flash in this file' },
  blank: { type: 'boolean', help: 'with --board: nothing in its flash, as from the reel' },
  mac: { type: 'string', value: 'MAC', help: 'with --board or --claim: its address' },
  wifi: {
    type: 'string',
    value: 'SSID:WORD',
    help: 'with --board: the network that lets it in (default Fazenda:camarao2026)',
  },
  'line-rate': {
    type: 'string',
    value: 'BAUD|own',
    help: 'with --board: bytes take their time; own follows the rate the board is set to',
  },
  fault: {
    type: 'string',
    value: 'NAME[=N],...',
    help: 'with --board: what is wrong with it; a wrong name lists them',
  },
  'loader-idle': {
    type: 'string',
    value: 'TIME',
    help: 'with --board: leave download mode after so long a silence (default 3s)',
  },
  tasmota: {
    type: 'string',
    value: 'N',
    fallback: '0',
    help: 'so many Tasmota relays in place of controllers: each is adopted and set as the gateway shows it',
  },
  shelly: { type: 'string', value: 'N', fallback: '0', help: 'the same with Shelly relays (Gen2)' },
  unadopted: {
    type: 'boolean',
    help: 'with --tasmota or --shelly: as they come from the shop, to be found and adopted by hand',
  },
  help: { type: 'boolean', help: 'show this' },
} as const satisfies Record<string, Flag>;

type FlagName = keyof typeof FLAGS;
export type Options = {
  text(name: FlagName): string | undefined;
  /** The value, or a UsageError that says what is missing. */
  need(name: FlagName): string;
  is(name: FlagName): boolean;
  number(name: FlagName, bounds: { min: number; max: number; whole?: true }): number;
  /** Milliseconds. */
  duration(name: FlagName): number | undefined;
  url(name: FlagName, protocols: readonly string[]): URL | undefined;
};

/** Reads arguments and environment. Throws UsageError with one sentence. */
export function readOptions(args: readonly string[], env: NodeJS.ProcessEnv): Options {
  const values = parse(args);
  const text = (name: FlagName): string | undefined => {
    const flag: Flag = FLAGS[name];
    const given = values[name];
    if (typeof given === 'string') return given;
    return (flag.env === undefined ? undefined : env[flag.env]) ?? flag.fallback;
  };
  const need = (name: FlagName): string => {
    const value = text(name);
    if (value === undefined || value === '')
      throw new UsageError(`--${name} is needed: ${FLAGS[name].help}.`);
    return value;
  };
  return {
    text,
    need,
    is: (name) => values[name] === true,
    number: (name, { min, max, whole }) => {
      const value = Number(need(name));
      if (
        Number.isFinite(value) &&
        value >= min &&
        value <= max &&
        (whole !== true || Number.isInteger(value))
      ) {
        return value;
      }
      const sort = whole === true ? 'a whole number' : 'a number';
      throw new UsageError(`--${name} must be ${sort} from ${min} to ${max}, not "${need(name)}".`);
    },
    duration: (name) => {
      const value = text(name);
      if (value === undefined) return undefined;
      const ms = parseDuration(value);
      if (ms === null)
        throw new UsageError(`--${name} must be a time like 90s, 10m or 1.5h, not "${value}".`);
      return ms;
    },
    url: (name, protocols) => {
      const value = text(name);
      if (value === undefined) return undefined;
      const url = URL.canParse(value) ? new URL(value) : null;
      if (url !== null && protocols.includes(url.protocol)) return url;
      const forms = protocols.map((protocol) => `${protocol}//host:port`).join(' or ');
      throw new UsageError(`--${name} must be an address like ${forms}, not "${value}".`);
    },
  };
}

function parse(args: readonly string[]): Record<string, string | boolean | undefined> {
  const options: Record<string, { type: 'string' | 'boolean' }> = {};
  for (const [name, flag] of Object.entries(FLAGS)) options[name] = { type: flag.type };
  try {
    // Strict parsing refuses lists, so every value is one string or one boolean.
    return parseArgs({ args: [...args], options, allowPositionals: false }).values as Record<
      string,
      string | boolean | undefined
    >;
  } catch (cause) {
    const reason = cause instanceof Error ? (cause.message.split('. ')[0] ?? '') : String(cause);
    throw new UsageError(`${reason}; --help shows what there is.`, { cause });
  }
}

export function helpText(): string {
  const rows = Object.entries(FLAGS).map(([name, flag]: [string, Flag]) => {
    const head = `  --${name}${flag.value === undefined ? '' : ` ${flag.value}`}`;
    const notes = [
      flag.fallback === undefined ? '' : ` (default ${flag.fallback})`,
      flag.env === undefined ? '' : ` [${flag.env}]`,
    ].join('');
    return `${head.padEnd(30)}${flag.help}${notes}`;
  });
  return [
    'Simulated aerator controllers: a fleet against a gateway, and checks of the device protocol.',
    '',
    'usage: npm run sim -- [options]',
    '',
    '  a fleet:              npm run sim -- --gateway http://127.0.0.1:8080 --email you@farm --count 20',
    '  relays of the trade:  npm run sim -- --tasmota 2 --shelly 2 --email you@farm',
    '  check a gateway:      npm run sim -- --conformance http://127.0.0.1:8080 --device-id ID --key KEY',
    '  check a controller:   npm run sim -- --conformance-gateway --port 1883',
    '  probes in a pond:     npm run sim -- --probe --pty   (--probe --help shows more)',
    '  a board at a cable:   npm run sim -- --board --pty --link /tmp/ttyBOARD',
    '  a GSM modem:          npm run sim -- --modem --pty   (--modem --help shows more)',
    '',
    'options (in brackets the environment variable that stands in for one):',
    ...rows,
    '',
    'exit codes: 0 done, 1 a check failed, 2 wrong usage, 3 the gateway could not be reached or refused,',
    '            130 ended by a second Ctrl-C',
  ].join('\n');
}

/** The publisher's public key whose firmware a controller takes; none without a file. */
export async function readFirmwareKeys(file: string | undefined): Promise<KeyObject[]> {
  if (file === undefined) return [];
  try {
    return [createPublicKey(await readFile(file))];
  } catch (cause) {
    throw new UsageError(`--firmware-key ${file} is no file with a public key (PEM).`, { cause });
  }
}
