import type { ModemState } from '#contract/resources/modem.ts';

/** How the GSM modem stands; instants are ms since 1970. */
export type ModemFacts = {
  state: ModemState;
  port: string;
  model: string | null;
  operator: string | null;
  /** null: not told. */
  signalDbm: number | null;
  isRoaming: boolean;
  sent: number;
  failed: number;
  /** Delivery reports of the network: arrived at the phone, and given up. */
  arrived: number;
  undelivered: number;
  /** What the modem or the port said last when something failed, in their own words. */
  lastError: string | null;
  checkedAt: number | null;
};

/** A modem that does not take an SMS: state says why. */
export type SmsOutcome =
  | { is: 'sent'; parts: number }
  | { is: 'retry'; why: string }
  | { is: 'unreachable'; why: string }
  | { is: 'refused'; why: string };

export type Modem = {
  facts: () => ModemFacts;
  /** Opens the port where it is not open, and asks how SIM, network and signal stand. Never throws. */
  look: () => Promise<void>;
  /** Sends a text, in several messages where it is long; `id` lets a second try go on where the first ended. */
  sendSms: (sms: { id: string; number: string; text: string }) => Promise<SmsOutcome>;
  close: () => Promise<void>;
};
