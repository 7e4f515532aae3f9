import * as z from 'zod';
import { defineResource, instant, uuid } from '../resource.ts';
import { CHANNEL_KINDS, PUSH_ACTIONS } from './notification-channels.ts';

// Tables that never leave this instance.

/** Single values of the instance: secrets, the time floor, the epoch of targets. */
export const instanceValue = defineResource({
  name: 'instance_values',
  sync: 'local',
  row: z.object({ id: z.string(), value: z.string() }),
});

/** Ids of notes of farms that were taken off a gateway: on a hosted instance of a stream, on a gateway its own (`here`). */
export const movedPrefix = (of: number | 'here'): string => `farm_moved:${of}:`;

/** The ids of all of them, as a range like movedRange. */
export const MOVED_FROM_ANY = ['farm_moved:', 'farm_moved;'] as const;

/** The same as a range, which both engines find by the key: ';' follows ':', the last character of the prefix. */
export function movedRange(of: number | 'here'): [from: string, before: string] {
  const prefix = movedPrefix(of);
  return [prefix, `${prefix.slice(0, -1)};`];
}

/** Schema of what both sides knew when everything was last told anew; id in instance_values of a gateway. */
export const TOLD_AS_OF = 'sync_told_as_of';

/** Id of the note that a gateway compared everything while a farm of its stream was taken off it. */
export const comparedWithout = (streamId: number): string => `compared_without_farm:${streamId}`;

/** Id of the note, on a hosted instance, how far the feed of a stream went when its epoch began. */
export const epochHead = (streamId: number): string => `sync_epoch_head:${streamId}`;

/** Id of the note of the returns of stamps (wire.ts) that a gateway has gone by; of another hosted instance it says nothing. */
export const TIME_RETURNS_TAKEN = 'time_returns_taken';

/** Logged-out tokens until they expire; id is the token's `jti`. */
export const revokedToken = defineResource({
  name: 'revoked_tokens',
  sync: 'local',
  row: z.object({ id: z.string(), expires_at: instant }),
});

export const SESSION_NETWORKS = ['farm', 'outside'] as const;

/** A login of a person, through however many renewals; id is the `sid` of its tokens. */
export const session = defineResource({
  name: 'sessions',
  sync: 'local',
  row: z.object({
    id: uuid,
    user_id: uuid,
    /** Of the account when it began; an older one is ended. */
    password_version: z.int(),
    /** Of the logins of its person when it began, see sessionGeneration. */
    generation: z.int(),
    /** Names made from User-Agent; null: it does not tell. */
    browser: z.string().nullable(),
    system: z.string().nullable(),
    /** Network address of the last use. */
    source: z.string(),
    /** null: not known, as on a hosted instance. */
    network: z.enum(SESSION_NETWORKS).nullable(),
    /** How long each of its tokens holds. */
    lifetime_s: z.int(),
    created_at: instant,
    /** Written at most once an hour. */
    last_used_at: instant,
    /** Then the last token that it can have by `last_used_at` has run out. */
    expires_at: instant,
  }),
});

/** Ends all logins of a person that are of an older generation, but the one that is kept; id is the user's. */
export const sessionGeneration = defineResource({
  name: 'session_generations',
  sync: 'local',
  row: z.object({ id: uuid, generation: z.int(), kept_session: z.string().nullable() }),
});

/** Last contact of a control point; id is the control point's. Narrow, because it is rewritten every 30 s. */
export const presence = defineResource({
  name: 'presence',
  sync: 'local',
  row: z.object({
    id: uuid,
    /** Milliseconds since 1970: a third of the pages that text takes. */
    heard_at_ms: z.int(),
    consumption: z.number(),
  }),
});

/** Keys of controllers, stored as HMAC-SHA256 with the instance's pepper. */
export const deviceKey = defineResource({
  name: 'device_keys',
  sync: 'local',
  row: z.object({
    id: uuid,
    control_point_id: uuid,
    key_hash: z.string(),
    /**
     * pending until its first authenticated use, then active; the one before retires after the overlap. A revoked one
     * opens nothing and stays as the sign that this controller must have a key.
     */
    state: z.enum(['pending', 'active', 'retiring', 'revoked']),
    created_at: instant,
    activated_at: instant.nullable(),
    retires_at: instant.nullable(),
  }),
});

/** What an account is asked for beside its password on this instance; id is the user's. */
export const secondFactor = defineResource({
  name: 'second_factors',
  sync: 'local',
  row: z.object({
    id: uuid,
    /** PENDING until the first code proves that the person's app has the secret. */
    state: z.enum(['PENDING', 'ON']),
    /** The secret of the app, under a key of this instance; empty: there is none, passkeys are asked for alone. */
    sealed: z.string(),
    /** ON by passkeys: the secret of an app that no code proved yet. */
    pending: z.string().nullable(),
    /** Time steps whose code was used, the last ones: none is taken twice, also where the clock was set back. */
    used_steps: z.array(z.int()),
    /** SHA-256 of each recovery code that is left. */
    recovery_hashes: z.array(z.string()),
    created_at: instant,
    confirmed_at: instant.nullable(),
  }),
});

/** What a browser or a key of its own signs in with on this instance, WebAuthn. */
export const passkey = defineResource({
  name: 'passkeys',
  sync: 'local',
  row: z.object({
    id: uuid,
    user_id: uuid,
    /** The name of the instance that it was made for; it signs for no other. */
    rp_id: z.string(),
    /** Base64url, as the authenticator made it up. */
    credential_id: z.string(),
    /** COSE, base64url. */
    public_key: z.string(),
    /** Signatures that the authenticator counted; 0: it counts none. */
    counter: z.int(),
    transports: z.array(z.string()),
    name: z.string(),
    created_at: instant,
    last_used_at: instant.nullable(),
  }),
});

/** That a key of this control point was used, and when first; stays when the key or the control point goes. id is its. */
export const firstKeyUse = defineResource({
  name: 'first_key_uses',
  sync: 'local',
  row: z.object({ id: uuid, farm_id: uuid, used_at: instant }),
});

/** Stored answers of creates, kept 24 h; id is a hash over user, method, path and key. */
export const idempotentAnswer = defineResource({
  name: 'idempotent_answers',
  sync: 'local',
  row: z.object({
    id: z.string(),
    body_hash: z.string(),
    status: z.int(),
    answer: z.string(),
    created_at: instant,
    /** Whose they are: they go with the account. null: of before this was noted. */
    user_id: uuid.nullable(),
    /** Version of the resource in the answer; null: it has none, or it was not noted yet. */
    tag: z.int().nullable(),
  }),
});

/** Numeric ids of users, ponds and batches; id is the number in decimal. */
export const numericId = defineResource({
  name: 'numeric_ids',
  sync: 'local',
  row: z.object({ id: z.string(), entity: z.string(), uuid }),
});

export const DELIVERY_PURPOSES = ['NOTICE', 'SUMMARY', 'TEST', 'CONFIRMATION'] as const;
export const DELIVERY_STATES = ['PENDING', 'SENT', 'DEAD'] as const;

/**
 * Something on its way to a channel, until it arrived or was given up. The id of a NOTICE comes from notification and
 * channel, so that it is made once; what is sent bears the id, so that a receiver can drop what came twice.
 */
export const delivery = defineResource({
  name: 'deliveries',
  sync: 'local',
  row: z.object({
    id: uuid,
    /** null: not of the list. */
    notification_id: uuid.nullable(),
    channel_id: uuid,
    user_id: uuid,
    /** Of its channel, which never changes. */
    kind: z.enum(CHANNEL_KINDS),
    purpose: z.enum(DELIVERY_PURPOSES),
    /** It goes first, and through quiet hours. */
    is_critical: z.boolean(),
    /** What a SUMMARY sums up. */
    body: z.record(z.string(), z.unknown()).nullable(),
    state: z.enum(DELIVERY_STATES),
    attempts: z.int(),
    next_at: instant,
    last_error: z.string().nullable(),
    created_at: instant,
    done_at: instant.nullable(),
  }),
});

/**
 * What a person may do from a notification on a device of theirs without opening the console, once; id comes from
 * delivery and action, so that the newest message of one counts alone.
 */
export const pushAction = defineResource({
  name: 'push_actions',
  sync: 'local',
  row: z.object({
    id: uuid,
    /** SHA-256: a token has 256 random bits. */
    token_hash: z.string(),
    action: z.enum(PUSH_ACTIONS),
    user_id: uuid,
    /** The browser that was told, with its subscription of that time. */
    channel_id: uuid,
    endpoint: z.string(),
    alert_id: uuid,
    /** Of a TURN_ON. */
    control_point_id: uuid.nullable(),
    /** Of the account when its browser signed in: a new password ends what the old one opened. */
    password_version: z.int(),
    state: z.enum(['READY', 'USED']),
    created_at: instant,
  }),
});

/**
 * News that came from the other instance and are still to be told to the channels of this one; id is the notification's.
 * Noted in the very commit that brings them, so that a kill loses none.
 */
export const arrivedNews = defineResource({
  name: 'arrived_news',
  sync: 'local',
  row: z.object({ id: uuid, arrived_at: instant }),
});

export const LETTER_KINDS = [
  'INVITATION',
  'PASSWORD_RESET',
  'PASSWORD_CHANGED',
  'EMAIL_CHANGED',
  'ADDRESS_CODE',
] as const;

/**
 * A letter that is still to be sent by e-mail, whose receiver need not have an account; the id of an INVITATION is the
 * invitation's. It is erased when it was sent or given up.
 */
export const outgoingLetter = defineResource({
  name: 'invitation_letters',
  sync: 'local',
  row: z.object({
    id: uuid,
    kind: z.enum(LETTER_KINDS),
    /** Address and code, under a key of this instance. */
    sealed: z.string(),
    language: z.string(),
    attempts: z.int(),
    next_at: instant,
    created_at: instant,
  }),
});

/** The newest code that a forgotten password is replaced with; id is the account's. */
export const passwordReset = defineResource({
  name: 'password_resets',
  sync: 'local',
  row: z.object({
    id: uuid,
    /** SHA-256: a code has more than 128 random bits. */
    code_hash: z.string(),
    /** Of the account when it was asked for: a code ends with the address and the password of that time. */
    email_key: z.string(),
    password_version: z.int(),
    asked_at: instant,
  }),
});

/** Hosted: which address an account was proved to have, and the code that is out to prove it; id is the account's. */
export const addressProof = defineResource({
  name: 'address_proofs',
  sync: 'local',
  row: z.object({
    id: uuid,
    /** The address that is proved or asked about; it says nothing of another one. */
    email_key: z.string(),
    code_hash: z.string().nullable(),
    asked_at: instant.nullable(),
    verified_at: instant.nullable(),
    /** The ADMIN who confirmed it; null: a letter to it was answered. */
    verified_by: uuid.nullable(),
  }),
});

/** Events of the payment provider that were taken, by its own ids: each counts once. */
export const paymentEvent = defineResource({
  name: 'payment_events',
  sync: 'local',
  row: z.object({
    id: z.string(),
    type: z.string(),
    provider: z.enum(['stripe', 'sandbox']),
    /** When the provider says that it happened. */
    created_at: instant,
    received_at: instant,
    outcome: z.enum(['applied', 'outdated', 'ignored']),
  }),
});

/** What the sandbox provider knows: customers, checkout sessions, subscriptions, invoices, events on their way. */
export const paymentObject = defineResource({
  name: 'payment_objects',
  sync: 'local',
  row: z.object({
    id: z.string(),
    kind: z.enum(['customer', 'checkout_session', 'subscription', 'invoice', 'portal_session', 'event']),
    customer_id: z.string().nullable(),
    body: z.record(z.string(), z.unknown()),
    /** When the sandbox has to look at it again: a renewal, an expiry, an event on its way. */
    due_at: instant.nullable(),
    created_at: instant,
    updated_at: instant,
  }),
});

/** What the provider said about one subscription of its own, in the order in which it happened; id is the provider's. */
export const providerSubscription = defineResource({
  name: 'provider_subscriptions',
  sync: 'local',
  row: z.object({
    id: z.string(),
    provider: z.enum(['stripe', 'sandbox']),
    user_id: uuid,
    customer_id: z.string().nullable(),
    facts: z.array(z.record(z.string(), z.unknown())),
    updated_at: instant,
    /** When the provider is asked how it stands; null: at the next occasion. */
    look_at: instant.nullable(),
  }),
});

/** Last use of a personal access token; id is the token's. */
export const tokenUse = defineResource({
  name: 'token_uses',
  sync: 'local',
  row: z.object({ id: uuid, used_at: instant, source: z.string() }),
});

/** Limits that users were warned of before a warning followed from its change alone: nothing is written here. */
export const usageCrossing = defineResource({
  name: 'usage_crossings',
  sync: 'local',
  row: z.object({
    id: uuid,
    user_id: uuid,
    resource: z.enum(['farms', 'ponds', 'active_batches']),
    /** Percent that was told: 80 or 100. */
    level: z.int(),
    crossed_at: instant,
  }),
});

/** What stands on the label of the board that a control point has; id is the control point's. */
export const boardLabel = defineResource({
  name: 'board_labels',
  sync: 'local',
  row: z.object({
    id: uuid,
    /** 12 hex digits. */
    mac: z.string(),
    /** Whose label it is: the control point may have another device by now. */
    device_id: z.string(),
    claim: z.string(),
    made_at: instant,
  }),
});

export const DEVICE_MARKS = ['ignored', 'replaced', 'adopted'] as const;

/** What is remembered of devices beside control points; id is `name:<device_id>` or `mac:<12 hex digits>`. */
export const deviceMark = defineResource({
  name: 'device_marks',
  sync: 'local',
  row: z.object({
    id: z.string(),
    mark: z.enum(DEVICE_MARKS),
    /** replaced: which it was the controller of; adopted: which the board was given to. */
    control_point_id: uuid.nullable(),
    device_id: z.string().nullable(),
    marked_at: instant,
    marked_by: uuid.nullable(),
  }),
});
