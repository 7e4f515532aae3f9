import type { Kernel } from '#core/kernel.ts';
import type {
  CertificateFacts,
  CertificateMaker,
  Found,
  Holder,
  Network,
  ServerRecord,
  TrustState,
  TrustStore,
  Validity,
} from './ports.ts';
import {
  announced,
  authorityValidity,
  chainOf,
  type Due,
  isNearItsEnd,
  namesOf,
  serverDue,
  serverValidity,
  stepDue,
  usualDates,
} from './trust-rules.ts';

export type KeepTrustDeps = Pick<Kernel, 'now' | 'clockQuality' | 'log'> & {
  monotonic: () => number;
  store: TrustStore;
  maker: CertificateMaker;
  network: () => Network;
  extraNames: readonly string[];
  newTicketKey: () => string;
  /** The pin this instance is known by, as its database remembers it; null before the first authority. */
  knownPin: () => Promise<string | null>;
  /** False: it could not be stored now. */
  rememberPin: (pin: string) => Promise<boolean>;
  /** A certificate that is shown from now on. Throws when it cannot be used. */
  show: (record: ServerRecord) => void;
  /** Something people should know; told once for each cause. */
  tell: (news: TrustNews) => void;
};

export type TrustNews =
  | { event: 'authority_damaged'; detail: string }
  | { event: 'authority_announced'; fingerprint: string; crossOverAt: string }
  | { event: 'authority_crossed_over'; fingerprint: string; retireAt: string }
  | { event: 'authority_retired'; fingerprint: string };

export type Dates = { crossOverAt: number; retireAt: number };

export type TrustKeeper = {
  /** Looks at files, names and dates, and does what is due; called every few seconds. Never rejects. */
  look: () => Promise<void>;
  state: () => TrustState | null;
  server: () => (ServerRecord & CertificateFacts) | null;
  /** What is wrong with the authority, and with the certificate of the server. */
  trouble: () => { authority: string | null; server: string | null };
  /** Announces the next authority, or changes the dates of the one announced. Answers null without an authority. */
  rotate: (dates: Dates | null) => Promise<TrustState | null>;
  /** Takes the announcement back. Answers null when there is none, or no authority. */
  cancel: () => Promise<TrustState | null>;
};

const NAMES_AGAIN_AFTER_MS = 60_000;

/** Keeps the authority of the farm network and the certificate of this box. */
export function keepTrust(deps: KeepTrustDeps): TrustKeeper {
  const { store, maker, log, now } = deps;
  const at = {
    state: null as TrustState | null,
    server: null as (ServerRecord & CertificateFacts) | null,
    authorityTrouble: null as string | null,
    serverTrouble: null as string | null,
    hasHadServer: false,
    namesAt: null as number | null,
    rememberedPin: null as string | null,
  };
  let line: Promise<unknown> = Promise.resolve();
  /** One after the other: each reads the files that the last one wrote. */
  const inLine = <Answer>(run: () => Promise<Answer>): Promise<Answer> => {
    const done = line.then(run);
    line = done.catch(() => undefined);
    return done;
  };

  async function readAuthority(): Promise<void> {
    const found = await store.readState();
    if (found.is === 'whole') await takeOver(found.kept, found.mended);
    else if (at.state !== null) await mend(at.state, found);
    else await begin(found);
  }

  async function takeOver(state: TrustState, mended: string | null): Promise<void> {
    if (mended !== null) {
      log.warn({ detail: mended }, 'a copy of the farm authority was damaged and is mended from the other');
      await store.writeState(state);
    }
    at.authorityTrouble = null;
    if (at.state?.revision !== state.revision || at.state.present.certificate !== state.present.certificate) {
      adopt(state);
    }
    const { pin } = maker.facts(state.present.certificate);
    at.rememberedPin ??= await deps.knownPin();
    if (at.rememberedPin !== pin) at.rememberedPin = (await deps.rememberPin(pin)) ? pin : null;
  }

  /** The files went bad under a running gateway: it still knows what was in them. */
  async function mend(state: TrustState, found: Found<TrustState>): Promise<void> {
    const detail = found.is === 'damaged' ? found.detail : 'the files are missing';
    log.warn({ detail }, 'the files of the farm authority were damaged and are written anew');
    await store.writeState(state);
  }

  /** Only where there has never been one: another authority would shut out everybody who pinned the first. */
  async function begin(found: Found<TrustState>): Promise<void> {
    const knownPin = await deps.knownPin();
    const isFirst = found.is === 'absent' && knownPin === null && !at.hasHadServer;
    if (!isFirst) {
      const detail =
        found.is === 'damaged'
          ? found.detail
          : 'the files of the authority are missing, though there was one';
      if (at.authorityTrouble === null)
        log.error({ detail }, 'the farm authority is lost; see the documents');
      at.authorityTrouble = detail;
      deps.tell({ event: 'authority_damaged', detail });
      return;
    }
    const present = maker.authority(wantedNames(), authorityValidity(now()));
    await store.writeState({ format: 1, revision: 1, present, next: null, former: null, retired: [] });
    log.info({ fingerprint: maker.facts(present.certificate).fingerprint }, 'a farm authority was made');
    await readAuthority();
  }

  function adopt(state: TrustState): void {
    const before = at.state;
    at.state = state;
    for (const news of newsOf(maker, before, state)) deps.tell(news);
  }

  async function change(state: TrustState): Promise<TrustState> {
    await store.writeState(state);
    adopt(state);
    return state;
  }

  function nextFor(state: TrustState): Holder & { cross: string } {
    if (state.next !== null) return state.next;
    const names = wantedNames();
    const next = maker.authority(names, authorityValidity(now()));
    return { ...next, cross: maker.cross(next, state.present, { names, ...authorityValidity(now()) }) };
  }

  /** Dates count only while the clock is right: a clock that jumped must not retire an authority. */
  async function followDates(): Promise<void> {
    if (deps.clockQuality() !== 'trusted') return;
    for (let state = at.state; state !== null; ) {
      state = stepDue(state, now());
      if (state === null) break;
      await change(state);
      log.warn({ revision: state.revision }, 'the farm authority went on to its next step');
    }
    const { state } = at;
    if (state === null || state.next !== null || state.former !== null) return;
    if (isNearItsEnd(maker.facts(state.present.certificate), now()))
      await change(announced(state, nextFor(state), usualDates(now())));
  }

  const wantedNames = () => namesOf(deps.network(), deps.extraNames);

  /** One name outside the limits of any authority above it, and the whole certificate is refused. */
  const permittedNames = (state: TrustState): string[] => {
    const chain = chainOf(state);
    return wantedNames().filter((name) => chain.every((authority) => maker.permits(authority, name)));
  };

  async function renewServer(): Promise<void> {
    const { state } = at;
    if (state === null) return;
    const names = permittedNames(state);
    const why = serverDue(at.server, { chain: chainOf(state), names, now: now() });
    if (why === null) {
      at.serverTrouble = null;
      return;
    }
    if (why === 'names') {
      const isTooSoon = at.namesAt !== null && deps.monotonic() - at.namesAt < NAMES_AGAIN_AFTER_MS;
      if (isTooSoon) return;
      at.namesAt = deps.monotonic();
    }
    await issue(state, names, why);
  }

  async function readServer(): Promise<void> {
    const found = await store.readServer();
    if (found.is === 'absent') return;
    at.hasHadServer = true;
    try {
      if (found.is === 'damaged') throw new Error(found.detail);
      deps.show(found.kept);
      at.server = { ...found.kept, ...maker.facts(found.kept.certificate) };
    } catch (error) {
      const detail = messageOf(error);
      if (at.serverTrouble !== detail)
        log.warn({ detail }, 'the certificate of the box is damaged; another one is made');
      at.serverTrouble = detail;
    }
  }

  async function issue(state: TrustState, names: string[], why: Due): Promise<void> {
    const validity: Validity = serverValidity(now());
    const commonName = names[0] ?? 'gateway';
    const made = maker.server({ names, commonName }, state.present, validity);
    const record = { ...made, chain: chainOf(state), names, ticket_key: deps.newTicketKey() };
    deps.show(record);
    at.server = { ...record, ...maker.facts(record.certificate) };
    at.serverTrouble = null;
    log.info(
      { why, names, until: new Date(validity.notAfter).toISOString() },
      'the box has a new certificate',
    );
    // it counts all the same when the disk does not take it: the next start makes another
    await store.writeServer(record);
  }

  async function lookOnce(): Promise<void> {
    try {
      // first, because whether there ever was a certificate decides what a missing authority means
      if (at.server === null) await readServer();
      await readAuthority();
      await followDates();
    } catch (error) {
      if (at.authorityTrouble === null) log.error({ err: error }, 'the farm authority could not be kept');
      at.authorityTrouble = messageOf(error);
    }
    try {
      await renewServer();
    } catch (error) {
      if (at.serverTrouble === null) log.error({ err: error }, 'the box could not renew its certificate');
      at.serverTrouble = messageOf(error);
    }
  }

  return {
    look: () => inLine(lookOnce),
    state: () => at.state,
    server: () => at.server,
    trouble: () => ({ authority: at.authorityTrouble, server: at.serverTrouble }),
    rotate: (dates) =>
      inLine(async () => {
        await readAuthority();
        const { state } = at;
        if (state === null) return null;
        const wanted = dates ?? datesOf(state) ?? usualDates(now());
        const changed = announced(state, nextFor(state), wanted);
        // asked twice, it is done once
        const isSame = JSON.stringify(changed.next) === JSON.stringify(state.next);
        if (!isSame) await change(changed);
        await followDates();
        await renewServer();
        return at.state;
      }),
    cancel: () =>
      inLine(async () => {
        await readAuthority();
        const { state } = at;
        if (state === null || state.next === null) return null;
        return change({ ...state, revision: state.revision + 1, next: null });
      }),
  };
}

function datesOf({ next }: TrustState): Dates | null {
  if (next === null) return null;
  return { crossOverAt: Date.parse(next.cross_over_at), retireAt: Date.parse(next.retire_at) };
}

/** What changed between two states; after a start, what still holds, because it may not have been told. */
function newsOf(maker: CertificateMaker, before: TrustState | null, after: TrustState): TrustNews[] {
  const fingerprint = (pem: string) => maker.facts(pem).fingerprint;
  const news: TrustNews[] = [];
  if (before !== null && before.former !== null && after.former === null)
    news.push({ event: 'authority_retired', fingerprint: fingerprint(before.former.certificate) });
  if (after.former !== null && before?.former?.certificate !== after.former.certificate) {
    const { retire_at: retireAt } = after.former;
    news.push({
      event: 'authority_crossed_over',
      fingerprint: fingerprint(after.present.certificate),
      retireAt,
    });
  }
  if (after.next !== null && before?.next?.certificate !== after.next.certificate) {
    const { cross_over_at: crossOverAt } = after.next;
    news.push({
      event: 'authority_announced',
      fingerprint: fingerprint(after.next.certificate),
      crossOverAt,
    });
  }
  return news;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
