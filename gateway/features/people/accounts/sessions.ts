import * as z from 'zod';
import { idInput, pageQuery } from '#contract/fields.ts';
import type { RowOf } from '#contract/resource.ts';
import { revokedToken, session, sessionGeneration } from '#contract/resources/local-tables.ts';
import { notificationChannel } from '#contract/resources/notification-channels.ts';
import {
  type SessionAnswer,
  sessionAnswer,
  sessionEnd,
  sessionsEnded,
} from '#contract/resources/sessions.ts';
import { type Change, insertIfAbsent, onTables, purge, put, remove, rowsOf } from '#core/changes.ts';
import { notFound } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { NewestMap } from '#core/newest-map.ts';
import { signedIn } from '#core/request-checks.ts';
import { type Caller, type Route, route } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import { isOfLiveGeneration, lastEndOf, NOTED_EVERY_MS } from '../login-standing.ts';
import { type PresentPasswordDeps, requireAgain } from '../present-password.ts';
import { LOGIN_LASTS_S, type Login } from './issue-token.ts';
import type { AccountQueries, SessionQueries, Standing } from './ports.ts';

/** The first that fits: most browsers name others before themselves. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bElectron\//, 'Shrimp Farm'],
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|OPT|Opera)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bVersion\/[\d.]+ .*\bSafari\//, 'Safari'],
];

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\bAndroid\b/, 'Android'],
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

type DeviceName = { browser: string | null; system: string | null };

/** A short name of what somebody logged in with, as far as it says so itself; it proves nothing. */
export function deviceName(userAgent: string | null): DeviceName {
  const said = userAgent ?? '';
  const named = (names: typeof BROWSERS) => names.find(([pattern]) => pattern.test(said))?.[1] ?? null;
  // a program: curl/8.5.0, python-requests/2.32
  const program = /^(?!Mozilla\/)([\w.-]{1,30})(?:\/|$)/.exec(said)?.[1] ?? null;
  return { browser: named(BROWSERS) ?? program, system: named(SYSTEMS) };
}

// The logins of a person as a list. What ends one is the mechanism of logging out; what ends all others is a new
// generation, so that logins end, too, that no row tells of: those of before the list, and of while the disk was full.

type Session = RowOf<typeof session>;

/** What a request tells of where it comes from. */
export type From = { source: string; userAgent: string | null };

type SessionListDeps = Pick<Kernel, 'now' | 'elapsedSince' | 'log'> & {
  queries: SessionQueries;
  standingOf: (userId: string) => Promise<Standing | null>;
  /** null: not known. */
  networkOf: (source: string) => Session['network'];
};

/** More than anybody tells apart; the one that would end first makes room. */
const MOST_SESSIONS = 100;
/** Last uses that are remembered: those of a large hosted instance in an hour. */
const KEPT = 10_000;

type Use = { at: number; source: string; notedAt: number };

export type SessionList = ReturnType<typeof createSessionList>;

export function createSessionList(deps: SessionListDeps) {
  const { queries } = deps;
  const uses = new NewestMap<string, Use>(KEPT);

  /** Rows of logins that still open something. */
  async function live(userId: string): Promise<{ rows: Session[]; over: Session[] }> {
    const standing = await deps.standingOf(userId);
    const all = await queries.sessionsOf(userId);
    const counts = (row: Session): boolean =>
      standing !== null &&
      row.password_version === standing.password_version &&
      isOfLiveGeneration(row, standing) &&
      !isExpired(deps, row);
    const rows = all.filter(counts);
    return { rows, over: all.filter((row) => !rows.includes(row)) };
  }

  return {
    /** The row of a login that begins, and the ends of those that make room for it; of one that goes on unless it has one. */
    async begin(
      account: { id: string; password_version: number },
      login: Login,
      lifetimeS: number,
      { source, userAgent }: From,
    ): Promise<Change[]> {
      const now = deps.now();
      const row: Session = {
        id: login.sid,
        user_id: account.id,
        password_version: account.password_version,
        generation: login.gen,
        ...deviceName(userAgent),
        source,
        network: deps.networkOf(source),
        lifetime_s: lifetimeS,
        created_at: isoOf(Math.min(now, login.auth_time * 1000)),
        last_used_at: isoOf(now),
        expires_at: isoOf(lastEndOf(now, lifetimeS)),
      };
      const { rows, over } = await live(account.id);
      const surplus = rows.toSorted(byEnd).slice(0, Math.max(0, rows.length + 1 - MOST_SESSIONS));
      return [
        insertIfAbsent(session, row),
        ...surplus.flatMap((one) => endOf(deps, one)),
        ...over.map(({ id }) => purge(session, id)),
      ];
    },
    /** Newest use first, the caller's own at the head. */
    async list({ userId, login }: Caller): Promise<SessionAnswer[]> {
      const { rows } = await live(userId);
      return rows
        .map((row) => answerOf(deps, row, uses.get(row.id), row.id === login?.id))
        .toSorted(
          (a, b) =>
            Number(b.is_current) - Number(a.is_current) ||
            b.last_used_at.localeCompare(a.last_used_at) ||
            a.id.localeCompare(b.id),
        );
    },
    /** Decides the end of one of the caller's own; throws 404 for any other. */
    async end({ userId }: Caller, id: string): Promise<Decision<void>> {
      const found = (await live(userId)).rows.find((row) => row.id === id);
      if (found === undefined) throw notFound('Session');
      const pushes = await signedOutPushes(queries, userId, (login) => login === id);
      return { answer: undefined, changes: [...endOf(deps, found), ...pushes] };
    },
    /** Decides the end of every login of the caller but this one; answers how many of the list. */
    async endOthers({ userId, login }: Caller): Promise<Decision<number>> {
      const generation = (await queries.generationOf(userId)) + 1;
      const { rows } = await live(userId);
      const others = rows.filter(({ id }) => id !== login?.id);
      const changes = [
        put(sessionGeneration, { id: userId, generation, kept_session: login?.id ?? null }),
        ...others.flatMap((row) => endOf(deps, row)),
        ...(await signedOutPushes(queries, userId, (of) => of === undefined || of !== login?.id)),
      ];
      return { answer: others.length, changes };
    },
    /** Notes that a login was used, in memory, and at most once an hour in its row; nobody waits for it. */
    noteUse({ login }: Pick<Caller, 'login'>, { source }: Pick<From, 'source'>): void {
      if (login === undefined) return;
      const now = deps.now();
      const last = uses.get(login.id);
      // a clock that was set back makes it due
      const isNoted = last !== undefined && now >= last.notedAt && now - last.notedAt < NOTED_EVERY_MS;
      uses.set(login.id, { at: now, source, notedAt: isNoted ? last.notedAt : now });
      if (isNoted) return;
      const use = { at: now, source, network: deps.networkOf(source) };
      queries.noteUse(login.id, use, NOTED_EVERY_MS).catch((error: unknown) => {
        deps.log.warn({ err: error }, 'the use of a session was not noted');
      });
    },
    hear: onTables([session], (committed) => {
      for (const { id, after, hidden } of rowsOf(committed, session)) {
        const at = Date.parse(after.last_used_at);
        if (hidden) uses.delete(id);
        else uses.set(id, { at, source: after.source, notedAt: at });
      }
    }),
  };
}

/** Measured by what has really passed: a clock that was set forward ends nobody's session. */
function isExpired({ elapsedSince }: Pick<Kernel, 'elapsedSince'>, row: Session): boolean {
  const usedAt = Date.parse(row.last_used_at);
  return (
    elapsedSince(usedAt) >= lastEndOf(0, row.lifetime_s) ||
    elapsedSince(Date.parse(row.created_at)) >= LOGIN_LASTS_S * 1000
  );
}

const byEnd = (a: Session, b: Session): number =>
  a.expires_at.localeCompare(b.expires_at) || a.id.localeCompare(b.id);

const endOf = ({ now }: Pick<Kernel, 'now'>, { id, lifetime_s }: Session): Change[] =>
  endLogin(id, now() + lifetime_s * 1000);

function answerOf(
  deps: Pick<SessionListDeps, 'networkOf'>,
  row: Session,
  use: Use | undefined,
  is_current: boolean,
): SessionAnswer {
  const { id, created_at, browser, system } = row;
  const isNewer = use !== undefined && use.at > Date.parse(row.last_used_at);
  const source = isNewer ? use.source : row.source;
  return {
    id,
    created_at,
    last_used_at: isNewer ? isoOf(use.at) : row.last_used_at,
    browser,
    system,
    network: isNewer ? deps.networkOf(source) : row.network,
    address: source,
    is_current,
  };
}

type SessionRouteDeps = PresentPasswordDeps & {
  queries: Pick<AccountQueries, 'accountById'>;
  sessions: Pick<SessionList, 'list' | 'end' | 'endOthers'>;
};

const params = z.object({ session_id: idInput });
// a program neither sees where its owner is signed in nor signs the owner out
const common = { tag: 'Auth', access: { who: 'account' }, token: 'never' } as const;

/** The logins of the caller: seen, and ended from elsewhere. */
export function sessionRoutes(deps: SessionRouteDeps): Route[] {
  const again = (caller: Caller, password: string | undefined, source: string) =>
    requireAgain({ ...deps, ...deps.queries }, caller, { password, source }, 'end other sessions');
  return [
    route({
      ...common,
      method: 'GET',
      path: '/auth/sessions',
      summary:
        'Where the caller is logged in at this instance: one row per login, whatever renewals; this one first',
      query: pageQuery,
      answers: { 200: { schema: sessionAnswer, list: true } },
      async handle(request) {
        const { skip, limit } = request.query;
        const all = await deps.sessions.list(signedIn(request));
        const rows = all.slice(skip, limit === undefined ? undefined : skip + limit);
        return { answer: { status: 200, rows, total: all.length } };
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/auth/sessions',
      summary: 'End all sessions of the caller but this one, unlisted older logins too; access tokens stay',
      body: sessionEnd,
      answers: { 200: { schema: sessionsEnded } },
      async handle(request) {
        const caller = signedIn(request);
        await again(caller, request.body.current_password, request.source);
        const { answer: ended, changes = [] } = await deps.sessions.endOthers(caller);
        return { answer: { status: 200, body: { ended } }, changes };
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/auth/sessions/{session_id}',
      summary: 'End one session of the caller: its tokens and event streams open nothing any more',
      params,
      body: sessionEnd,
      answers: { 204: null },
      async handle(request) {
        const caller = signedIn(request);
        const { session_id: id } = request.params;
        const ended = await deps.sessions.end(caller, id);
        // leaving oneself is logging out
        if (id !== caller.login?.id) await again(caller, request.body.current_password, request.source);
        return { ...ended, answer: { status: 204 } };
      },
    }),
  ];
}

/**
 * Decides that no token of this login counts any longer. Rows are swept when what they end would have
 * ended by itself.
 */
export async function logOut(
  { logins }: { logins: Pick<SessionQueries, 'pushesOf'> },
  { userId, tokenId, tokenExpiresAt, login }: Caller,
): Promise<Decision<void>> {
  const endsAt = Math.max(login?.tokensEndAt ?? 0, tokenExpiresAt);
  const id = login?.id ?? tokenId;
  const pushes = await signedOutPushes(logins, userId, (of) => of === id);
  return { answer: undefined, changes: [...endLogin(id, endsAt), ...pushes] };
}

/**
 * Who signs out, here or from elsewhere, leaves no farm in that browser: it is sent nothing more either. A login that ran
 * out, or ended with a password, takes no push along: a phone in a pocket would miss the alarm of the night.
 */
async function signedOutPushes(
  { pushesOf }: Pick<SessionQueries, 'pushesOf'>,
  userId: string,
  isEnded: (login: string | undefined) => boolean,
): Promise<Change[]> {
  const pushes = await pushesOf(userId);
  return pushes
    .filter(({ keys }) => isEnded(keys?.['login']))
    .map((push) => remove(notificationChannel, push));
}

/** Ends a login from now on, on every process: no token of it opens anything; `tokensEndAt`: when the last runs out. */
function endLogin(id: string, tokensEndAt: number): Change[] {
  return [insertIfAbsent(revokedToken, { id, expires_at: isoOf(tokensEndAt) }), purge(session, id)];
}
