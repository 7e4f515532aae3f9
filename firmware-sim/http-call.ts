import type { Agent } from 'node:http';
import { requestJson } from './transport/http-transport.ts';

// A bare HTTP client: JSON in, JSON out, the status as it is.

export type HttpAnswer = { status: number; body: unknown };

export type HttpCall = {
  method?: 'GET' | 'POST' | 'DELETE';
  /** Bearer: a device key or a user's token. */
  bearer?: string;
  body?: unknown;
  /** Sent as it is, in place of `body`. */
  rawBody?: string;
  /** Over its connections, in place of new ones: how a gateway is reached that the machine does not know. */
  agent?: Agent | undefined;
  /** Instead of 15 s. */
  withinMs?: number;
};

const ANSWER_WITHIN_MS = 15_000;

/** Throws when the server cannot be reached or does not answer in time. */
export async function callHttp(base: string, path: string, call: HttpCall = {}): Promise<HttpAnswer> {
  if (call.agent !== undefined) return callOver(call.agent, `${base}${path}`, call);
  const text = call.rawBody ?? (call.body === undefined ? undefined : JSON.stringify(call.body));
  const response = await fetch(`${base}${path}`, {
    method: call.method ?? (text === undefined ? 'GET' : 'POST'),
    headers: {
      accept: 'application/json',
      ...(text === undefined ? {} : { 'content-type': 'application/json' }),
      ...(call.bearer === undefined ? {} : { authorization: `Bearer ${call.bearer}` }),
    },
    ...(text === undefined ? {} : { body: text }),
    signal: AbortSignal.timeout(call.withinMs ?? ANSWER_WITHIN_MS),
  });
  return { status: response.status, body: readJson(await response.text()) };
}

function callOver(
  agent: Agent,
  url: string,
  { method, bearer, body, withinMs }: HttpCall,
): Promise<HttpAnswer> {
  return requestJson({
    agent,
    url,
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    key: bearer,
    signal: AbortSignal.timeout(withinMs ?? ANSWER_WITHIN_MS),
    // every body of ours is an object
    body: body === undefined ? undefined : (body as object),
  });
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON: the check of the shape says so.
    return undefined;
  }
}
