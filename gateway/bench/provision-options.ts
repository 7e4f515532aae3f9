import path from 'node:path';
import { setTimeout as pauseFor } from 'node:timers/promises';
import { inEach } from '#core/each-language.ts';
import { flag, type Terminal, text, textOf, type Values } from './command.ts';
import { type BenchJobInput, type JobContext, type JobResult, sentence } from './job.ts';
import { badInput, type Gateway, type Point, secretIn } from './provision-gateway.ts';
import { BenchTrouble, cancelled } from './trouble.ts';

export type PointWork = {
  gateway: Pick<Gateway, 'issue' | 'isUsed' | 'keepLabel'>;
  run: (job: BenchJobInput, context: JobContext) => Promise<JobResult>;
  /** Waits; rejects when the signal is set off. */
  pause: (ms: number, signal: AbortSignal) => Promise<void>;
  monotonic: () => number;
};

export type PointWish = {
  port: string;
  wifi: { ssid: string; password: string } | null;
  /** Where the board finds the gateway; undefined: as the gateway says itself. */
  host?: string | undefined;
  waitS: number;
  /** null: the relay is left alone. */
  selfTest: { min_current_ma: number | null } | null;
};

const LOOK_EVERY_MS = 1_000;

/**
 * Makes the board at a port the controller of a control point: key and identity, Wi-Fi, its first report as the proof,
 * and the click of its relay. Throws BenchTrouble.
 */
export async function provisionPoint(
  work: PointWork,
  point: Point,
  wish: PointWish,
  context: JobContext,
): Promise<JobResult> {
  if (point.locked_out && wish.selfTest !== null) throw lockedOut(point);
  const { keyId, identity, labelledMac } = await work.gateway.issue(point, wish.host);
  const { port, wifi } = wish;
  const board = await work.run(
    { kind: 'provision', port, wifi, identity, labelled_mac: labelledMac },
    context,
  );
  const { mac, has_claim: hasClaim, claim_kept: isKept } = board;
  if (identity.claim !== null && hasClaim === true && isKept !== true && typeof mac === 'string')
    await work.gateway.keepLabel(point, { mac, claim: identity.claim });
  context.tell(
    sentence(
      'heartbeat',
      inEach(
        `esperando até ${wish.waitS} s o primeiro relato de ${point.device_id}`,
        `waiting up to ${wish.waitS} s for the first report of ${point.device_id}`,
        `esperando hasta ${wish.waitS} s el primer informe de ${point.device_id}`,
      ),
    ),
  );
  const until = work.monotonic() + wish.waitS * 1_000;
  while (!(await work.gateway.isUsed(point, keyId))) {
    if (work.monotonic() >= until) throw noHeartbeat(identity.gw_host, wish.waitS);
    await work.pause(LOOK_EVERY_MS, context.signal);
  }
  context.tell(
    sentence(
      'heartbeat',
      inEach(
        `${point.device_id} relatou com a chave nova`,
        `${point.device_id} reported under its new key`,
        `${point.device_id} informó con la clave nueva`,
      ),
    ),
  );
  if (wish.selfTest === null) return board;
  const tested = await work.run({ kind: 'self_test', port, ...wish.selfTest }, context);
  return { ...board, ...tested };
}

function noHeartbeat(host: string, waitS: number): BenchTrouble {
  return new BenchTrouble('NO_HEARTBEAT', {
    message: inEach(
      `a placa tem a identidade e não relatou em ${waitS} segundos`,
      `the board has its identity and did not report within ${waitS} seconds`,
      `la placa tiene la identidad y no informó en ${waitS} segundos`,
    ),
    next: inEach(
      `veja se o Wi-Fi dela leva ao gateway (${host}), aperte reset na placa e olhe o registro dela (bench-tool monitor); depois provisione-a de novo`,
      `see that its Wi-Fi leads to the gateway (${host}), press reset on the board and watch its log (bench-tool monitor); then provision it again`,
      `vea si su Wi-Fi llega al gateway (${host}), presione reset en la placa y mire su registro (bench-tool monitor); después aprovisiónela de nuevo`,
    ),
  });
}

function lockedOut({ cod }: Point): BenchTrouble {
  return new BenchTrouble('SELF_TEST_FAILED', {
    message: inEach(
      `${cod} está bloqueado: o motor dele não é ligado para um teste`,
      `${cod} is locked out: its motor is not started for a test`,
      `${cod} está bloqueado: su motor no se enciende para una prueba`,
    ),
    next: inEach(
      'pergunte quem o bloqueou, ou provisione sem --self-test',
      'ask who locked it out, or provision it without --self-test',
      'pregunte quién lo bloqueó, o aprovisione sin --self-test',
    ),
  });
}

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
      inEach(
        '--min-current é para --self-test',
        '--min-current is for --self-test',
        '--min-current es para --self-test',
      ),
      inEach('diga os dois ou nenhum', 'say both or none', 'indique los dos o ninguno'),
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
      inEach(
        '--wifi-password-file é para --ssid',
        '--wifi-password-file is for --ssid',
        '--wifi-password-file es para --ssid',
      ),
      inEach(
        'diga também o nome da rede',
        'say the name of the network, too',
        'indique también el nombre de la red',
      ),
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
    inEach(
      `--${name} é um número inteiro, de ${min} a ${max}, não ${said}`,
      `--${name} is a whole number, ${min} to ${max}, not ${said}`,
      `--${name} es un número entero, de ${min} a ${max}, no ${said}`,
    ),
    inEach('corrija e comece de novo', 'correct it and start again', 'corrija y comience de nuevo'),
  );
}

export function needed(values: Values, name: string): string {
  const value = textOf(values, name);
  if (value !== undefined) return value;
  throw badInput(
    inEach(`falta --${name}`, `--${name} is missing`, `falta --${name}`),
    inEach('veja o comando com --help', 'see the command with --help', 'vea el comando con --help'),
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
      ? inEach(
          `não há ponto de controle ${name} que você possa operar`,
          `there is no control point ${name} that you may operate`,
          `no hay un punto de control ${name} que usted pueda operar`,
        )
      : inEach(
          `${found.length} pontos de controle se chamam ${name}; diga o id do dispositivo`,
          `${found.length} control points are called ${name}; say the device id`,
          `${found.length} puntos de control se llaman ${name}; indique el id del dispositivo`,
        ),
    inEach(
      'olhe os pontos de controle no console',
      'look at the control points in the console',
      'mire los puntos de control en el panel',
    ),
  );
}
