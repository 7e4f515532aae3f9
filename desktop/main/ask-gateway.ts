import { systemIdentityAnswer } from '../../gateway/contract/resources/system-identity.ts';
import type { FoundGateway } from '../ipc.ts';
import { chainHasPin, type VerifyingSession } from './door.ts';

const WITHIN_MS = 2_500;
const MOST_BYTES = 64 * 1024;

export type Asked = { at: 'there'; gateway: FoundGateway } | { at: 'silent' | 'other-key' };
export type AskGateway = (url: string, pin: string | null) => Promise<Asked>;

/**
 * Asks a gateway who it is. With a pin it must prove its key first. `sessionFor`: a session of its own for each name,
 * because what a session once judged of a certificate it remembers.
 */
export function gatewayAsker(sessionFor: (name: string) => VerifyingSession): AskGateway {
  const pinned = new Map<string, { session: VerifyingSession; refused: () => boolean }>();
  const pinnedTo = (pin: string) => {
    const known = pinned.get(pin);
    if (known !== undefined) return known;
    const session = sessionFor(`gateway ${pin}`);
    let isRefused = false;
    session.setCertificateVerifyProc(({ certificate }, callback) => {
      isRefused = !chainHasPin(certificate, pin);
      callback(isRefused ? -2 : 0);
    });
    const made = { session, refused: () => isRefused };
    pinned.set(pin, made);
    return made;
  };
  return async (url, pin) => {
    const { session, refused } =
      pin === null ? { session: sessionFor('open'), refused: () => false } : pinnedTo(pin);
    try {
      const answer = await session.fetch(new URL('/api/v1/system/identity', url).href, {
        signal: AbortSignal.timeout(WITHIN_MS),
        cache: 'no-store',
        redirect: 'error',
      });
      const told = systemIdentityAnswer.safeParse(answer.ok ? JSON.parse(await textOf(answer)) : null);
      return told.success ? { at: 'there', gateway: gatewayAt(url, told.data) } : { at: 'silent' };
    } catch {
      // whatever is wrong with the line: only a key that is not the pinned one is told apart
      return { at: new URL(url).protocol === 'https:' && refused() ? 'other-key' : 'silent' };
    }
  };
}

type Identity = ReturnType<typeof systemIdentityAnswer.parse>;

/** The gateway as it is to be paired: by TLS and its key wherever it has one. */
function gatewayAt(
  url: string,
  { gateway_id, name, role, authority, ports, software }: Identity,
): FoundGateway {
  const { hostname, origin } = new URL(url);
  const isSecured = role === 'gateway' && authority !== null && ports.https !== null;
  return {
    id: gateway_id,
    name: role === 'gateway' ? name : hostname,
    url: isSecured ? `https://${hostname}:${ports.https}/` : `${origin}/`,
    pin: isSecured ? authority.spki_sha256 : null,
    software: software ?? '',
  };
}

async function textOf(answer: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  // `body` is a stream of bytes; its type here is the browser's, which cannot be walked
  for await (const part of (answer.body ?? []) as unknown as AsyncIterable<Uint8Array>) {
    bytes += part.length;
    if (bytes > MOST_BYTES) throw new Error('an identity is shorter');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
