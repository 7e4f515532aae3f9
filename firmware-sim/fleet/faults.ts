import * as z from 'zod';
import { SWITCH_STATES } from '#contract/words.ts';

// Everything that can go wrong on the simulated farm, as data.

const seconds = z
  .number()
  .min(0)
  .max(86_400 * 365);
const share = z.number().min(0).max(1);

/** Which controllers: all, one feeder, a share chosen by the seed, or by device id. */
export const faultTarget = z.union([
  z.literal('all'),
  z.strictObject({ feeder: z.string().min(1) }),
  z.strictObject({ share }),
  z.array(z.string().min(1)).min(1),
]);
export type FaultTarget = z.infer<typeof faultTarget>;

const on = faultTarget.default('all');

export const fault = z.discriminatedUnion('kind', [
  /** `silent`: sockets stay open, as after a real cut, and the gateway has to find out by itself. */
  z.strictObject({
    kind: z.literal('power_cut'),
    on,
    for_s: seconds.optional(),
    silent: z.boolean().default(false),
  }),
  z.strictObject({ kind: z.literal('power_return'), on }),
  z.strictObject({ kind: z.literal('reboot'), on }),
  z.strictObject({ kind: z.literal('mains_fail'), on, for_s: seconds.optional() }),
  z.strictObject({ kind: z.literal('mains_return'), on }),
  z.strictObject({ kind: z.literal('relay_stuck'), on, at: z.enum(SWITCH_STATES) }),
  z.strictObject({ kind: z.literal('breaker_trip'), on }),
  z.strictObject({ kind: z.literal('hand_switch'), on, position: z.enum(['AUTO', 'ON', 'OFF']) }),
  z.strictObject({ kind: z.literal('clock_skew'), on, skew_s: z.number() }),
  z.strictObject({ kind: z.literal('loss'), on, share }),
  z.strictObject({ kind: z.literal('duplicate'), on, share }),
  z.strictObject({ kind: z.literal('delay'), on, min_ms: z.number().min(0), max_ms: z.number().min(0) }),
  z.strictObject({ kind: z.literal('half_open'), on }),
  z.strictObject({ kind: z.literal('network_down'), on, for_s: seconds.optional() }),
  z.strictObject({ kind: z.literal('network_up'), on }),
  /** Everything repaired: power, network, relay, breaker, clock, hand switch. */
  z.strictObject({ kind: z.literal('heal'), on }),
]);
export type Fault = z.infer<typeof fault>;
/** As a caller writes it: without `on` it strikes the whole farm. */
export type FaultInput = z.input<typeof fault>;
