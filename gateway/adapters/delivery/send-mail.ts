import { createTransport } from 'nodemailer';
import type { SendLetter } from '#core/notifying.ts';
import type { Outcome, Outgoing, Send } from '#features/alarms/delivery/ports.ts';

const CONNECTIONS = 4;
const CONNECT_WITHIN_MS = 10_000;
const ANSWER_WITHIN_MS = 20_000;

export type MailSender = {
  send: Send;
  /** A letter of its own, outside the outbox of channels. */
  sendLetter: SendLetter;
  close: () => void;
};

/** Sends through the mail server of the instance, over a few connections that are kept. */
export function mailSender({ url, from }: { url: string; from: string | null }): MailSender {
  const transport = createTransport({
    url,
    pool: true,
    maxConnections: CONNECTIONS,
    connectionTimeout: CONNECT_WITHIN_MS,
    greetingTimeout: CONNECT_WITHIN_MS,
    dnsTimeout: CONNECT_WITHIN_MS,
    socketTimeout: ANSWER_WITHIN_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const sender = from ?? senderOf(url);
  const domain = /@([^\s<>@]+)>?$/.exec(sender)?.[1] ?? 'farm.invalid';
  return {
    async send(message, stop) {
      const { promise: stopped, reject } = Promise.withResolvers<never>();
      const cut = () => reject(new Error('stopped'));
      stop.addEventListener('abort', cut, { once: true });
      try {
        await Promise.race([transport.sendMail(mailOf(message, { sender, domain })), stopped]);
        return { is: 'sent' };
      } catch (error) {
        if (stop.aborted) throw error;
        return outcomeOf(error);
      } finally {
        stop.removeEventListener('abort', cut);
      }
    },
    async sendLetter({ id, to, subject, text }) {
      const messageId = `<${id}@${domain}>`;
      try {
        await transport.sendMail({ from: sender, to: { name: '', address: to }, subject, text, messageId });
        return { is: 'sent' };
      } catch (error) {
        const outcome = outcomeOf(error);
        return { ...outcome, is: outcome.is === 'refused' ? 'refused' : 'retry' };
      }
    },
    close: () => transport.close(),
  };
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
      why: `the mail server cannot be reached (${typeof code === 'string' ? code : 'unknown'})`,
    };
  const said = typeof response === 'string' ? `: ${response.replace(/\s+/g, ' ').slice(0, 200)}` : '';
  const isOfThisMail = command === 'RCPT TO' || command === 'DATA' || code === 'EMESSAGE';
  if (responseCode >= 500 && isOfThisMail) return { is: 'refused', why: `the mail server refused it${said}` };
  return { is: 'retry', why: `the mail server did not take it${said}` };
}
