import type { RequestHandler } from 'express';

/** Certificates as PEM, the one that signs first; null while there is none. */
export type Authorities = () => readonly string[] | null;

const NONE = 'This instance has no certificate authority\n';

/** GET /ca.pem: all authorities in force, for programs and controllers. */
export function authorityBundle(authorities: Authorities): RequestHandler {
  return (_request, response) => {
    const pems = authorities();
    if (pems === null) response.status(404).type('text/plain').send(NONE);
    else response.type('application/x-pem-file').send(pems.join(''));
  };
}

/** GET /ca.crt: the authority that signs, in the form in which phones and Windows take it by a tap. */
export function authorityForPhones(authorities: Authorities): RequestHandler {
  return (_request, response) => {
    const [signing] = authorities() ?? [];
    if (signing === undefined) {
      response.status(404).type('text/plain').send(NONE);
      return;
    }
    const der = Buffer.from(signing.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64');
    response.setHeader('Content-Disposition', 'attachment; filename="farm-authority.crt"');
    response.type('application/x-x509-ca-cert').send(der);
  };
}
