import type { RowOf } from '#contract/resource.ts';
import { delivery } from '#contract/resources/local-tables.ts';
import {
  type ChannelCreate,
  type ChannelUpdate,
  notificationChannel,
  phoneNumber,
} from '#contract/resources/notification-channels.ts';
import { email } from '#contract/resources/users.ts';
import type { NotificationType, Severity } from '#contract/words.ts';
import { type Change, insert, update } from '#core/changes.ts';
import { type AppError, conflict, invalidField, taken } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Notify } from '#core/notifying.ts';
import type { Caller } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import { type AttemptLimit, takeMessageFrom, tooManyAttempts } from '#features/people/attempts.ts';
import { channelOpenedNews } from './channel-news.ts';
import type { Channel, ChannelQueries, ChannelSecrets, ChannelWishes, Delivery } from './ports.ts';

type SaveChannelDeps = Pick<Kernel, 'now' | 'newId' | 'guard'> & {
  queries: ChannelQueries;
  secrets: ChannelSecrets;
  canSend: (kind: Channel['kind']) => boolean;
  /** Why nothing may be sent to such an address from this instance; null: it may. */
  refusalOf: (url: string) => string | null;
  /** Mails with codes, per user: nobody may fill a stranger's mailbox. */
  codes: Pick<AttemptLimit, 'take'>;
  /** Mails and SMS per network. */
  messagesFrom: Pick<AttemptLimit, 'take'>;
  /** Country codes of numbers that SMS go to. */
  smsCountries: readonly string[];
  /** Zone of users without a farm. */
  defaultZone: string;
  notify: Notify;
};

/** What the person is told when notifications go to another place from now on. */
const tellOpened = (
  deps: Pick<SaveChannelDeps, 'notify'>,
  channel: Omit<Channel, 'rev'>,
): Promise<Change[]> =>
  channel.verified_at === null
    ? Promise.resolve([])
    : deps.notify({ userIds: [channel.user_id] }, channelOpenedNews(channel));

const MOST_CHANNELS = 20;

/** Who saves a channel, and under which login: a push goes to the browser that is signed in so, and ends with that login. */
type Saver = Pick<Caller, 'userId' | 'login'> & { source: string };

/** Decides a new channel of the user. An e-mail or SMS channel waits for the code that is sent to it; others are open at once. */
export async function createChannel(
  deps: SaveChannelDeps,
  caller: Saver,
  input: ChannelCreate,
): Promise<Decision<Channel>> {
  const { userId } = caller;
  const { kind, id = deps.newId() } = input;
  const guard = await deps.guard('notification_channels', userId);
  if (!deps.canSend(kind)) throw notAvailable(kind);
  if (input.id !== undefined && (await deps.queries.isChannelIdTaken(id)))
    throw conflict('This id is taken', 'ID_TAKEN');
  if ((await deps.queries.countChannels(userId)) >= MOST_CHANNELS)
    throw conflict(`You have ${MOST_CHANNELS} channels already; delete one first`, 'TOO_MANY_CHANNELS');
  const place =
    kind === 'WEB_PUSH' ? placeOf(input.subscription, caller) : { address: input.address, keys: null };
  await requireFreeAddress(deps, userId, kind, place.address);
  const now = isoOf(deps.now());
  const row: RowOf<typeof notificationChannel> = {
    id,
    user_id: userId,
    kind,
    address: place.address,
    keys: kind === 'WEBHOOK' ? { generation: '1' } : place.keys,
    types: unique(input.types),
    min_severity: input.min_severity,
    ...quietOf({ quiet_from: input.quiet_from ?? null, quiet_to: input.quiet_to ?? null }),
    timezone: input.timezone ?? (await deps.queries.zoneOf(userId)) ?? deps.defaultZone,
    is_active: true,
    verified_at: needsCode(kind) ? null : now,
    created_at: now,
    updated_at: null,
  };
  const code = needsCode(kind) ? [insert(delivery, await codeFor(deps, row, caller))] : [];
  return {
    answer: { ...row, rev: 1 },
    changes: [insert(notificationChannel, row), ...code, ...(await tellOpened(deps, row))],
    guards: [guard],
  };
}

/** Decides new wishes or another address; an e-mail address has to be confirmed again. */
export async function changeChannel(
  deps: SaveChannelDeps,
  caller: Saver,
  current: Channel,
  input: ChannelUpdate,
): Promise<Decision<Channel>> {
  const { address, subscription, types, ...rest } = input;
  const guard = await deps.guard('notification_channels', current.user_id);
  const place = await newPlace(deps, caller, current, { address, subscription });
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  if (place === null && types === undefined && Object.keys(given).length === 0) return { answer: current };
  const now = isoOf(deps.now());
  const next: Channel = {
    ...current,
    ...given,
    ...place,
    ...(types === undefined ? {} : { types: unique(types) }),
    updated_at: now,
    rev: current.rev + 1,
  };
  quietOf(next);
  const changes: Change[] = [update(notificationChannel, current, changedFields(next))];
  if (place !== null && needsCode(current.kind))
    changes.push(insert(delivery, await codeFor(deps, next, caller)));
  else if (place !== null && place.address !== current.address)
    changes.push(...(await tellOpened(deps, next)));
  return { answer: next, changes, guards: place === null ? [] : [guard] };
}

function changedFields({
  id: _id,
  rev: _rev,
  ...fields
}: Channel): Partial<RowOf<typeof notificationChannel>> {
  return fields;
}

type Place = Pick<Channel, 'address' | 'keys' | 'verified_at'>;

async function newPlace(
  deps: SaveChannelDeps,
  caller: Saver,
  current: Channel,
  given: Pick<ChannelUpdate, 'address' | 'subscription'>,
): Promise<Place | null> {
  const { kind, user_id } = current;
  if (kind === 'WEB_PUSH') {
    if (given.address !== undefined)
      throw invalidField(422, 'address', 'a push channel moves by its subscription');
    if (given.subscription === undefined) return null;
    const place = placeOf(given.subscription, caller);
    if (isSame(place, current)) return null;
    if (place.address !== current.address) await requireFreeAddress(deps, user_id, kind, place.address);
    return { ...place, verified_at: isoOf(deps.now()) };
  }
  if (given.subscription !== undefined)
    throw invalidField(422, 'subscription', 'only a push channel has one; give address');
  if (given.address === undefined) return null;
  const address = addressIn(kind, given.address);
  if (address === current.address) return null;
  await requireFreeAddress(deps, user_id, kind, address);
  return { address, keys: current.keys, verified_at: needsCode(kind) ? null : current.verified_at };
}

function placeOf(
  { endpoint, keys }: { endpoint: string; keys: { p256dh: string; auth: string } },
  { login }: Pick<Saver, 'login'>,
): { address: string; keys: Record<string, string> } {
  const { p256dh, auth } = keys;
  const signedIn =
    login === undefined ? {} : { login: login.id, password_version: String(login.passwordVersion) };
  return { address: endpoint, keys: { p256dh, auth, ...signedIn } };
}

/** The browser says where it is at each start; mostly it is where it was. */
const isSame = (place: ReturnType<typeof placeOf>, { address, keys }: Channel): boolean =>
  place.address === address && Object.entries(place.keys).every(([name, key]) => keys?.[name] === key);

/** Whether only a code proves that the address is the user's own. */
const needsCode = (kind: Channel['kind']): boolean => kind === 'EMAIL' || kind === 'SMS';

function addressIn(kind: Channel['kind'], text: string): string {
  if (!needsCode(kind)) return text;
  const read = (kind === 'SMS' ? phoneNumber : email).safeParse(text);
  if (!read.success)
    throw invalidField(422, 'address', read.error.issues[0]?.message ?? 'must be an address');
  return read.data;
}

async function requireFreeAddress(
  deps: SaveChannelDeps,
  userId: string,
  kind: Channel['kind'],
  address: string,
): Promise<void> {
  const field = kind === 'WEB_PUSH' ? 'subscription.endpoint' : 'address';
  const refusal = needsCode(kind) ? null : deps.refusalOf(address);
  if (refusal !== null) throw invalidField(422, field, refusal);
  if ((await deps.queries.channelAt(userId, kind, address)) !== null)
    throw taken(field, 'You have a channel to this address already; change that one');
}

/** Both or neither, and not the same: `22:00` to `22:00` could mean always or never. */
function quietOf<Quiet extends Pick<Channel, 'quiet_from' | 'quiet_to'>>({ quiet_from, quiet_to }: Quiet) {
  if ((quiet_from === null) !== (quiet_to === null))
    throw invalidField(422, quiet_from === null ? 'quiet_from' : 'quiet_to', 'give both, or neither');
  if (quiet_from !== null && quiet_from === quiet_to)
    throw invalidField(422, 'quiet_to', 'must not be the same as quiet_from');
  return { quiet_from, quiet_to };
}

const unique = <Word>(words: readonly Word[]): Word[] => [...new Set(words)];

/**
 * An SMS costs the farm money, and an alarm may wait behind it: what a person asks for goes to people of a farm, and to
 * countries that the box sends to. Throws 409 for somebody without a farm, 422 for a number elsewhere.
 */
async function requireSms(
  { queries, smsCountries }: Pick<SaveChannelDeps, 'queries' | 'smsCountries'>,
  { kind, user_id: userId, address }: Pick<Channel, 'kind' | 'user_id' | 'address'>,
): Promise<void> {
  if (kind !== 'SMS') return;
  if ((await queries.zoneOf(userId)) === null)
    throw conflict('SMS go to people of a farm; join one first', 'FARM_REQUIRED');
  if (!smsCountries.some((code) => address.startsWith(`+${code}`)))
    throw invalidField(422, 'address', 'is of a country that this box sends no SMS to', 'SMS_COUNTRY');
}

/** The mail with the code that confirms an address. Throws 429 when there were too many. */
async function codeFor(
  deps: SaveChannelDeps,
  channel: Pick<Channel, 'id' | 'user_id' | 'kind' | 'address'>,
  { source }: Pick<Saver, 'source'>,
): Promise<Delivery> {
  await requireSms(deps, channel);
  const waitMs = await deps.codes.take(channel.user_id);
  if (waitMs !== null) throw tooManyAttempts('Too many confirmation codes were asked for', waitMs);
  await takeMessageFrom(deps, source);
  return messageTo(deps, channel, 'CONFIRMATION');
}

/** Something for a channel that is not of the list. */
function messageTo(
  deps: Pick<Kernel, 'now' | 'newId'>,
  channel: Pick<Channel, 'id' | 'user_id' | 'kind'>,
  purpose: Delivery['purpose'],
): Delivery {
  const now = isoOf(deps.now());
  return {
    id: deps.newId(),
    notification_id: null,
    channel_id: channel.id,
    user_id: channel.user_id,
    kind: channel.kind,
    purpose,
    // a person waits for it
    is_critical: true,
    body: null,
    state: 'PENDING',
    attempts: 0,
    next_at: now,
    last_error: null,
    created_at: now,
    done_at: null,
  };
}

function notAvailable(kind: Channel['kind']): AppError {
  if (kind === 'SMS')
    return conflict(
      'This instance sends no SMS: a gateway does with a GSM modem (--modem)',
      'CHANNEL_KIND_NOT_AVAILABLE',
    );
  return conflict(
    'This instance cannot send e-mail: its operator has to name a mail server (--smtp-url)',
    'CHANNEL_KIND_NOT_AVAILABLE',
  );
}

type Announced = { type: NotificationType; severity?: Severity };

const RANK: Readonly<Record<Severity, number>> = { LOW: 1, MEDIUM: 2, HIGH: 3 };

/** What may wake a person: it comes through quiet hours. */
export function isCritical({ severity }: Pick<Announced, 'severity'>): boolean {
  return severity === 'HIGH';
}

/** Whether news go to a channel. What has no severity is chosen by its type alone. */
export function isWanted(
  { types, min_severity }: Pick<ChannelWishes, 'types' | 'min_severity'>,
  { type, severity }: Announced,
): boolean {
  if (!types.includes(type)) return false;
  return severity === undefined || RANK[severity] >= RANK[min_severity];
}

export type UseChannelDeps = SaveChannelDeps & {
  /** Wrong codes, per channel: eight digits are not to be guessed. */
  codeTries: Pick<AttemptLimit, 'take'>;
  /** Test messages, per user. */
  tests: Pick<AttemptLimit, 'take'>;
};

const CODE_HOLDS_MS = 24 * 3_600_000;

/** Decides that an e-mail address or a phone is the user's: he has the code that was sent to it last. */
export async function confirmChannel(
  deps: UseChannelDeps,
  current: Channel,
  typed: string,
): Promise<Decision<Channel>> {
  if (current.verified_at !== null) return { answer: current };
  const waitMs = await deps.codeTries.take(current.id);
  if (waitMs !== null) throw tooManyAttempts('Too many wrong codes', waitMs);
  const sent = await deps.queries.newestConfirmation(current.id);
  const age = sent === null ? Number.POSITIVE_INFINITY : Math.abs(deps.now() - Date.parse(sent.created_at));
  const isRight = sent !== null && deps.secrets.isCode(sent.id, current.address, typed.replace(/\D/g, ''));
  if (!isRight || age > CODE_HOLDS_MS)
    throw invalidField(422, 'code', 'is not the code of the last message, or is older than a day');
  const set = { verified_at: isoOf(deps.now()), updated_at: isoOf(deps.now()) };
  return {
    answer: { ...current, ...set, rev: current.rev + 1 },
    changes: [update(notificationChannel, current, set), ...(await tellOpened(deps, { ...current, ...set }))],
  };
}

/** Decides another message with a new code; the one before counts no longer. */
export async function sendCode(
  deps: UseChannelDeps,
  current: Channel,
  from: Pick<Saver, 'source'>,
): Promise<Decision<Delivery>> {
  if (current.verified_at !== null) throw conflict('This channel is confirmed already', 'CHANNEL_CONFIRMED');
  if (!deps.canSend(current.kind)) throw notAvailable(current.kind);
  const row = await codeFor(deps, current, from);
  return { answer: row, changes: [insert(delivery, row)] };
}

/** Decides a test message; how it went stands in the deliveries of the channel. */
export async function sendTest(deps: UseChannelDeps, current: Channel): Promise<Decision<Delivery>> {
  if (!deps.canSend(current.kind)) throw notAvailable(current.kind);
  if (current.verified_at === null)
    throw conflict('Confirm this channel first, with the code that was sent to it', 'CHANNEL_UNCONFIRMED');
  if (!current.is_active) throw conflict('This channel is switched off', 'CHANNEL_OFF');
  await requireSms(deps, current);
  const waitMs = await deps.tests.take(current.user_id);
  if (waitMs !== null) throw tooManyAttempts('Too many test messages', waitMs);
  const row = messageTo(deps, current, 'TEST');
  return { answer: row, changes: [insert(delivery, row)] };
}

/** Decides a new secret of a webhook; the old one signs nothing from now on. */
export function rotateSecret(deps: UseChannelDeps, current: Channel): Decision<Channel> {
  if (current.kind !== 'WEBHOOK') throw conflict('Only a webhook has a secret', 'NO_SECRET');
  const generation = String(Number(current.keys?.['generation'] ?? '1') + 1);
  const set = { keys: { generation }, updated_at: isoOf(deps.now()) };
  return {
    answer: { ...current, ...set, rev: current.rev + 1 },
    changes: [update(notificationChannel, current, set)],
  };
}
