import type { Controller } from './device-link.ts';

// The border between the broker and relays of the trade (Tasmota, Shelly). They come in by the same door as our own
// controllers, with a key of their own, and then speak a protocol of their own. The broker knows neither.

/** A knock at the broker that was not let in, as far as it tells who knocked. */
export type Knock = {
  clientId: string;
  username: string;
  will: { topic: string; payload: string } | null;
  source: string;
  reason: 'unknown' | 'wrong_key';
};

/** What the broker asks and tells about relays. All of it is answered from memory, at once. */
export type RelayDesk = {
  /** True when who has that name speaks a protocol of the trade. */
  isRelay: (mqttId: string) => boolean;
  maySubscribe: (mqttId: string, filter: string) => boolean;
  /** It subscribed, so from now on it hears what is sent there. */
  subscribed: (controller: Controller, filter: string) => void;
  /**
   * Every message of a relay. `ignored`: nothing of it is of use here. A promise when something is to be on disk
   * before the message is acknowledged.
   */
  hear: (controller: Controller, topic: string, payload: Buffer) => Promise<void> | undefined | 'ignored';
  knocked: (knock: Knock) => void;
};

/** Sends to whoever subscribed, now; never retained, for a broker must not switch a motor after a reconnect. */
export type SendToRelay = (topic: string, payload: string) => void;
