import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DeviceConfig, DeviceSchedule, HeartbeatAnswer } from '#contract/mqtt/messages.ts';
import { httpHeartbeat } from '#contract/mqtt/messages.ts';
import type { Level } from '../controller/state.ts';
import type { SimClock } from '../sim-clock.ts';
import type { Identity } from '../transport/http-transport.ts';
import type { ObservedNow } from './report.ts';

export type HttpSideDeps = {
  observe: (seen: ObservedNow) => void;
  clock: SimClock;
  identity: Identity;
  httpStatus: () => number | null;
  takeLevel: () => { level: Level; end: object };
  config: () => DeviceConfig;
  schedule: () => DeviceSchedule;
  /** Fields that the contract does not know, in every answer. */
  extra: () => object;
  /** An image at its path, with the key; null: there is none. */
  imageAt: (path: string) => Buffer | null;
};

const LARGEST_BODY = 64 * 1024;

/** The three device endpoints of a gateway, for one controller. */
export function answerRequest(deps: HttpSideDeps, request: IncomingMessage, response: ServerResponse): void {
  let received = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => {
    received += chunk;
    if (received.length > LARGEST_BODY) request.destroy();
  });
  request.on('end', () => {
    const { status, body } = decide(deps, request, received);
    const isImage = Buffer.isBuffer(body);
    response.writeHead(status, { 'content-type': isImage ? 'application/octet-stream' : 'application/json' });
    response.end(isImage ? body : JSON.stringify(body));
  });
}

/** A body that is a buffer is an image. */
type Decision = { status: number; body: object };

function decide(deps: HttpSideDeps, request: IncomingMessage, text: string): Decision {
  const method = request.method ?? '';
  const [path = '', query = ''] = (request.url ?? '').split('?');
  const hasKey = request.headers.authorization === `Bearer ${deps.identity.key}`;
  const body = readJson(text);
  const decision = decideBody(deps, { method, path, query, hasKey, body });
  deps.observe({ kind: 'request', method, path, hasKey, status: decision.status, body });
  const heartbeat = httpHeartbeat.safeParse(body);
  if (decision.status === 200 && method === 'POST' && heartbeat.success) {
    deps.observe({ kind: 'heartbeat', via: 'http', body: heartbeat.data });
  }
  return decision;
}

function decideBody(
  deps: HttpSideDeps,
  call: { method: string; path: string; query: string; hasKey: boolean; body: unknown },
): Decision {
  const outage = deps.httpStatus();
  if (outage !== null) return { status: outage, body: { detail: 'out of order for a check' } };
  if (!call.hasKey) return { status: 401, body: { detail: 'Could not validate credentials' } };
  const id = encodeURIComponent(deps.identity.device_id);
  const known = (body: object): Decision => ({ status: 200, body: { ...body, ...deps.extra() } });
  if (call.path === `/api/v1/devices/config/${id}`) return known(deps.config());
  if (call.path === `/api/v1/devices/schedule/${id}`) return known(deps.schedule());
  const image = deps.imageAt(call.path);
  if (image !== null) return { status: 200, body: pieceOf(image, new URLSearchParams(call.query)) };
  if (call.method !== 'POST' || call.path !== '/api/v1/devices/heartbeat') {
    return { status: 404, body: { detail: 'Not found' } };
  }
  return answerHeartbeat(deps, call.body);
}

function answerHeartbeat(deps: HttpSideDeps, body: unknown): Decision {
  const heartbeat = httpHeartbeat.safeParse(body);
  if (!heartbeat.success) {
    const issue = heartbeat.error.issues[0];
    const reason = `${issue?.path.join('.')}: ${issue?.message}`;
    deps.observe({ kind: 'invalid', where: 'heartbeat', reason });
    return { status: 422, body: { detail: reason } };
  }
  if (heartbeat.data.device_id !== deps.identity.device_id) {
    return { status: 404, body: { detail: 'No control point has this device_id' } };
  }
  const { level, end } = deps.takeLevel();
  const answer: HeartbeatAnswer = {
    target_status: level.target,
    epoch: level.epoch,
    version: level.version,
    ...(level.issuedAtS === undefined ? {} : { issued_at: level.issuedAtS }),
    server_time: new Date(deps.clock.unixMs()).toISOString(),
    poll_interval_s: deps.config().heartbeat_s,
    schedule_rev: deps.schedule().rev,
    config_rev: deps.config().rev,
  };
  return { status: 200, body: { ...answer, ...end, ...deps.extra() } };
}

/** The whole, or the piece that is asked for. */
function pieceOf(image: Buffer, query: URLSearchParams): Buffer {
  const offset = Number(query.get('offset') ?? 0);
  const length = Number(query.get('length') ?? image.length);
  return image.subarray(offset, offset + length);
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
