import { createServer, type Server, type Socket } from 'node:net';
import { createSecureContext, type SecureContext, TLSSocket } from 'node:tls';
import type { ServerRecord } from '#features/system/trust/ports.ts';
import type { GateRefusal, HandshakeGate } from './handshake-gate.ts';

export type TlsRefusal = GateRefusal | 'tls_errors';

export type TlsServerDeps = {
  gate: HandshakeGate;
  /** What the next handshake shows; null: there is no certificate now, and nobody is let in. */
  context: () => SecureContext | null;
};

export type TlsListener = {
  /** False: this address may not open a connection now. Counted by who answers. */
  mayOpen: (source: string) => boolean;
  /** The handshake is done; `stream` carries what is said within it. */
  accept: (stream: TLSSocket, source: string) => void;
  refused: (why: TlsRefusal, source: string) => void;
};

/** What both sides speak: TLS 1.2 with forward secrecy and authenticated ciphers, or 1.3. */
const POLICY = {
  minVersion: 'TLSv1.2',
  ciphers: [
    'TLS_AES_128_GCM_SHA256',
    'TLS_AES_256_GCM_SHA384',
    'TLS_CHACHA20_POLY1305_SHA256',
    'ECDHE-ECDSA-AES128-GCM-SHA256',
    'ECDHE-ECDSA-AES256-GCM-SHA384',
    'ECDHE-ECDSA-CHACHA20-POLY1305',
  ].join(':'),
  // what small controllers can compute; larger groups only cost both sides
  ecdhCurve: 'X25519:prime256v1',
  honorCipherOrder: true,
  sessionIdContext: 'farm',
} as const;
/** A controller that was away for a night resumes; the keys of the tickets change with the certificate. */
const SESSION_S = 24 * 3_600;
const MAX_CONNECTIONS = 10_000;

/** Throws when key and certificate are not what they should be. */
export function secureContextOf(record: ServerRecord): SecureContext {
  return createSecureContext({
    ...POLICY,
    key: record.key,
    cert: [record.certificate, ...record.chain].join(''),
    ticketKeys: Buffer.from(record.ticket_key, 'base64'),
    sessionTimeout: SESSION_S,
  });
}

/**
 * A server that hands on connections once they are secured. The certificate is looked up for each handshake, so a new one
 * counts from the next connection on. It does not listen yet.
 */
export function createTlsServer({ gate, context }: TlsServerDeps, hear: TlsListener): Server {
  const unsecured = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    // a peer that goes away in the middle is nobody's fault
    socket.on('error', () => {});
    const source = sourceOf(socket);
    if (!hear.mayOpen(source)) {
      socket.destroy();
      return;
    }
    unsecured.add(socket);
    socket.once('close', () => unsecured.delete(socket));
    gate.admit({
      socket,
      source,
      refused: (why) => hear.refused(why, source),
      begin: (over) => {
        const shown = context();
        if (shown === null) {
          socket.destroy();
          over();
          return;
        }
        const done = () => {
          unsecured.delete(socket);
          over();
        };
        secure(socket, shown, { source, over: done, hear });
      },
    });
  });
  server.maxConnections = MAX_CONNECTIONS;
  // who closes the port knows the secured connections, and must not wait for those that never became one
  const close = server.close.bind(server);
  server.close = (closed) => {
    for (const socket of unsecured) socket.destroy();
    return close(closed);
  };
  return server;
}

function secure(
  socket: Socket,
  secureContext: SecureContext,
  { source, over, hear }: { source: string; over: () => void; hear: TlsListener },
): void {
  const secured = new TLSSocket(socket, { isServer: true, secureContext });
  const state = { isOver: false, isSecured: false };
  const end = () => {
    if (state.isOver) return;
    state.isOver = true;
    over();
  };
  secured.on('error', () => secured.destroy());
  // what the TLS layer finds wrong is told under this name, and leaves the socket open
  secured.on('_tlsError', () => secured.destroy());
  secured.once('secure', () => {
    state.isSecured = true;
    end();
    hear.accept(secured, source);
  });
  secured.once('close', () => {
    if (!state.isSecured) hear.refused('tls_errors', source);
    end();
  });
}

/** `::ffff:192.168.1.7` is 192.168.1.7. */
const sourceOf = ({ remoteAddress }: Socket): string => remoteAddress?.replace(/^::ffff:/, '') ?? 'unknown';
