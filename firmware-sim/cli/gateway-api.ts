import type { Agent } from 'node:http';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import * as z from 'zod';
import { callHttp, type HttpCall } from '../fetch-firmware.ts';
import type { Options } from './options.ts';

// The few calls a fleet needs to exist on a gateway.

/** The gateway could not be reached or did not do what was asked. */
export class GatewayRefused extends Error {}

export type GatewayApi = {
  farms(): Promise<Farm[]>;
  createFarm(name: string): Promise<Farm>;
  controlPoints(): Promise<ControlPoint[]>;
  createControlPoint(farmId: string, deviceId: string): Promise<ControlPoint>;
  issueKey(controlPointId: string): Promise<IssuedKey>;
  token: string;
};

const farm = z.object({ id: z.string(), name: z.string() });
const controlPoint = z.object({ id: z.string(), farm_id: z.string(), device_id: z.string() });
const issuedKey = z.object({ device_id: z.string(), mqtt_id: z.string(), key: z.string() });
const login = z.object({ access_token: z.string() });
const failure = z.object({ detail: z.string() });

export type Farm = z.infer<typeof farm>;
export type ControlPoint = z.infer<typeof controlPoint>;
type IssuedKey = z.infer<typeof issuedKey>;

/** Logs in. Throws GatewayRefused with what the gateway said. */
export async function openGatewayApi(
  base: string,
  user: { email: string; password: string },
  agent?: Agent,
): Promise<GatewayApi> {
  const { access_token: token } = await ask(base, '/api/v1/auth/login', login, { body: user, agent });
  const get = <T>(path: string, schema: z.ZodType<T>) => ask(base, path, schema, { bearer: token, agent });
  const post = <T>(path: string, schema: z.ZodType<T>, body: object) =>
    ask(base, path, schema, { bearer: token, method: 'POST', body, agent });
  return {
    token,
    farms: () => get('/api/v1/farms/', z.array(farm)),
    createFarm: (name) => post('/api/v1/farms/', farm, { name }),
    controlPoints: () => get('/api/v1/control-points/', z.array(controlPoint)),
    createControlPoint: (farmId, deviceId) =>
      post('/api/v1/control-points/', controlPoint, {
        farm_id: farmId,
        cod: deviceId.toUpperCase(),
        target_status: 'OFF',
        device_id: deviceId,
      }),
    issueKey: (id) => post(`/api/v1/control-points/${id}/device-key`, issuedKey, {}),
  };
}

async function ask<T>(base: string, path: string, schema: z.ZodType<T>, call: HttpCall): Promise<T> {
  const answer = await callHttp(base, path, call).catch((cause: unknown) => {
    throw new GatewayRefused(`${base} cannot be reached: ${reasonOf(cause)}.`, { cause });
  });
  if (answer.status < 200 || answer.status > 299) {
    const said = failure.safeParse(answer.body);
    throw new GatewayRefused(
      `${path} answered ${answer.status}: ${said.success ? said.data.detail : 'no reason given'}`,
    );
  }
  const parsed = schema.safeParse(answer.body);
  if (!parsed.success)
    throw new GatewayRefused(`${path} answered something else than the interface describes.`);
  return parsed.data;
}

function reasonOf(cause: unknown): string {
  // fetch hides the reason one level down.
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  if (!(inner instanceof Error)) return String(inner);
  return 'code' in inner && typeof inner.code === 'string' ? inner.code : inner.message;
}

export type Terminal = {
  print: (line: string) => void;
  complain: (line: string) => void;
  interrupted: AbortSignal;
  /** Absent where nobody sits before it. */
  askHidden?: (question: string) => Promise<string>;
};

/** The password of the user, asked for where a person sits before the terminal. Throws UsageError where nobody does. */
export async function passwordOf(
  { askHidden }: Pick<Terminal, 'askHidden'>,
  options: Options,
): Promise<string> {
  const given = options.text('password');
  if (given !== undefined || askHidden === undefined) return options.need('password');
  return askHidden(`Password of ${options.need('email')}: `);
}

/** Reads a line of the terminal that is not shown while it is typed. */
export async function askHidden(question: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const line = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  process.stderr.write(question);
  try {
    return await line.question('');
  } finally {
    line.close();
    process.stderr.write('\n');
  }
}
