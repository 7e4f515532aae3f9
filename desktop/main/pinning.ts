import { createHash, X509Certificate } from 'node:crypto';
import type { Session } from 'electron';

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
