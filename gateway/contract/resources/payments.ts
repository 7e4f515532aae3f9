import * as z from 'zod';
import { longText, wordOf } from '../fields.ts';
import { PLANS } from '../words.ts';

const MAX_URL = 2048;

function isWebAddress(text: string): boolean {
  const url = URL.parse(text);
  // a name and password in an address would end up in the provider's logs
  return (
    url !== null && ['http:', 'https:'].includes(url.protocol) && url.username === '' && url.password === ''
  );
}

/** Where a person is sent back to. Nothing but the web: `javascript:` and the like would run in our page. */
const webAddress = z
  .string()
  .trim()
  .max(MAX_URL)
  .refine(isWebAddress, {
    message: 'must be an http or https address, for example https://farm.example/paid',
  })
  .meta({ override: { type: 'string', format: 'uri', maxLength: MAX_URL } });

export const checkoutInput = z.object({
  plan: wordOf(PLANS).describe(
    'BASIC or PROFESSIONAL; FREE for who has cancelled, at once and without a payment; ENTERPRISE is sold by agreement',
  ),
  success_url: webAddress.describe(
    'Where the page goes once paid; {CHECKOUT_SESSION_ID} stands for the session',
  ),
  cancel_url: webAddress.describe('Where the page goes when the person gives up'),
  currency: wordOf(['USD', 'BRL']).optional().describe('Default: the currency of the subscription'),
});

export const checkoutSession = z.object({ session_id: z.string(), url: z.string() });

export const portalInput = z.object({ return_url: webAddress });
export const portalSession = z.object({ url: z.string() });

export const cancelInput = z.object({
  cancel_at_period_end: z.boolean().default(true),
  reason: longText.nullish(),
});

export const cancelledSubscription = z.object({
  subscription_id: z.string(),
  status: z.enum(['ACTIVE', 'PAST_DUE', 'CANCELED', 'TRIALING']),
  cancel_at_period_end: z.boolean(),
  current_period_end: z.string().nullable(),
  message: z.string(),
});

export const eventReceived = z.object({ received: z.literal(true) });
