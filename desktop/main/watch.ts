import { systemIdentityAnswer } from '../../gateway/contract/resources/system.ts';
import type { AlarmsTold, FoundGateway, LostWhy, Notice, Standing } from '../ipc.ts';
import { chainHasPin, type VerifyingSession } from './door.ts';

// What is known of the farm here, for the tray, the badge and the system's own messages. Only a console that runs and
// sees its gateway may say that all is well; whatever else stands in the window, this station is blind, and says so.

/** A page says every five seconds that it runs. */
const TICK_MS = 5_000;
const HANGS_AFTER_TICKS = 4;
/** A router that starts again is no news; a gateway that stays away is. */
const SAY_BLIND_AFTER_MS = 60_000;

type WatchDeps = {
  /** Tray and badge. */
  tell: (standing: Standing) => void;
  /** A critical alarm comes before whatever this PC is used for. */
  bring: () => void;
  say: (notice: Notice) => void;
  /** The page hangs, or never began: start it anew. */
  revive: () => void;
  /** False while no gateway was chosen: there is no farm to be blind for. */
  isPaired: () => boolean;
  words: { blindTitle: string; blindText: string };
};

export function watchFarm({ tell, bring, say, revive, isPaired, words }: WatchDeps) {
  let isConsole = false;
  let told: Standing | null = null;
  /** The last that was seen of the farm. */
  let seen: AlarmsTold | null = null;
  let silentTicks = 0;
  let blindMs = 0;
  let wasSaid = false;

  const now = (): Standing => told ?? { ...(seen ?? NOTHING), state: 'blind' };
  const isBlind = () => now().state === 'blind';
  const change = (isThere: boolean) => {
    isConsole = isThere;
    told = null;
    silentTicks = 0;
    tell(now());
  };
  const tick = () => {
    blindMs = isBlind() ? blindMs + TICK_MS : 0;
    if (blindMs === 0) wasSaid = false;
    if (blindMs >= SAY_BLIND_AFTER_MS && !wasSaid && isPaired()) {
      wasSaid = true;
      say({ title: words.blindTitle, body: words.blindText, isCritical: true });
    }
    if (!isConsole) return;
    silentTicks += 1;
    if (silentTicks < HANGS_AFTER_TICKS) return;
    change(true);
    revive();
  };
  const timer = setInterval(tick, TICK_MS);
  tell(now());
  return {
    isBlind,
    seen: () => seen,
    /** A console was loaded; until it speaks nothing is known. */
    arrived: () => change(true),
    /** No console any more: another page, or one that ended. */
    left: () => change(false),
    /** The page runs. One that runs and never said a word of the farm is not a console that began. */
    alive: () => {
      if (told !== null) silentTicks = 0;
    },
    heard({ state, ...alarms }: AlarmsTold) {
      const before = told;
      // consoles before 0.2 did not say how they see; while they speak they are believed
      told = { ...alarms, state: state ?? (alarms.unanswered > 0 ? 'alarm' : 'calm') };
      silentTicks = 0;
      if (!isBlind()) seen = told;
      tell(now());
      const isCritical = (one: Standing | null) => one?.state === 'alarm' && one.worst === 1;
      if (isCritical(told) && !isCritical(before)) bring();
    },
    stop: () => clearInterval(timer),
  };
}

const NOTHING = { unanswered: 0, worst: 0, text: '' } as const;

const SEARCH_EVERY_MS = 15_000;

type FollowDeps = {
  gateway: () => FoundGateway | null;
  keep: (gateway: FoundGateway) => void;
  ask: AskGateway;
  find: () => Promise<readonly FoundGateway[]>;
  /** The paired gateway has another address. */
  moved: () => void;
  now: () => number;
};

/**
 * The paired gateway, wherever it is: it is the one with the id and the key that were chosen, and routers give it other
 * addresses. A gateway with another key is never followed.
 */
export function followGateway({ gateway, keep, ask, find, moved, now }: FollowDeps) {
  let why: LostWhy = 'silent';
  let searchedAt = Number.NEGATIVE_INFINITY;

  const isThere = async (): Promise<boolean> => {
    const paired = gateway();
    if (paired === null) return false;
    const asked = await ask(paired.url, paired.pin);
    if (asked.at === 'there' && asked.gateway.id === paired.id) {
      await note(paired, asked.gateway);
      return true;
    }
    why = asked.at === 'there' ? 'other-box' : asked.at;
    return false;
  };
  /** What a gateway says behind its proved key is believed: its version, and the key that follows the pinned one. */
  const note = async (paired: FoundGateway, told: FoundGateway): Promise<void> => {
    let { pin } = paired;
    if (pin !== null && told.pin !== null && told.pin !== pin) {
      const isServed = (await ask(paired.url, told.pin)).at === 'there';
      if (isServed) pin = told.pin;
    }
    const software = told.software === '' ? paired.software : told.software;
    const isSame = gateway() === paired;
    if (isSame && (pin !== paired.pin || software !== paired.software)) keep({ ...paired, pin, software });
  };
  const search = async (): Promise<boolean> => {
    const paired = gateway();
    if (paired === null || now() - searchedAt < SEARCH_EVERY_MS) return false;
    searchedAt = now();
    const found = await find().catch(() => []);
    // several may claim to be it: the one that proves it counts
    for (const one of found) {
      if (one.id !== paired.id || one.pin !== paired.pin || one.url === paired.url) continue;
      const asked = await ask(one.url, one.pin);
      if (asked.at !== 'there' || asked.gateway.id !== paired.id || gateway() !== paired) continue;
      keep({ ...paired, url: one.url, software: one.software });
      moved();
      return true;
    }
    return false;
  };
  return {
    isThere: async (how: 'ask' | 'search'): Promise<boolean> =>
      (await isThere()) || (how === 'search' && (await search())),
    why: () => why,
  };
}

const WITHIN_MS = 2_500;
const MOST_BYTES = 64 * 1024;

export type Asked = { at: 'there'; gateway: FoundGateway } | { at: 'silent' | 'other-key' };
export type AskGateway = (url: string, pin: string | null) => Promise<Asked>;

/**
 * Asks a gateway who it is. With a pin it must prove its key first. `sessionFor`: a session of its own for each name,
 * because what a session once judged of a certificate it remembers.
 */
export function gatewayAsker(sessionFor: (name: string) => VerifyingSession): AskGateway {
  const pinned = new Map<string, { session: VerifyingSession; refused: () => boolean }>();
  const pinnedTo = (pin: string) => {
    const known = pinned.get(pin);
    if (known !== undefined) return known;
    const session = sessionFor(`gateway ${pin}`);
    let isRefused = false;
    session.setCertificateVerifyProc(({ certificate }, callback) => {
      isRefused = !chainHasPin(certificate, pin);
      callback(isRefused ? -2 : 0);
    });
    const made = { session, refused: () => isRefused };
    pinned.set(pin, made);
    return made;
  };
  return async (url, pin) => {
    const { session, refused } =
      pin === null ? { session: sessionFor('open'), refused: () => false } : pinnedTo(pin);
    try {
      const answer = await session.fetch(new URL('/api/v1/system/identity', url).href, {
        signal: AbortSignal.timeout(WITHIN_MS),
        cache: 'no-store',
        redirect: 'error',
      });
      const told = systemIdentityAnswer.safeParse(answer.ok ? JSON.parse(await textOf(answer)) : null);
      return told.success ? { at: 'there', gateway: gatewayAt(url, told.data) } : { at: 'silent' };
    } catch {
      // whatever is wrong with the line: only a key that is not the pinned one is told apart
      return { at: new URL(url).protocol === 'https:' && refused() ? 'other-key' : 'silent' };
    }
  };
}

type Identity = ReturnType<typeof systemIdentityAnswer.parse>;

/** The gateway as it is to be paired: by TLS and its key wherever it has one. */
function gatewayAt(
  url: string,
  { gateway_id, name, role, authority, ports, software }: Identity,
): FoundGateway {
  const { hostname, origin } = new URL(url);
  const isSecured = role === 'gateway' && authority !== null && ports.https !== null;
  return {
    id: gateway_id,
    name: role === 'gateway' ? name : hostname,
    url: isSecured ? `https://${hostname}:${ports.https}/` : `${origin}/`,
    pin: isSecured ? authority.spki_sha256 : null,
    software: software ?? '',
  };
}

async function textOf(answer: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  // `body` is a stream of bytes; its type here is the browser's, which cannot be walked
  for await (const part of (answer.body ?? []) as unknown as AsyncIterable<Uint8Array>) {
    bytes += part.length;
    if (bytes > MOST_BYTES) throw new Error('an identity is shorter');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
