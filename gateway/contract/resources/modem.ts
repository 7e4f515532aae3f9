import * as z from 'zod';

export const MODEM_STATES = [
  'off',
  'starting',
  'ready',
  'no_port',
  'port_busy',
  'port_denied',
  'silent',
  'no_sim',
  'needs_pin',
  'pin_wrong',
  'puk',
  'no_network',
] as const;
export type ModemState = (typeof MODEM_STATES)[number];

/** GET /system/modem */
export const modemAnswer = z.object({
  state: z.enum(MODEM_STATES).describe('off: this gateway was started without --modem'),
  message: z.string().describe('What that means, in the language of the request'),
  next: z.string().nullable().describe('What to do about it; null: nothing'),
  port: z.string().nullable(),
  model: z.string().nullable(),
  operator: z.string().nullable(),
  signal_dbm: z.int().nullable().describe('-51 the best, below -105 messages may not get out'),
  is_roaming: z.boolean(),
  sent: z.int().describe('SMS the network took since the start'),
  failed: z.int(),
  arrived: z.int().describe('Reports of the network that a phone has it'),
  undelivered: z.int().describe('Reports of the network that it gave up'),
  sms_per_hour: z.int().describe('Most messages an hour to one person'),
  last_error: z.string().nullable(),
  checked_at: z.string().nullable(),
});
export type ModemAnswer = z.infer<typeof modemAnswer>;
