import * as z from 'zod';
import { ownId, pageQuery, timeOfDay, warnings, wordOf } from '../fields.ts';
import type { NoticeSubject } from '../notice-subject.ts';
import { defineResource, instant, uuid } from '../resource.ts';
import { NOTIFICATION_TYPES, type NotificationType, SEVERITIES } from '../words.ts';
import { timezone } from './farms.ts';
import { email } from './users.ts';

export const CHANNEL_KINDS = ['EMAIL', 'WEB_PUSH', 'WEBHOOK', 'SMS'] as const;
export type ChannelKind = (typeof CHANNEL_KINDS)[number];

/** What can be done from a notification itself. */
export const PUSH_ACTIONS = ['ACKNOWLEDGE', 'TURN_ON'] as const;
export type PushAction = (typeof PUSH_ACTIONS)[number];

/** Where a person wants notifications besides the list: opt-in, by type and severity. */
export const notificationChannel = defineResource({
  name: 'notification_channels',
  entity: 23,
  sync: 'editable',
  row: z.object({
    id: uuid,
    user_id: uuid,
    kind: z.enum(CHANNEL_KINDS),
    /** Mail address, push endpoint, URL or number of a phone. */
    address: z.string(),
    /**
     * Public keys of a push subscription (`p256dh`, `auth`), the login of the browser that has it (`login`) and the version
     * of the password it came with (`password_version`); of a webhook which of its secrets holds (`generation`).
     */
    keys: z.record(z.string(), z.string()).nullable(),
    types: z.array(z.enum(NOTIFICATION_TYPES)),
    /** Alerts below it stay in the list. */
    min_severity: z.enum(SEVERITIES),
    /** Wall time between which only what is critical comes; both or neither. */
    quiet_from: timeOfDay.nullable(),
    quiet_to: timeOfDay.nullable(),
    timezone: z.string(),
    is_active: z.boolean(),
    /** null: the address has not been confirmed; nothing is sent but the confirmation. */
    verified_at: instant.nullable(),
    created_at: instant,
    updated_at: instant.nullable(),
  }),
  groups: {
    address: { fields: ['address', 'keys', 'verified_at'] },
    wishes: { fields: ['types', 'min_severity', 'quiet_from', 'quiet_to', 'timezone', 'is_active'] },
  },
  parents: { users: 'user_id' },
});

const ofP256 = (text: string): boolean => /^[\w-]+=*$/.test(text) && text.replace(/=+$/, '').length === 87;
const ofSecret = (text: string): boolean => /^[\w-]+=*$/.test(text) && text.replace(/=+$/, '').length === 22;

/** What `PushManager.subscribe` answers in a browser, as JSON. */
const pushSubscription = z.object({
  endpoint: z.string().trim().min(1).max(2_000),
  keys: z.object({
    p256dh: z.string().max(200).refine(ofP256, { message: 'must be a P-256 public key in base64url' }),
    auth: z.string().max(100).refine(ofSecret, { message: 'must be 16 bytes in base64url' }),
  }),
});

/** In full with its country, as E.164 has it; blanks, dots, dashes and brackets are passed over. */
export const phoneNumber = z
  .string()
  .trim()
  .max(40)
  .transform((text) => text.replace(/[\s().-]/g, ''))
  .refine((text) => /^\+[1-9]\d{7,14}$/.test(text), {
    message: 'must be a phone number with its country, for example +55 85 91234-5678',
  })
  .meta({ override: { type: 'string', maxLength: 40 } });

const webAddress = z.string().trim().min(1).max(2_000);
const wishes = {
  types: z.array(wordOf(NOTIFICATION_TYPES)).min(1).max(NOTIFICATION_TYPES.length),
  min_severity: wordOf(SEVERITIES),
  quiet_from: timeOfDay.nullable().describe('Nothing but what is critical (HIGH) comes from then …'),
  quiet_to: timeOfDay.nullable().describe('… to then, on the wall clock of timezone'),
  timezone,
};
const chosen = {
  id: ownId,
  types: wishes.types.default(['ALERT', 'SYSTEM']),
  min_severity: wishes.min_severity.default('LOW').describe('Alerts below it stay in the list'),
  quiet_from: wishes.quiet_from.optional(),
  quiet_to: wishes.quiet_to.optional(),
  timezone: wishes.timezone.optional().describe('By default that of the first farm of the caller'),
};

/** POST /notification-channels */
export const channelCreate = z.discriminatedUnion('kind', [
  z.object({ ...chosen, kind: z.literal('EMAIL'), address: email }),
  z.object({ ...chosen, kind: z.literal('WEB_PUSH'), subscription: pushSubscription }),
  z.object({ ...chosen, kind: z.literal('WEBHOOK'), address: webAddress.describe('https URL') }),
  z.object({
    ...chosen,
    kind: z.literal('SMS'),
    address: phoneNumber,
    types: wishes.types.default(['ALERT']),
    min_severity: wishes.min_severity.default('HIGH').describe('Alerts below it stay in the list'),
  }),
]);
export type ChannelCreate = z.infer<typeof channelCreate>;

/** PATCH /notification-channels/{id}; `subscription` for a push channel, `address` for the others. */
export const channelUpdate = z.object({
  types: wishes.types.optional(),
  min_severity: wishes.min_severity.optional(),
  quiet_from: wishes.quiet_from.optional(),
  quiet_to: wishes.quiet_to.optional(),
  timezone: wishes.timezone.optional(),
  is_active: z.boolean().optional(),
  address: webAddress
    .optional()
    .describe('A new address of an e-mail or SMS channel has to be confirmed again'),
  subscription: pushSubscription.optional(),
});
export type ChannelUpdate = z.infer<typeof channelUpdate>;

export const channelConfirm = z.object({ code: z.string().trim().min(1).max(20) });

export const CHANNEL_STATES = ['UNCONFIRMED', 'OFF', 'WAITING', 'FAILING', 'OK'] as const;
export type ChannelState = (typeof CHANNEL_STATES)[number];

export const channelAnswer = z.object({
  id: z.uuid(),
  kind: z.enum(CHANNEL_KINDS),
  address: z.string(),
  types: z.array(z.enum(NOTIFICATION_TYPES)),
  min_severity: z.enum(SEVERITIES),
  quiet_from: z.string().nullable(),
  quiet_to: z.string().nullable(),
  timezone: z.string(),
  is_active: z.boolean(),
  verified_at: z.string().nullable(),
  state: z
    .enum(CHANNEL_STATES)
    .describe('FAILING: the last one was given up; WAITING: the last one could not be sent yet'),
  pending: z.int().describe('How many are still to be sent'),
  last_sent_at: z.string().nullable(),
  last_error: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string().nullable(),
  secret: z.string().optional().describe('Of a webhook, shown when it is made and when it is rotated'),
  warnings,
});
export type ChannelAnswer = z.infer<typeof channelAnswer>;

/** GET /notification-channels/{id}/deliveries */
export const deliveryQuery = pageQuery.extend({ state: wordOf(['PENDING', 'SENT', 'DEAD']).optional() });

export const deliveryAnswer = z.object({
  id: z.uuid().describe('What is sent bears it, so that what came twice can be told'),
  purpose: z.enum(['NOTICE', 'SUMMARY', 'TEST', 'CONFIRMATION']),
  notification_id: z.uuid().nullable(),
  state: z.enum(['PENDING', 'SENT', 'DEAD']).describe('DEAD: it was given up, last_error says why'),
  attempts: z.int(),
  next_at: z.string().nullable().describe('Of a PENDING one: not before'),
  last_error: z.string().nullable(),
  created_at: z.string(),
  done_at: z.string().nullable(),
});
export type DeliveryAnswer = z.infer<typeof deliveryAnswer>;

export const vapidKey = z.object({
  public_key: z.string().describe('applicationServerKey for PushManager.subscribe'),
});

/** What a browser gets, sealed so that only it can read it; the console's service worker shows it. */
export type PushMessage = {
  /** Of the delivery. */
  id: string;
  title: string;
  body: string;
  /** Language of both. */
  lang: string;
  critical: boolean;
  /** A newer message with the same one takes the place of the older on the screen. */
  tag: string;
  type: NotificationType | null;
  notification_id: string | null;
  farm_id: string | null;
  alert_id: string | null;
  /** What a press on it opens; gateways of before say nothing. */
  subject?: NoticeSubject | null;
  /** What the person may do from it; at most two, which is what phones show. */
  actions: readonly OfferedAction[];
};

export type OfferedAction = {
  action: PushAction;
  /** Opens this one thing, once, from this browser. */
  token: string;
  /** What a TURN_ON turns on. */
  name: string | null;
};

/** POST /push-actions */
export const pushActionInput = z.object({
  token: z.string().min(1).max(100).describe('From the notification'),
  endpoint: z.string().trim().min(1).max(2_000).describe('Of the push subscription of this browser'),
});

export const pushActionAnswer = z.object({
  action: z.enum(PUSH_ACTIONS),
  alert_id: z.uuid(),
  control_point_id: z.uuid().nullable().describe('What was turned on'),
  order_id: z.uuid().nullable(),
  is_on_its_way: z
    .boolean()
    .describe('The order went to the gateway of the farm, and is void unless it gets there in time'),
});
export type PushActionAnswer = z.infer<typeof pushActionAnswer>;
