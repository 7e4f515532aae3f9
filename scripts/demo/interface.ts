import * as z from 'zod';

// The public interface of a gateway, as a person of the farm calls it.

export type Person = {
  get: <T>(path: string, answer: z.ZodType<T>) => Promise<T>;
  post: <T>(path: string, body: object, answer: z.ZodType<T>) => Promise<T>;
  /** For calls whose answer nobody reads. */
  send: (method: 'POST' | 'PUT' | 'DELETE', path: string, body?: object) => Promise<void>;
  bring: (path: string, bytes: Uint8Array, media: string) => Promise<void>;
};

const failure = z.object({ detail: z.string() });

/** The calls of one person, or of nobody in particular without a token. Everything but 2xx throws. */
export function asPerson(base: string, token: string | null): Person {
  const call = async (
    method: string,
    path: string,
    body?: object,
    media = 'application/json',
  ): Promise<unknown> => {
    const response = await fetch(`${base}/api/v1${path}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': media }),
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(body === undefined
        ? {}
        : { body: body instanceof Uint8Array ? Buffer.from(body) : JSON.stringify(body) }),
    });
    const text = await response.text();
    const answer: unknown = text === '' ? undefined : JSON.parse(text);
    if (response.ok) return answer;
    const said = failure.safeParse(answer);
    throw new Error(
      `${method} ${path} answered ${response.status}: ${said.success ? said.data.detail : text}`,
    );
  };
  return {
    get: async (path, answer) => answer.parse(await call('GET', path)),
    post: async (path, body, answer) => answer.parse(await call('POST', path, body)),
    send: async (method, path, body) => void (await call(method, path, body)),
    bring: async (path, bytes, media) => void (await call('PUT', path, bytes, media)),
  };
}
