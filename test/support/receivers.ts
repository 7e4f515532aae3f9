import { createDecipheriv, createECDH, createHmac, type ECDH, hkdfSync, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

// What stands at the other end of a channel: real servers on real sockets.

export type Mail = { to: string; subject: string; text: string; headers: string; messageId: string };

/** A mail server. `refuse` answers the SMTP answer to a recipient, or null to take the mail. */
export async function smtpReceiver(
  refuse: (address: string) => { code: number; text: string } | null = () => null,
) {
  const mails: Mail[] = [];
  const options: SMTPServerOptions = {
    authOptional: true,
    allowInsecureAuth: true,
    onAuth: (_auth, _session, answer) => answer(null, { user: 'farm' }),
    disabledCommands: ['STARTTLS'],
    // nobody is asked who 127.0.0.1 is: a machine without a network waits for that
    disableReverseLookup: true,
    onRcptTo({ address }, _session, answer) {
      const refusal = refuse(address);
      answer(
        refusal === null ? null : Object.assign(new Error(refusal.text), { responseCode: refusal.code }),
      );
    },
    onData(stream, session, answer) {
      buffer(stream).then((raw) => {
        mails.push(mailIn(raw.toString('utf8'), session.envelope.rcptTo[0]?.address ?? ''));
        answer();
      }, answer);
    },
  };
  const server = new SMTPServer(options);
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    mails,
    url: `smtp://avisos%40farm.test:mail-password@127.0.0.1:${port}/?ignoreTLS=true`,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

function mailIn(raw: string, to: string): Mail {
  const [head = '', ...rest] = raw.split('\r\n\r\n');
  const headers = head.replace(/\r\n[ \t]+/g, ' ');
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(headers)?.[1] ?? '';
  const body = rest.join('\r\n\r\n');
  const encoding = header('Content-Transfer-Encoding').toLowerCase();
  const text =
    encoding === 'base64'
      ? Buffer.from(body, 'base64').toString('utf8')
      : encoding === 'quoted-printable'
        ? quotedPrintable(body)
        : body;
  return {
    to,
    subject: encodedWords(header('Subject')),
    text: text.replaceAll('\r\n', '\n'),
    headers,
    messageId: header('Message-ID'),
  };
}

function quotedPrintable(text: string): string {
  const bytes = text
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

function encodedWords(text: string): string {
  return text
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([QB])\?([^?]*)\?=/gi, (_, how: string, word: string) =>
      how.toUpperCase() === 'B'
        ? Buffer.from(word, 'base64').toString('utf8')
        : quotedPrintable(word.replaceAll('_', ' ')),
    );
}

export type Posted = { headers: IncomingMessage['headers']; body: Buffer; path: string };

/** A web server. `answer` may say something else than 204 to a request. */
export async function webReceiver(
  answer: (posted: Posted, response: ServerResponse) => void = (_posted, response) =>
    void response.writeHead(204).end(),
) {
  const posts: Posted[] = [];
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      const posted = { headers: request.headers, body, path: request.url ?? '' };
      posts.push(posted);
      answer(posted, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    posts,
    url: `http://127.0.0.1:${port}`,
    port,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

export type WebhookBody = {
  id: string;
  event: string;
  title: string;
  text: string;
  critical: boolean;
  notification: { id: string; type: string; data: Record<string, unknown> } | null;
};

export const webhookBody = ({ body }: Posted): WebhookBody =>
  JSON.parse(body.toString('utf8')) as WebhookBody;

/** True when a webhook was signed with that secret, as its documentation says. */
export function isSigned({ headers, body }: Posted, secret: string): boolean {
  const [, second, given] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['webhook-signature'])) ?? [];
  const right = createHmac('sha256', secret).update(`${second}.`).update(body).digest('hex');
  return given === right;
}

/** A browser that subscribed at this endpoint, and can read what comes there (RFC 8291). */
export function aBrowser(endpoint: string) {
  const keys: ECDH = createECDH('prime256v1');
  keys.generateKeys();
  const auth = randomBytes(16);
  return {
    subscription: {
      endpoint,
      keys: { p256dh: keys.getPublicKey('base64url'), auth: auth.toString('base64url') },
    },
    read: ({ body }: Posted): Record<string, unknown> =>
      JSON.parse(decrypted(body, keys, auth)) as Record<string, unknown>,
  };
}

function decrypted(body: Buffer, keys: ECDH, auth: Buffer): string {
  const salt = body.subarray(0, 16);
  const keyLength = body.readUInt8(20);
  const sender = body.subarray(21, 21 + keyLength);
  const sealed = body.subarray(21 + keyLength);
  const shared = keys.computeSecret(sender);
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), keys.getPublicKey(), sender]);
  const secret = Buffer.from(hkdfSync('sha256', shared, auth, info, 32));
  const key = Buffer.from(hkdfSync('sha256', secret, salt, 'Content-Encoding: aes128gcm\0', 16));
  const nonce = Buffer.from(hkdfSync('sha256', secret, salt, 'Content-Encoding: nonce\0', 12));
  const decipher = createDecipheriv('aes-128-gcm', key, nonce);
  decipher.setAuthTag(sealed.subarray(-16));
  const padded = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
  // the text ends with a delimiter of 2 and zeros
  return padded.subarray(0, padded.lastIndexOf(2)).toString('utf8');
}
