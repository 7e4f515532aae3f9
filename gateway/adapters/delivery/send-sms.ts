import type { Outgoing, Send } from '#features/alarms/delivery/ports.ts';
import type { Modem } from '#features/alarms/modem/ports.ts';

const HOUR = 3_600_000;

export type SmsSenderDeps = {
  modem: Pick<Modem, 'sendSms'>;
  now: () => number;
  /** Most messages an hour to one person. */
  perHour: number;
  /** When SMS of that time to the person behind this delivery were sent, ms, oldest first. */
  sentBetween: (deliveryId: string, time: { from: number; to: number }) => Promise<number[]>;
};

/** Sends by the modem of the box, no more to one person than a phone, and a bill, can take. */
export function smsSender(deps: SmsSenderDeps): Send {
  return async (message, stop) => {
    stop.throwIfAborted();
    const now = deps.now();
    const sent = await deps.sentBetween(message.id, { from: now - HOUR, to: now });
    const oldest = sent.at(-deps.perHour);
    if (sent.length >= deps.perHour && oldest !== undefined) {
      const afterMs = Math.max(60_000, oldest + HOUR - now);
      const why = `${deps.perHour} SMS were sent to this person within the hour`;
      return { is: 'later', of: 'channel', why, afterMs };
    }
    const outcome = await deps.modem.sendSms({
      id: message.id,
      number: message.address,
      text: textOf(message),
    });
    return outcome.is === 'sent' ? { is: 'sent' } : outcome;
  };
}

function textOf({ purpose, title, text }: Pick<Outgoing, 'purpose' | 'title' | 'text'>): string {
  // a code says it all, and its explanation would be a second message; of all else the text repeats its title
  if (purpose === 'CONFIRMATION' || text.length === 0) return title;
  return text.map((part) => (/[.!?:]$/.test(part) ? part : `${part}.`)).join(' ');
}
