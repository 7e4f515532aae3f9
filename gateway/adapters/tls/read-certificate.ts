import { createHash, createPrivateKey, X509Certificate } from 'node:crypto';
import type { CertificateFacts } from '#features/system/trust/ports.ts';
import { isLimited } from './name-limits.ts';

/** What stands in a certificate. Throws for what is none. */
export function certificateFacts(pem: string): CertificateFacts {
  const certificate = new X509Certificate(pem);
  return {
    pin: createHash('sha256')
      .update(certificate.publicKey.export({ type: 'spki', format: 'der' }))
      .digest('base64'),
    fingerprint: certificate.fingerprint256,
    notBefore: certificate.validFromDate.getTime(),
    notAfter: certificate.validToDate.getTime(),
    isLimited: isLimited(pem),
  };
}

/** True when the private key belongs to the certificate; false also for what is no key or no certificate. */
export function isPairOf({ certificate, key }: { certificate: string; key: string }): boolean {
  try {
    return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));
  } catch {
    // unreadable: whoever asks says so
    return false;
  }
}
