import path from 'node:path';
import { setTimeout as pauseFor } from 'node:timers/promises';
import { inBoth } from '#core/both-languages.ts';
import { flag, type Terminal, text, textOf, type Values } from './command.ts';
import { badInput, type Point, secretIn } from './provision-gateway.ts';
import type { PointWish } from './provision-point.ts';
import { cancelled } from './trouble.ts';

// Options that the commands of the bench share.

/** Waits. Rejects with BenchTrouble CANCELLED when the signal is set off. */
export async function pausing(ms: number, signal: AbortSignal): Promise<void> {
  await pauseFor(ms, undefined, { signal }).catch(() => {
    throw cancelled();
  });
}

export const WISH_OPTIONS = {
  ssid: text,
  'wifi-password-file': text,
  'gateway-host': text,
  wait: text,
  'self-test': flag,
  'min-current': text,
} as const;

export const SELF_TEST_HELP = `  --for SECONDS      the relay is on this long at most [2]
  --min-current MA   the motor must draw this much
`;

export const WISH_HELP = `  --ssid NAME        the farm's Wi-Fi; without it the board keeps the one it has
  --wifi-password-file F   its password is the first line (or WIFI_PASSWORD); none: an open network
  --gateway-host H   where boards find the gateway [its address on the farm network]
  --wait SECONDS     how long the first report is awaited [90]
  --self-test        then let the relay click; a motor that is wired starts
  --min-current MA   the motor must draw this much in the self test
`;

/** Whose firmware is taken; shared by all commands that flash. */
export const TRUST_OPTIONS = { 'firmware-keys': text, unsigned: flag } as const;
export const TRUST_HELP = `  --firmware-keys F  public keys of the publishers (PEM) [firmware-keys.pem in DATA_DIR or ./data]
  --unsigned         take firmware that none of them signed: for whoever builds it
`;

/** As the gateway of this machine would: the same file, found by the same settings. */
export function trustOf(values: Values, environment: Terminal['environment']) {
  const { FIRMWARE_KEYS, DATA_DIR } = environment;
  const found = textOf(values, 'firmware-keys') ?? FIRMWARE_KEYS;
  return {
    firmware_keys: found ?? path.join(DATA_DIR ?? './data', 'firmware-keys.pem'),
    allow_unsigned: values['unsigned'] === true,
  };
}

export async function wishOf(
  values: Values,
  environment: Terminal['environment'],
): Promise<Omit<PointWish, 'port'>> {
  const current = numberOf(values, 'min-current', { min: 1, max: 1_000_000 });
  const isTested = values['self-test'] === true;
  if (current !== undefined && !isTested)
    throw badInput(
      inBoth('--min-current é para --self-test', '--min-current is for --self-test'),
      inBoth('diga os dois ou nenhum', 'say both or none'),
    );
  return {
    wifi: await wifiOf(values, environment),
    host: textOf(values, 'gateway-host'),
    waitS: numberOf(values, 'wait', { min: 1, max: 600 }) ?? 90,
    selfTest: isTested ? { min_current_ma: current ?? null } : null,
  };
}

/** Never on the command line: whoever lists the processes of this machine would read it. */
async function wifiOf(
  values: Values,
  { WIFI_PASSWORD }: Terminal['environment'],
): Promise<PointWish['wifi']> {
  const ssid = textOf(values, 'ssid');
  const file = textOf(values, 'wifi-password-file');
  if (ssid === undefined) {
    if (file === undefined) return null;
    throw badInput(
      inBoth('--wifi-password-file é para --ssid', '--wifi-password-file is for --ssid'),
      inBoth('diga também o nome da rede', 'say the name of the network, too'),
    );
  }
  return { ssid, password: file === undefined ? (WIFI_PASSWORD ?? '') : await secretIn(file) };
}

export function numberOf(
  values: Values,
  name: string,
  { min, max }: { min: number; max: number },
): number | undefined {
  const said = textOf(values, name);
  if (said === undefined) return undefined;
  const value = Number(said);
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw badInput(
    inBoth(
      `--${name} é um número inteiro, de ${min} a ${max}, não ${said}`,
      `--${name} is a whole number, ${min} to ${max}, not ${said}`,
    ),
    inBoth('corrija e comece de novo', 'correct it and start again'),
  );
}

export function needed(values: Values, name: string): string {
  const value = textOf(values, name);
  if (value !== undefined) return value;
  throw badInput(
    inBoth(`falta --${name}`, `--${name} is missing`),
    inBoth('veja o comando com --help', 'see the command with --help'),
  );
}

/** By code, device id or id. Throws BAD_INPUT for none and for several. */
export function pointNamed(points: readonly Point[], name: string): Point {
  const exact = points.filter(({ id, device_id }) => id === name || device_id === name);
  const found = exact.length > 0 ? exact : points.filter(({ cod }) => cod === name);
  const [point] = found;
  if (point !== undefined && found.length === 1) return point;
  throw badInput(
    found.length === 0
      ? inBoth(
          `não há ponto de controle ${name} que você possa operar`,
          `there is no control point ${name} that you may operate`,
        )
      : inBoth(
          `${found.length} pontos de controle se chamam ${name}; diga o id do dispositivo`,
          `${found.length} control points are called ${name}; say the device id`,
        ),
    inBoth('olhe os pontos de controle no console', 'look at the control points in the console'),
  );
}
