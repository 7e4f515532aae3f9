import { connect, type Socket } from 'node:net';
import { createTransport } from 'nodemailer';
import type SMTPPool from 'nodemailer/lib/smtp-pool/index.js';
import type { SendLetter } from '#core/notifying.ts';
import type { Outcome, Outgoing, Send } from '#features/alarms/delivery/ports.ts';

const CONNECTIONS = 4;
const CONNECT_WITHIN_MS = 10_000;
const ANSWER_WITHIN_MS = 20_000;
/** Of one mail as a whole: a server that sends a byte now and then is never silent, and never done. Below the lease of a letter. */
const MAIL_WITHIN_MS = 100_000;

export type MailSender = {
  send: Send;
  /** A letter of its own, outside the outbox of channels. */
  sendLetter: SendLetter;
  close: () => void;
};

/**
 * Sends through the mail server of the instance, over a few connections that are kept.
 *
 * A `smtp://` address with a user is spoken to only after STARTTLS: else whoever stands between reads its password by
 * leaving that word out of the server's greeting. `?ignoreTLS=true` in the address sends it in the clear all the same.
 */
export function mailSender({
  url,
  from,
  mailWithinMs = MAIL_WITHIN_MS,
}: {
  url: string;
  from: string | null;
  mailWithinMs?: number;
}): MailSender {
  const lines = new Set<Socket>();
  const transport = createTransport({
    url,
    pool: true,
    maxConnections: CONNECTIONS,
    greetingTimeout: CONNECT_WITHIN_MS,
    socketTimeout: ANSWER_WITHIN_MS,
    requireTLS: takesPasswordInTheClear(url) && !saysInTheClear(url),
    getSocket: (server: SMTPPool.Options, answer: TakeLine) => openLine(server, lines, answer),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const sender = from ?? senderOf(url);
  const domain = /@([^\s<>@]+)>?$/.exec(sender)?.[1] ?? 'farm.invalid';

  /** Ends with the mail taken, with the server's refusal, when `stop` is raised, or after its time at the latest. */
  async function mail(letter: SMTPPool.MailOptions, stop?: AbortSignal): Promise<void> {
    const { promise: cut, reject } = Promise.withResolvers<never>();
    const stopped = () => reject(new Error('stopped'));
    stop?.addEventListener('abort', stopped, { once: true });
    const late = setTimeout(() => {
      // which line this mail went over only the pool knows: what went over the others is tried again
      for (const line of lines) line.destroy();
      reject(new Error('no end of the answer'));
    }, mailWithinMs);
    try {
      await Promise.race([transport.sendMail(letter), cut]);
    } finally {
      clearTimeout(late);
      stop?.removeEventListener('abort', stopped);
    }
  }

  return {
    async send(message, stop) {
      try {
        await mail(mailOf(message, { sender, domain }), stop);
        return { is: 'sent' };
      } catch (error) {
        if (stop.aborted) throw error;
        return outcomeOf(error);
      }
    },
    async sendLetter({ id, to, subject, text }) {
      const messageId = `<${id}@${domain}>`;
      try {
        await mail({ from: sender, to: { name: '', address: to }, subject, text, messageId });
        return { is: 'sent' };
      } catch (error) {
        const outcome = outcomeOf(error);
        return { ...outcome, is: outcome.is === 'refused' ? 'refused' : 'retry' };
      }
    },
    close: () => transport.close(),
  };
}

function takesPasswordInTheClear(url: string): boolean {
  const { protocol, username } = new URL(url);
  return protocol === 'smtp:' && username !== '';
}

function saysInTheClear(url: string): boolean {
  return new URL(url).searchParams.get('ignoreTLS') === 'true';
}

type TakeLine = (error: Error | null, line: { connection: Socket }) => void;

/** Opens a connection to the mail server and keeps it in `lines` while it is open, so that it can be cut. */
function openLine({ host, port, secure }: SMTPPool.Options, lines: Set<Socket>, answer: TakeLine): void {
  const line = connect({ host: host ?? 'localhost', port: Number(port ?? (secure === true ? 465 : 587)) });
  lines.add(line);
  line.once('close', () => lines.delete(line));
  const failed = (error: Error) => {
    clearTimeout(late);
    answer(error, { connection: line });
  };
  const late = setTimeout(() => line.destroy(new Error('no connection')), CONNECT_WITHIN_MS);
  line.once('error', failed);
  line.once('connect', () => {
    clearTimeout(late);
    line.off('error', failed);
    answer(null, { connection: line });
  });
}

/** The user of the mail server is nearly always an address it may send from. */
function senderOf(url: string): string {
  const { username, hostname } = new URL(url);
  const user = decodeURIComponent(username);
  return user.includes('@') ? user : `${user === '' ? 'farm' : user}@${hostname}`;
}

function mailOf(message: Outgoing, { sender, domain }: { sender: string; domain: string }) {
  return {
    from: sender,
    to: { name: '', address: message.address },
    subject: message.title,
    text: `${message.text.join('\n\n')}\n`,
    messageId: `<${message.id}@${domain}>`,
    date: new Date(message.at),
    ...(message.isCritical ? { priority: 'high' as const } : {}),
    headers: {
      // so that absence notes do not answer
      'Auto-Submitted': 'auto-generated',
      'X-Delivery-Id': message.id,
    },
  };
}

type SmtpError = { code?: unknown; responseCode?: unknown; command?: unknown; response?: unknown };

/**
 * What a mail server says of the address or the message for good (5xx) ends it. Everything else is a matter between
 * this instance and its mail server, or passes.
 */
function outcomeOf(error: unknown): Extract<Outcome, { is: 'refused' | 'retry' | 'unreachable' }> {
  // errors of nodemailer carry these
  const { code, responseCode, command, response } = error as SmtpError;
  // for example letters that the mail server cannot carry in an address
  if (code === 'EENVELOPE' && typeof responseCode !== 'number')
    return { is: 'refused', why: 'the mail server cannot write to this address' };
  // what the mail server says of its own user is for the operator, not for the reader
  if (code === 'EAUTH') return { is: 'unreachable', why: 'the mail server does not accept this instance' };
  if (typeof responseCode !== 'number')
    return {
      is: 'unreachable',
      why: `the mail server cannot be reached (${typeof code === 'string' ? code : 'no answer'})`,
    };
  const said = typeof response === 'string' ? `: ${response.replace(/\s+/g, ' ').slice(0, 200)}` : '';
  const isOfThisMail = command === 'RCPT TO' || command === 'DATA' || code === 'EMESSAGE';
  if (responseCode >= 500 && isOfThisMail) return { is: 'refused', why: `the mail server refused it${said}` };
  return { is: 'retry', why: `the mail server did not take it${said}` };
}
