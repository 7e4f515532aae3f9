import { createHash, X509Certificate } from 'node:crypto';
import { connect, createServer, isIP, type Server, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import type { Session } from 'electron';

// A browser keeps a session, and what was typed and not yet sent, for the address of a page, and a farm's router may
// give the box another one tomorrow. So the console of a box stands under a name on this machine that stays the same,
// and connections to it are carried to wherever the box is now, as they are: with TLS it is the box that answers for
// its key, as without this door.

const CONNECT_MS = 4_000;
const MOST = 64;
/** Tried one after the other, before any port at all; below what systems hand out by themselves. */
const PORTS_TRIED = 10;

export type Door = { port: number; moved(): void; close(): Promise<void> };

/** `target`: where the box is now; null: nobody knows. `port` 0 takes a free one. */
export async function openDoor(
  target: () => { host: string; port: number } | null,
  port: number,
): Promise<Door> {
  const open = new Set<Socket>();
  const carry = (inside: Socket) => {
    const to = target();
    if (to === null) {
      inside.destroy();
      return;
    }
    const outside = connect({ ...to, noDelay: true });
    inside.setNoDelay();
    const patience = setTimeout(() => outside.destroy(), CONNECT_MS);
    outside.once('connect', () => clearTimeout(patience));
    for (const [one, other] of [
      [inside, outside],
      [outside, inside],
    ] as const) {
      open.add(one);
      one.once('close', () => {
        clearTimeout(patience);
        open.delete(one);
      });
      // how a line ended is for its two ends to tell; here both sides end together
      pipeline(one, other, () => undefined);
    }
  };
  const server = createServer(carry);
  server.maxConnections = MOST;
  const closeAll = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    port: await listen(server, port),
    /** Connections that lead to where the box was. */
    moved: closeAll,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      closeAll();
      await closed;
    },
  };
}

/** The address of the console of a gateway: a name of its own, so that what is kept for one farm is never told to another. */
export function pageAddress(gateway: { id: string; url: string }, doorPort: number): string {
  const { protocol, hostname } = new URL(gateway.url);
  // a name leads to its host by itself, and its certificate may be one that every browser knows
  if (isIP(hostname.replace(/^\[|\]$/g, '')) === 0) return new URL('/', gateway.url).href;
  const name = createHash('sha256').update(gateway.id).digest('hex').slice(0, 12);
  return `${protocol}//g-${name}.localhost:${doorPort}/`;
}

/** Where the socket of a gateway's address is. */
export function socketOf(url: string): { host: string; port: number } {
  const { protocol, hostname, port } = new URL(url);
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
  };
}

async function listen(server: Server, first: number): Promise<number> {
  const ports = first === 0 ? [0] : [...Array.from({ length: PORTS_TRIED }, (_, more) => first + more), 0];
  for (const wanted of ports) {
    const port = await new Promise<number | null>((resolve) => {
      const failed = () => resolve(null);
      server.once('error', failed);
      server.listen(wanted, '127.0.0.1', () => {
        server.off('error', failed);
        const at = server.address();
        resolve(typeof at === 'object' && at !== null ? at.port : null);
      });
    });
    if (port !== null) {
      server.on('error', () => undefined);
      return port;
    }
  }
  throw new Error('this machine has no port free for the page of the farm');
}

const TRUSTED = 0;
const REFUSED = -2;
const AS_CHROMIUM_SAYS = -3;

export type VerifyingSession = Pick<Session, 'fetch' | 'setCertificateVerifyProc'>;

/**
 * The farm's box has an authority of its own, which no browser knows. What was pinned when the box was chosen is what
 * counts for its address, whatever this machine's clock says; every other address is judged as usual.
 */
export function pinGateway(
  session: Pick<Session, 'setCertificateVerifyProc'>,
  pinned: () => { hostname: string; pin: string } | null,
): void {
  session.setCertificateVerifyProc((request, callback) => {
    const gateway = pinned();
    if (gateway === null || request.hostname !== gateway.hostname) return callback(AS_CHROMIUM_SAYS);
    callback(chainHasPin(request.certificate, gateway.pin) ? TRUSTED : REFUSED);
  });
}

type Certificate = { data: string; issuerCert?: Certificate };

/** Whether the certificate was signed by the authority with that key. */
export function chainHasPin(certificate: Certificate, pin: string): boolean {
  for (let at: Certificate | undefined = certificate, depth = 0; at !== undefined && depth < 5; depth += 1) {
    const issuer: Certificate | undefined = at.issuerCert;
    if (pinOf(at) === pin) return true;
    // each must really be signed by the next: a chain is not proved by standing in a row
    if (issuer === undefined || !isSignedBy(at, issuer)) return false;
    at = issuer;
  }
  return false;
}

const pinOf = ({ data }: Certificate): string =>
  createHash('sha256')
    .update(new X509Certificate(data).publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64');

function isSignedBy(one: Certificate, issuer: Certificate): boolean {
  if (issuer.data === one.data) return false;
  return new X509Certificate(one.data).verify(new X509Certificate(issuer.data).publicKey);
}
