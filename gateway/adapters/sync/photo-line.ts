import { type ImageName, MOST_PHOTO_BYTES } from '#contract/resources/photos.ts';
import { AppError } from '#core/errors.ts';
import type { AskHosted } from './ask-hosted.ts';
import { HostedUnreachable, hostedAddress } from './ask-hosted.ts';
import { answeredPhotos } from './hosted-photos.ts';

type Access = {
  /** null: not paired. */
  hostedUrl: () => Promise<string | null>;
  sessionToken: () => Promise<string>;
  forgetToken: () => void;
};

/** Twenty seconds of the worst line of a farm, and as much again. */
const TIMEOUT_MS = 60_000;

export type PhotoLine = ReturnType<typeof photoLine>;

/** What a gateway asks a hosted instance about bytes of photos. Everything throws where the line or the other side does not. */
export function photoLine({ hostedUrl, sessionToken, forgetToken }: Access, ask: AskHosted) {
  async function where(): Promise<{ url: string; token: string }> {
    const told = await hostedUrl();
    const address = told === null ? null : hostedAddress(told);
    if (address === null || !address.ok) throw new HostedUnreachable('this gateway has no hosted instance');
    return { url: address.url.href.replace(/\/+$/, ''), token: await sessionToken() };
  }
  async function exchange(
    method: 'GET' | 'PUT',
    name: ImageName,
    body?: { type: string; bytes: Uint8Array },
  ) {
    const { url, token } = await where();
    const response = await fetch(`${url}/sync/v1/photos/${name}`, {
      method,
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: {
        Authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'Content-Type': body.type }),
      },
      ...(body === undefined ? {} : { body: new Uint8Array(body.bytes) }),
    });
    if (response.status === 401) forgetToken();
    return response;
  }
  return {
    async standing(names: readonly string[]) {
      const { url, token } = await where();
      return ask({ url, token, path: '/sync/v1/photos', body: { names } }, answeredPhotos);
    },
    async bring(name: ImageName, type: string, bytes: Uint8Array): Promise<void> {
      const response = await exchange('PUT', name, { type, bytes });
      await response.body?.cancel();
      if (!response.ok)
        throw new AppError(response.status, `the hosted instance answered ${response.status}`, {});
    },
    /** null: it has not got them. */
    async fetched(name: ImageName): Promise<Uint8Array | null> {
      const response = await exchange('GET', name);
      if (response.ok) return bounded(response);
      await response.body?.cancel();
      if (response.status === 404) return null;
      throw new AppError(response.status, `the hosted instance answered ${response.status}`, {});
    },
  };
}

/** null: more than any photo has. */
async function bounded({ body }: Response): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    // leaving the loop ends the connection, too
    if (size > MOST_PHOTO_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
