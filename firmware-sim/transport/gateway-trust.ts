import { createHash, X509Certificate } from 'node:crypto';
import type { AgentOptions } from 'node:https';
import { Agent } from 'node:https';
import type { Duplex } from 'node:stream';
import { duplexPair } from 'node:stream';
import type { ConnectionOptions, DetailedPeerCertificate, TLSSocket } from 'node:tls';
import { connect } from 'node:tls';

// How a controller knows its gateway without a clock and without a name: by the key of the farm authority. Dates are not
// looked at, because a controller that has just booted does not know the day, and names are not, because the authority
// signs for this one box alone (device protocol, 9).

export type GatewayTrust = {
  /** SHA-256 over the public keys of authorities it was given, in base64. */
  pins: readonly string[];
};

const MAX_CHAIN = 6;

/** Takes a pin as people write it: base64 or base64url, with or without padding. Null for what is none. */
export function readPin(text: string): string | null {
  const bytes = Buffer.from(text.trim(), 'base64url');
  return bytes.length === 32 ? bytes.toString('base64') : null;
}

/** Pins of all certificates in a PEM file. Empty when there are none. */
export function pinsInPem(pem: string): string[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.map((block) => pinOf(new X509Certificate(block)));
}

/** Null when a chain of signatures leads from the certificate shown to a pinned key; else what is wrong. */
export function whyUntrusted(chain: readonly X509Certificate[], { pins }: GatewayTrust): string | null {
  const [leaf, ...above] = chain;
  if (leaf === undefined) return 'the gateway showed no certificate';
  if (leaf.ca) return 'the gateway showed an authority in place of its own certificate';
  let below = leaf;
  for (const issuer of above.slice(0, MAX_CHAIN)) {
    if (!issuer.ca || !below.checkIssued(issuer) || !below.verify(issuer.publicKey))
      return 'the certificates of the gateway do not belong together';
    if (pins.includes(pinOf(issuer))) return null;
    below = issuer;
  }
  return 'the certificate of the gateway is not signed by the pinned authority';
}

/** A secured connection; nothing is sent before the gateway has proved who it is. */
export function connectTrusted(
  options: ConnectionOptions,
  trust: GatewayTrust,
  done: (error: Error | null, socket: TLSSocket) => void,
): TLSSocket {
  // the rules of OpenSSL ask for the date; ours follow
  const socket = connect({ ...options, rejectUnauthorized: false, minVersion: 'TLSv1.2' }, () => {
    const wrong = whyUntrusted(chainShown(socket), trust);
    if (wrong === null) return done(null, socket);
    const error = new Error(wrong);
    socket.destroy();
    done(error, socket);
  });
  return socket;
}

/** For mqtt.js, which speaks at once: its words wait here until the gateway has proved who it is. */
export function trustedStream(url: URL, trust: GatewayTrust): Duplex {
  const [ours, inner] = duplexPair();
  const fail = (error: Error) => void ours.destroy(error);
  const options = { host: hostOf(url), port: Number(url.port) || 8883 };
  const socket = connectTrusted(options, trust, (error) => {
    if (error !== null) return fail(error);
    socket.setNoDelay(true);
    inner.pipe(socket);
    socket.pipe(inner);
  });
  socket.on('error', fail);
  socket.on('close', () => ours.destroy());
  ours.on('close', () => {
    inner.destroy();
    socket.destroy();
  });
  inner.on('error', () => socket.destroy());
  return ours;
}

/** For HTTP: every connection of it proves who the gateway is before a request is sent. */
export function trustedAgent(options: AgentOptions, trust: GatewayTrust): Agent {
  const agent = new Agent(options);
  agent.createConnection = (asked, callback) => {
    // what an agent asks for is what a TLS connection takes; a resumed session would not show the whole chain
    const to = { ...(asked as ConnectionOptions), session: undefined };
    const state = { isTold: false };
    const tell = (error: Error | null, socket: TLSSocket) => {
      if (state.isTold) return;
      state.isTold = true;
      callback?.(error, socket);
    };
    const socket = connectTrusted(to, trust, tell);
    socket.once('error', (error) => tell(error, socket));
    return undefined;
  };
  return agent;
}

const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '');

const pinOf = ({ publicKey }: X509Certificate): string =>
  createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64');

/** Leaf first. Node links each certificate to the one that issued it, and a root to itself. */
function chainShown(socket: TLSSocket): X509Certificate[] {
  const chain: X509Certificate[] = [];
  let at: Partial<DetailedPeerCertificate> | undefined = socket.getPeerCertificate(true);
  while (at?.raw !== undefined && chain.length <= MAX_CHAIN) {
    chain.push(new X509Certificate(at.raw));
    if (at.issuerCertificate === at) break;
    at = at.issuerCertificate;
  }
  return chain;
}
