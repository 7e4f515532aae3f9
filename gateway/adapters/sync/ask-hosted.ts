import type * as z from 'zod';
import type { Refused } from '../../sync/ports.ts';

// Short questions to a hosted instance beside the data of the sync: pairing, session, keys.

const TIMEOUT_MS = 15_000;
const MAX_ANSWER = 65_536;

/** The hosted instance answered that it will not. */
export class HostedRefused extends Error {
  readonly refused: Refused;
  /** The whole body, for what is said beside the code. */
  readonly body: unknown;

  constructor(refused: Refused, body: unknown = null) {
    super(refused.detail);
    this.name = 'HostedRefused';
    this.refused = refused;
    this.body = body;
  }
}

/** The network did not carry the question, or what answered is no hosted instance. */
export class HostedUnreachable extends Error {}

export type AskHosted = <Answer>(
  question: {
    url: string;
    path: string;
    method?: 'GET' | 'POST';
    body?: unknown;
    token?: string;
    headers?: Record<string, string>;
  },
  answer: z.ZodType<Answer>,
) => Promise<Answer>;

/** Asks over HTTPS and reads the answer. Throws HostedRefused or HostedUnreachable. */
export const askHosted: AskHosted = async (question, answer) => {
  const { status, body } = await send(question);
  if (status >= 400) throw new HostedRefused(refusalOf(status, body), body);
  const parsed = answer.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new HostedUnreachable(`${question.url} answered something that no hosted instance says`);
};

async function send(question: Parameters<AskHosted>[0]): Promise<{ status: number; body: unknown }> {
  const { url, path, method = 'POST', body, token, headers } = question;
  try {
    const response = await fetch(`${url}${path}`, {
      method,
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: {
        ...headers,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await bounded(response);
    return { status: response.status, body: text === null ? null : parse(text) };
  } catch (cause) {
    throw new HostedUnreachable(`${url} does not answer`, { cause });
  }
}

/** null: longer than anything a hosted instance says here; nothing more of it is read. */
async function bounded({ body }: Response): Promise<string | null> {
  if (body === null) return '';
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    // leaving the loop ends the connection, too
    if (size > MAX_ANSWER) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // a page of some proxy
    return null;
  }
}

function refusalOf(status: number, body: unknown): Refused {
  const said = typeof body === 'object' && body !== null ? body : {};
  const detail = 'detail' in said && typeof said.detail === 'string' ? said.detail : `status ${status}`;
  const code = 'code' in said && typeof said.code === 'string' ? said.code : 'UNNAMED';
  return { status, code, detail };
}
