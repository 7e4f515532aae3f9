import type { SyncStateWord, SyncStatusAnswer } from '#contract/resources/sync-status.ts';
import type { SyncLane } from '#contract/sync/wire.ts';
import type { Language } from '#contract/words.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { localDay, startOfDay } from '#core/zone-clock.ts';
import type { ClockFigures, ComparedFigures, DataToday, LogFigures, SyncFacts } from './ports.ts';

/** Without the socket the gateway asks every minute; twice that and some more is silence. */
const STALE_AFTER_MS = 150_000;
const TROUBLED_AFTER_MS = 10_000;
/** Waiting longer than this is a backlog; readings are sent once a minute anyway. */
const BEHIND_AFTER_MS = { core: 15_000, history: 150_000 } as const;

/**
 * The state in one word. Green only on fresh proof: a link that said nothing for minutes is offline, whatever it was
 * before, and a socket that looks open proves nothing by itself.
 */
export function stateOf(
  facts: Pick<SyncFacts, 'phase' | 'contactAgeMs' | 'trouble'> & Partial<Pick<SyncFacts, 'moved'>>,
  { lanes }: Pick<LogFigures, 'lanes'>,
  nowMs: number,
): SyncStateWord {
  const { phase, contactAgeMs, trouble } = facts;
  if (phase === 'unpaired' || phase === 'revoked' || phase === 'fenced') return phase;
  if (phase === 'upgrade') return 'upgrade_needed';
  if (contactAgeMs === null || contactAgeMs > STALE_AFTER_MS) return 'offline';
  // one failed request is a hiccup; one that no success followed is the truth
  if (trouble !== null && contactAgeMs > TROUBLED_AFTER_MS) return 'offline';
  if (phase === 'resync') return 'comparing';
  // of such a farm the cloud hears nothing from here: nothing of it is the same
  if (facts.moved !== undefined && facts.moved.length > 0) return 'farm_moved';
  const isBehind = (['core', 'history'] as const).some((lane) => {
    const { waitingRows, oldestAtMs } = lanes[lane];
    return waitingRows > 0 && oldestAtMs !== null && nowMs - oldestAtMs > BEHIND_AFTER_MS[lane];
  });
  return phase === 'connecting' || isBehind ? 'catching_up' : 'connected';
}

const SENTENCES: Readonly<Record<Language, Readonly<Record<SyncStateWord, string>>>> = {
  en: {
    unpaired: 'This gateway works alone: it is not paired with a cloud account.',
    connected: 'The farm and the cloud have the same data.',
    catching_up: 'The link is up; changes are on their way.',
    comparing: 'The link is up; everything is being compared with the cloud. Nothing is lost.',
    offline: 'No contact with the cloud. The farm runs on; changes are kept and sent later.',
    upgrade_needed: 'The versions of gateway and cloud do not fit; please upgrade. Changes are kept.',
    revoked: 'This gateway was unpaired from the cloud account. The farm runs on alone.',
    farm_moved:
      'A farm of this box was taken off it in the cloud. This box runs it no longer and takes no changes of it; what it kept can be read and exported here, and given to the cloud by binding the farm to this gateway again.',
    fenced: 'Another gateway took over the place of this one in the cloud. This one runs its farm alone.',
  },
  'pt-BR': {
    unpaired: 'Este gateway trabalha sozinho: não está pareado com uma conta na nuvem.',
    connected: 'A fazenda e a nuvem têm os mesmos dados.',
    catching_up: 'Há conexão; as alterações estão a caminho.',
    comparing: 'Há conexão; tudo está sendo comparado com a nuvem. Nada se perde.',
    offline:
      'Sem contato com a nuvem. A fazenda segue funcionando; as alterações ficam guardadas e vão depois.',
    upgrade_needed: 'As versões do gateway e da nuvem não combinam; atualize. As alterações ficam guardadas.',
    revoked: 'Este gateway foi desvinculado da conta na nuvem. A fazenda segue sozinha.',
    farm_moved:
      'Uma fazenda desta caixa foi retirada dela na nuvem. Esta caixa não a controla mais nem aceita alterações nela; o que ficou guardado pode ser lido e exportado aqui, e vai para a nuvem se a fazenda voltar a este gateway.',
    fenced: 'Outro gateway assumiu o lugar deste na nuvem. Este segue cuidando da fazenda sozinho.',
  },
  es: {
    unpaired: 'Este gateway trabaja solo: no está conectado a una cuenta en la nube.',
    connected: 'La camaronera y la nube tienen los mismos datos.',
    catching_up: 'Hay conexión; los cambios están en camino.',
    comparing: 'Hay conexión; todo se está comparando con la nube. No se pierde nada.',
    offline:
      'Sin contacto con la nube. La camaronera sigue funcionando; los cambios quedan guardados y van después.',
    upgrade_needed:
      'Las versiones del gateway y de la nube no coinciden; actualice. Los cambios quedan guardados.',
    revoked: 'Este gateway fue desvinculado de la cuenta en la nube. La camaronera sigue sola.',
    farm_moved:
      'Una camaronera de esta caja fue retirada de ella en la nube. Esta caja ya no la controla ni acepta cambios en ella; lo que quedó guardado se puede leer y exportar aquí, y va a la nube si la camaronera vuelve a este gateway.',
    fenced: 'Otro gateway tomó el lugar de este en la nube. Este sigue cuidando la camaronera solo.',
  },
};

export const sentenceOf = (state: SyncStateWord, language: Language): string => SENTENCES[language][state];

const DAY_MS = 86_400_000;

/**
 * Days a farm can go on without a link before its unconfirmed changes reach their bound; null where that is no
 * question: nothing is written, or it lasts longer than ten years.
 */
export function offlineDaysLeft(log: {
  logBytes: number;
  quotaBytes: number;
  bytesPerDay: number;
}): number | null {
  if (log.bytesPerDay <= 0) return null;
  const days = Math.max(0, log.quotaBytes - log.logBytes) / log.bytesPerDay;
  return days > 3_650 ? null : Math.floor(days * 10) / 10;
}

/** What a day writes, from what was written since `sinceMs`; a log younger than an hour says nothing about a day. */
export function bytesPerDay(written: { rows: number; bytesPerRow: number; overMs: number }): number {
  if (written.overMs < DAY_MS / 24) return 0;
  return Math.round((written.rows * written.bytesPerRow * DAY_MS) / written.overMs);
}

export type ShowStatusDeps = Pick<Kernel, 'now' | 'clockQuality'> & {
  facts: () => SyncFacts;
  /** Counted at most every few seconds. */
  figures: () => Promise<LogFigures>;
  clock: () => ClockFigures;
  compared: () => Promise<ComparedFigures>;
  dataToday: () => DataToday;
};

const seconds = (ms: number | null): number | null => (ms === null ? null : Math.round(ms / 1000));

/** How the sync stands, each figure with its age. `sees`: everything, or only what everybody may know. */
export async function showStatus(
  deps: ShowStatusDeps,
  { language, sees }: { language: Language; sees: 'all' | 'state' },
): Promise<SyncStatusAnswer> {
  const [facts, figures, clock] = [deps.facts(), await deps.figures(), deps.clock()];
  const { last, repairedRows } = await deps.compared();
  const nowMs = deps.now();
  const state = stateOf(facts, figures, nowMs);
  const ago = (ageMs: number | null) => (ageMs === null ? null : isoOf(nowMs - ageMs));
  const { trouble } = facts;
  const { counts } = facts;
  const { sentBytes, receivedBytes, since } = deps.dataToday();
  return {
    state,
    summary: sentenceOf(state, language),
    as_of: isoOf(nowMs),
    link: {
      is_up: isUp(state, facts),
      last_contact_at: ago(facts.contactAgeMs),
      age_s: seconds(facts.contactAgeMs),
      // addresses and versions are nobody's business who only works here
      trouble:
        trouble === null || sees === 'state'
          ? null
          : { code: trouble.code, detail: trouble.detail, age_s: Math.round(trouble.ageMs / 1000) },
    },
    socket: { is_open: facts.isSocketOpen, age_s: seconds(facts.socketAgeMs) },
    lanes: { core: laneOf(figures, 'core', nowMs), history: laneOf(figures, 'history', nowMs) },
    last_ack: { age_s: seconds(facts.ackAgeMs) },
    last_pull: { age_s: seconds(facts.pullAgeMs) },
    parked: { here: figures.parkedHere, there: figures.parkedThere },
    conflicts_open: figures.conflictsOpen,
    moved_farms: [...facts.moved],
    clock: { quality: deps.clockQuality(), ahead_of_hosted_ms: clock.aheadMs, age_s: seconds(clock.ageMs) },
    offline: {
      log_bytes: figures.logBytes,
      quota_bytes: figures.quotaBytes,
      bytes_per_day: figures.bytesPerDay,
      days_left: offlineDaysLeft(figures),
      age_s: Math.round(figures.sizeAgeMs / 1000),
    },
    data_today: { sent_bytes: sentBytes, received_bytes: receivedBytes, since },
    comparison: {
      last_at: last === null ? null : isoOf(last.at),
      age_s: last === null ? null : Math.max(0, Math.round((nowMs - last.at) / 1000)),
      differed: [...(last?.tables ?? [])],
      repaired_rows: repairedRows,
    },
    counts: {
      resyncs: counts.resyncs,
      restarts: counts.restarts,
      pushed_rows: counts.pushedRows,
      pulled_rows: counts.pulledRows,
      failures: counts.failures,
    },
  };
}

function isUp(state: SyncStateWord, { contactAgeMs }: SyncFacts): boolean {
  return (
    state !== 'unpaired' && state !== 'offline' && contactAgeMs !== null && contactAgeMs <= STALE_AFTER_MS
  );
}

function laneOf({ lanes, ageMs }: LogFigures, lane: SyncLane, nowMs: number) {
  const { waitingRows, oldestAtMs } = lanes[lane];
  return {
    waiting_rows: waitingRows,
    oldest_waiting_at: oldestAtMs === null ? null : isoOf(oldestAtMs),
    lag_s: oldestAtMs === null ? null : Math.max(0, Math.round((nowMs - oldestAtMs) / 1000)),
    age_s: Math.round(ageMs / 1000),
  };
}

/** What went over the link since local midnight; kept in memory, so it begins anew with the program. */
export function countDataToday({ now, zone }: { now: () => number; zone: string }) {
  const own = { day: localDay(isoOf(now()), zone), since: isoOf(now()), sent: 0, received: 0 };

  function turn(): void {
    const day = localDay(isoOf(now()), zone);
    if (day === own.day) return;
    Object.assign(own, { day, since: startOfDay(day, zone), sent: 0, received: 0 });
  }

  return {
    add(bytes: { sent: number; received: number }): void {
      turn();
      own.sent += bytes.sent;
      own.received += bytes.received;
    },
    soFar(): DataToday {
      turn();
      return { sentBytes: own.sent, receivedBytes: own.received, since: own.since };
    },
  };
}
