import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { benchLabel } from '#contract/resources/bench.ts';
import { controlPointAnswer, deviceKeyAnswer, deviceKeyEntry } from '#contract/resources/control-points.ts';
import { systemIdentityAnswer } from '#contract/resources/system.ts';
import { type InEach, inEach } from '#core/each-language.ts';
import { type Terminal, textOf, type Values } from './command.ts';
import { type Identity, newClaimCode } from './identity.ts';
import { BenchTrouble, cancelled } from './trouble.ts';

// What a command of the bench asks of the gateway: over its interface, as any program may.

const point = controlPointAnswer.pick({
  id: true,
  farm_id: true,
  cod: true,
  device_id: true,
  locked_out: true,
});
export type Point = z.output<typeof point>;
export type GatewayLabel = z.output<typeof benchLabel>;

export type Gateway = {
  points: () => Promise<Point[]>;
  /**
   * A new key with all that a board has to know, and a new claim code; `keyId` is asked for its first use. `labelledMac`:
   * the board that has its label for this control point already.
   */
  issue: (
    of: Point,
    host?: string,
  ) => Promise<{ keyId: string; identity: Identity; labelledMac: string | null }>;
  /** Notes the claim code that a board has now, so that its label can be printed. */
  keepLabel: (of: Point, label: { mac: string; claim: string }) => Promise<void>;
  isUsed: (of: Point, keyId: string) => Promise<boolean>;
  /** A key of it was used: a controller runs there. */
  hasKey: (of: Point) => Promise<boolean>;
  labels: (ids: readonly string[]) => Promise<GatewayLabel[]>;
};

const settings = z.object({ fail_safe: z.string() });
const ASK_WITHIN_MS = 15_000;
const PAGE = 240;

export const GATEWAY_OPTIONS = {
  gateway: { type: 'string' },
  'token-file': { type: 'string' },
  email: { type: 'string' },
} as const;

export const GATEWAY_HELP = `  --gateway URL      the gateway [http://127.0.0.1:8080]
  --token-file F     an access token with the scopes read and control (or BENCH_TOKEN)
  --email E          instead of a token: who you are there; the password in BENCH_PASSWORD (not with a second factor)
`;

/** Throws BenchTrouble BAD_INPUT when nobody may come in so. */
export async function openGateway(values: Values, { environment, signal }: Terminal): Promise<Gateway> {
  const base = (textOf(values, 'gateway') ?? 'http://127.0.0.1:8080').replace(/\/+$/, '');
  const ask = asker(base, signal);
  const token = await tokenFrom(values, environment, ask);
  const get = <S extends z.ZodType>(path: string, schema: S) => ask('GET', path, { schema, token });
  const keysOf = (of: Point) => get(`/control-points/${of.id}/device-key`, z.array(deviceKeyEntry));
  return {
    points: () => get('/control-points/', z.array(point)),
    async issue(of, host) {
      const found = await get('/system/identity', systemIdentityAnswer);
      const { fail_safe } = await get(`/control-points/${of.id}/settings`, settings);
      const address = host ?? found.addresses.find((one) => one.includes('.')) ?? found.name;
      // labels are printed where boards are provisioned: a hosted instance has none
      const [label] =
        found.role === 'hosted' ? [] : await get(`/bench/labels?ids=${of.id}`, z.array(benchLabel));
      const made = await ask('POST', `/control-points/${of.id}/device-key`, {
        schema: deviceKeyAnswer,
        token,
      });
      const identity = {
        device_id: made.device_id,
        mqtt_id: made.mqtt_id,
        key: made.key,
        gw_host: address,
        gw_http: found.ports.http ?? 0,
        gw_mqtt: found.ports.mqtt ?? 0,
        gw_mqtts: found.ports.mqtts ?? 0,
        gw_pin: found.authority?.spki_sha256 ?? null,
        cp: of.cod,
        fail_safe,
        // who cannot print it need not have one
        claim: label === undefined ? null : newClaimCode(),
      };
      return { keyId: made.id, identity, labelledMac: label?.mac ?? null };
    },
    async keepLabel(of, label) {
      await ask('PUT', `/bench/labels/${of.id}`, { schema: benchLabel, token, body: label });
    },
    async isUsed(of, keyId) {
      return (await keysOf(of)).some(({ id, state }) => id === keyId && state === 'active');
    },
    async hasKey(of) {
      return (await keysOf(of)).some(({ state }) => state === 'active');
    },
    async labels(ids) {
      const found: GatewayLabel[] = [];
      for (let at = 0; at < ids.length; at += PAGE) {
        const page = ids.slice(at, at + PAGE).join(',');
        found.push(...(await get(`/bench/labels?ids=${page}`, z.array(benchLabel))));
      }
      return found;
    },
  };
}

type Ask = ReturnType<typeof asker>;

function asker(base: string, signal: AbortSignal) {
  return async function ask<S extends z.ZodType>(
    method: 'GET' | 'POST' | 'PUT',
    path: string,
    { schema, token, body }: { schema: S; token?: string; body?: unknown },
  ): Promise<z.output<S>> {
    const response = await fetch(`${base}/api/v1${path}`, {
      method,
      signal: AbortSignal.any([signal, AbortSignal.timeout(ASK_WITHIN_MS)]),
      headers: {
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch((cause: unknown) => {
      if (signal.aborted) throw cancelled();
      throw badInput(
        inEach(
          `o gateway não responde em ${base}`,
          `the gateway does not answer at ${base}`,
          `el gateway no responde en ${base}`,
        ),
        inEach(
          'inicie-o, ou diga o endereço com --gateway',
          'start it, or say its address with --gateway',
          'arránquelo, o indique la dirección con --gateway',
        ),
        cause,
      );
    });
    const told: unknown = await response.json().catch(() => null);
    const { success, data } = schema.safeParse(told);
    if (response.ok && success) return data;
    const { detail } = (typeof told === 'object' && told !== null ? told : {}) as { detail?: unknown };
    const asked = `${method} ${path.split('?')[0]}: ${response.status} ${typeof detail === 'string' ? detail : ''}`;
    throw badInput(
      inEach(`o gateway recusou ${asked}`, `the gateway refused ${asked}`, `el gateway rechazó ${asked}`),
      response.status === 401
        ? inEach(
            'crie um novo token de acesso, ou diga --email e BENCH_PASSWORD',
            'make a new access token, or say --email and BENCH_PASSWORD',
            'cree un acceso para programas nuevo, o indique --email y BENCH_PASSWORD',
          )
        : inEach(
            'confira o que foi pedido, e se você opera esta fazenda',
            'check what was asked for, and that you operate this farm',
            'revise lo que se pidió, y si usted opera esta camaronera',
          ),
    );
  };
}

async function tokenFrom(values: Values, environment: Terminal['environment'], ask: Ask): Promise<string> {
  const { BENCH_TOKEN, BENCH_PASSWORD } = environment;
  const file = textOf(values, 'token-file');
  if (file !== undefined) return secretIn(file);
  const email = textOf(values, 'email');
  if (email !== undefined && BENCH_PASSWORD !== undefined) {
    const body = { email, password: BENCH_PASSWORD };
    const login = z.object({ access_token: z.string() });
    return (await ask('POST', '/auth/login', { schema: login, body })).access_token;
  }
  if (BENCH_TOKEN !== undefined) return BENCH_TOKEN;
  throw badInput(
    inEach(
      'o gateway não sabe quem pergunta',
      'nobody is named to the gateway',
      'el gateway no sabe quién pregunta',
    ),
    inEach(
      'diga --token-file, ou --email com BENCH_PASSWORD no ambiente',
      'say --token-file, or --email with BENCH_PASSWORD in the environment',
      'indique --token-file, o --email con BENCH_PASSWORD en el entorno',
    ),
  );
}

/** The first line of a file that holds a secret. Throws BenchTrouble BAD_INPUT. */
export async function secretIn(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw badInput(
      inEach(`${file} não pode ser lido`, `${file} cannot be read`, `${file} no se puede leer`),
      inEach('corrija o nome do arquivo', 'correct the name of the file', 'corrija el nombre del archivo'),
      cause,
    );
  });
  return (text.split(/\r?\n/)[0] ?? '').trim();
}

export function badInput(message: InEach, next: InEach, cause?: unknown): BenchTrouble {
  return new BenchTrouble('BAD_INPUT', { message, next }, cause);
}
