import { Agent, type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';

// What the tests ask an app over: a hundred thousand requests, of which those of fetch cost the tests as much as the answers
// cost the program.

export type Reply = { status: number; body: unknown; headers: Headers };
export type Sent = { token?: string; body?: unknown; headers?: Record<string, string> };

/** What fetch tells of itself. */
const AS_FETCH = { Accept: '*/*', 'Accept-Language': '*', 'Sec-Fetch-Mode': 'cors', 'User-Agent': 'node' };

const decoder = new TextDecoder();

const bytesOf = (body: unknown): Uint8Array =>
  body instanceof Uint8Array ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));

/** Requests to `base` over connections that are kept, until the end. No redirect is followed. */
export function httpClient(base: string) {
  const agent = new Agent({ keepAlive: true });

  function answered(method: string, path: string, { token, body, headers }: Sent): Promise<IncomingMessage> {
    const content = body === undefined ? null : bytesOf(body);
    return new Promise((resolve, reject) => {
      const asked = request(new URL(base + path), {
        method,
        agent,
        headers: {
          ...AS_FETCH,
          ...(content === null ? {} : { 'Content-Type': 'application/json' }),
          ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
          ...headers,
          ...(content === null ? {} : { 'Content-Length': content.byteLength }),
        },
      });
      asked.once('response', resolve);
      // one that was refused before all of it came may have its answer already
      asked.on('error', reject);
      asked.end(content ?? undefined);
    });
  }

  async function told(method: string, path: string, sent: Sent = {}) {
    const answer = await answered(method, path, sent);
    const text = decoder.decode(await buffer(answer));
    return { status: answer.statusCode ?? 0, text, answer };
  }

  return {
    /** The answer as it came. */
    told,
    async call(method: string, path: string, sent: Sent = {}): Promise<Reply> {
      const { status, text, answer } = await told(method, path, sent);
      const headers = headersOf(answer);
      const isJson = headers.get('content-type')?.includes('json') ?? false;
      return { status, body: isJson && text !== '' ? JSON.parse(text) : text, headers };
    },
    close: () => agent.destroy(),
  };
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2)
    headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
  return headers;
}
