import { lookup } from 'node:dns/promises';
import { createConnection } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { CloudFacts } from '#features/system/doctor/ports.ts';

const NAME_WITHIN_MS = 3_000;
const CONNECT_WITHIN_MS = 3_000;

/** How far the way to the hosted instance goes, step by step: an address of this box, the name, the connection. */
export async function cloudPath(url: string, hasNetwork = hasAddress): Promise<CloudFacts> {
  const { hostname, port, protocol } = new URL(url);
  const to = { host: hostname, port: Number(port) || (protocol === 'http:' ? 80 : 443) };
  const at = { ...to, ms: null, why: null };
  if (!hasNetwork()) return { ...at, step: 'no_network' };
  const address = await withinMs(NAME_WITHIN_MS, lookup(hostname.replace(/^\[|\]$/g, ''))).catch(messageOf);
  if (typeof address === 'string') return { ...at, step: 'no_name', why: address };
  const began = performance.now();
  const trouble = await connects(address.address, to.port);
  if (trouble !== null) return { ...at, step: 'no_connection', why: trouble };
  return { ...at, step: 'open', ms: Math.round(performance.now() - began) };
}

function hasAddress(): boolean {
  return Object.values(networkInterfaces()).some(
    (found) => found?.some(({ internal }) => !internal) === true,
  );
}

/** null: it does; nothing is said over it. */
function connects(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = createConnection({ host, port, timeout: CONNECT_WITHIN_MS });
    const end = (trouble: string | null) => {
      socket.destroy();
      resolve(trouble);
    };
    socket.once('connect', () => end(null));
    socket.once('timeout', () => end(`no answer within ${CONNECT_WITHIN_MS / 1000} s`));
    socket.once('error', (error) => end(error.message));
  });
}

async function withinMs<Answer>(ms: number, answer: Promise<Answer>): Promise<Answer> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${ms / 1000} s`)), ms);
  try {
    return await Promise.race([answer, promise]);
  } finally {
    clearTimeout(timer);
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
