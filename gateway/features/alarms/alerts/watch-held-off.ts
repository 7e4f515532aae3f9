import { type FailSafe, type SwitchState, unreachable } from '#contract/words.ts';
import type { AlertCause, Alerting } from '#core/alerting.ts';
import { asParent, type Change, type RowListener } from '#core/changes.ts';
import { StorageUnavailable } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { NewestMap } from '#core/newest-map.ts';
import type { Language } from '#core/notifying.ts';
import { perform } from '#core/use-case.ts';
import { wallOf } from '#core/zone-clock.ts';
import { populationIn } from '#features/production/batch-in-pond.ts';
import type { BatchStates } from '#features/production/batch-state.ts';
import type { Night } from '#science/night.ts';
import { SEVERITY_BY_TYPE, simulatedWords } from './alert-words.ts';
import { createOpenAlerts } from './alerting.ts';
import { heldOffWords } from './device-alert-words.ts';
import type { AlertQueries } from './ports.ts';
import { oneAtATime } from './watch-devices.ts';

// When a motor that a person switched off stands still for too long. Instants are ms since 1970.

/** Feeding and work in a pond take half an hour. */
const PAUSE_MS = 30 * 60_000;
/** The water has least oxygen at dawn, and not much soon after it. */
const AFTER_DAWN_MS = 2 * 3_600_000;
/** What is over is undone within seconds; a controller and a busy machine have a minute. */
const OVERDUE_MS = 60_000;

/** An order of a person that holds a motor off. */
type HeldOff = {
  orderId: string;
  since: number;
  until: number | null;
  /** What the schedules alone say; null: nothing. */
  scheduled: SwitchState | null;
};

/** Whether it is worth asking for the night. */
function mayBeTooLong(hold: HeldOff, now: number): boolean {
  return hold.scheduled !== 'OFF' && (isOverdue(hold, now) || now - hold.since > PAUSE_MS);
}

/**
 * `night` is that around the instant two hours ago, so that the two hours after dawn belong to it; null: nobody can
 * tell. Where the schedules want the motor off at this hour, too, nobody holds it.
 */
export function isHeldTooLong(hold: HeldOff, night: Night | null, now: number): boolean {
  if (!mayBeTooLong(hold, now)) return false;
  if (isOverdue(hold, now)) return true;
  if (night === null || now < night.duskMs || now >= night.dawnMs + AFTER_DAWN_MS) return false;
  return now - Math.max(hold.since, night.duskMs) > PAUSE_MS;
}

/** The order was for a time, and that is over. */
function isOverdue({ until }: Pick<HeldOff, 'until'>, now: number): boolean {
  return until !== null && now - until > OVERDUE_MS;
}

/** A control point, and the order of a person that holds its motor off; null: none does. */
export type HoldablePoint = {
  controlPointId: string;
  farmId: string;
  cod: string;
  zone: string;
  ponds: readonly { id: string; cod: string }[];
  isSimulated: boolean;
  /** As it last said; null: it never did. */
  current: SwitchState | null;
  hold: HeldOff | null;
};

type HeldOffWatchDeps = Pick<Kernel, 'now' | 'commit' | 'pause' | 'random' | 'guard' | 'log'> & {
  monotonic: () => number;
  points: () => Iterable<HoldablePoint>;
  /** The night around an instant on that farm; null: it cannot be told. */
  nightOf: (farmId: string, atMs: number) => Promise<Night | null>;
  stocked: StockedPonds;
  alerting: Pick<Alerting, 'raise' | 'resolve'>;
  queries: Pick<AlertQueries, 'openOfTypes'>;
};

/** Of each farm, as asked for in this poll. */
type Nights = Map<string, Promise<Night | null>>;

type HeldOffWatch = { tick: () => Promise<void>; follow: RowListener };

const POLL_EVERY_MS = 5_000;
const MOST_A_POLL = 50;
/** Control points whose last hold is known. */
const MOST_TOLD = 20_000;

/**
 * Tells when a person switched the motor of a stocked pond off and nobody switched it on again: once per hold. It ends
 * when the motor runs, or when something else decides.
 */
export function createHeldOffWatch(deps: HeldOffWatchDeps): HeldOffWatch {
  const open = createOpenAlerts({
    queries: deps.queries,
    types: ['OFF_SCHEDULE'],
    thingOf: (row) => row.control_point_id,
  });
  /** What was told in this run: a hold that a person resolved is not told again. */
  const toldByPoint = new NewestMap<string, string>(MOST_TOLD);
  const state = { polledAt: Number.NEGATIVE_INFINITY, hasFailed: false };

  async function poll(): Promise<void> {
    if (deps.monotonic() - state.polledAt < POLL_EVERY_MS) return;
    state.polledAt = deps.monotonic();
    await open.load();
    const nights = new Map<string, Promise<Night | null>>();
    let units = 0;
    for (const point of deps.points()) {
      if (units >= MOST_A_POLL) return;
      if (await update(point, nights)) units += 1;
    }
  }

  /** True when something was stored. */
  async function update(point: HoldablePoint, nights: Nights): Promise<boolean> {
    const { controlPointId, hold, current } = point;
    const isOpen = open.of('OFF_SCHEDULE', controlPointId) !== null;
    if (hold === null || current === 'ON') {
      if (!isOpen) return false;
      await store(point, () =>
        deps.alerting.resolve({ type: 'OFF_SCHEDULE', control_point_id: controlPointId }),
      );
      return true;
    }
    if (isOpen || !(await isForgotten(point, hold, nights))) return false;
    const cause = causeOf(point, hold, deps.now());
    if (toldByPoint.get(controlPointId) === cause.cause) return false;
    await store(point, () => deps.alerting.raise(cause));
    toldByPoint.set(controlPointId, cause.cause);
    return true;
  }

  async function isForgotten(
    { farmId, ponds }: HoldablePoint,
    hold: HeldOff,
    nights: Nights,
  ): Promise<boolean> {
    const now = deps.now();
    if (!mayBeTooLong(hold, now)) return false;
    const night = nights.get(farmId) ?? deps.nightOf(farmId, now - AFTER_DAWN_MS);
    nights.set(farmId, night);
    if (!isHeldTooLong(hold, await night, now)) return false;
    const ids = ponds.map(({ id }) => id);
    await deps.stocked.refresh(ids);
    return deps.stocked.has(ids);
  }

  async function store(
    { farmId, controlPointId }: HoldablePoint,
    decide: () => Promise<Change[]>,
  ): Promise<void> {
    const { committed } = await perform(deps, null, async () => {
      const guards = [
        asParent(await deps.guard('farm', farmId)),
        asParent(await deps.guard('control_point', controlPointId)),
      ];
      return { answer: null, changes: await decide(), guards };
    });
    open.follow(committed);
  }

  async function pollSafely(): Promise<void> {
    try {
      await poll();
      state.hasFailed = false;
    } catch (error) {
      const isSaid = error instanceof StorageUnavailable && state.hasFailed;
      if (!isSaid) deps.log.error({ err: error }, 'alerts of motors that are held off could not be stored');
      state.hasFailed = error instanceof StorageUnavailable;
    }
  }

  return { tick: oneAtATime(pollSafely), follow: open.follow };
}

function causeOf(point: HoldablePoint, hold: HeldOff, now: number): AlertCause {
  const { controlPointId, farmId, zone, isSimulated } = point;
  const local = (ms: number) => isoOf(wallOf(zone, ms)).slice(11, 16);
  const words = heldOffWords(point, {
    since: local(hold.since),
    until: hold.until === null ? null : local(hold.until),
    isOverdue: isOverdue(hold, now),
  });
  const said = isSimulated ? simulatedWords(words) : words;
  return {
    farm_id: farmId,
    control_point_id: controlPointId,
    pond_id: null,
    type: 'OFF_SCHEDULE',
    severity: isSimulated ? 'MEDIUM' : SEVERITY_BY_TYPE.OFF_SCHEDULE,
    message: said('pt-BR'),
    words: said,
    cause: `off_schedule:${controlPointId}:${hold.orderId}`,
  };
}

/** A motor that no schedule drives while the clock is not trusted. */
export type HeldMotor = { cod: string; target: SwitchState; failSafe: FailSafe };

const MAX_NAMES = 20;
const ORDER = ['HOLD', 'ON', 'OFF', 'SCHEDULE'] as const satisfies readonly FailSafe[];

/** Which motors are held meanwhile and how, by their fail-safes; empty without any. */
export function heldWords(motors: readonly HeldMotor[], language: Language): string {
  const named = motors.slice(0, MAX_NAMES);
  const parts = ORDER.flatMap((failSafe) => {
    const own = named.filter((motor) => motor.failSafe === failSafe);
    return own.length === 0 ? [] : [`${howOf(failSafe, language)}: ${listOf(own, language)}`];
  });
  if (parts.length === 0) return '';
  const more = motors.length - named.length;
  const [until, others] = {
    'pt-BR': ['Até lá', `e mais ${more}`],
    en: ['Until then', `and ${more} more`],
    es: ['Hasta entonces', `y ${more} más`],
  }[language];
  return ` ${until}: ${parts.join('; ')}${more > 0 ? ` (${others})` : ''}.`;
}

function howOf(failSafe: FailSafe, language: Language): string {
  switch (failSafe) {
    case 'HOLD':
      return {
        'pt-BR': 'mantidos como as regras queriam por último',
        en: 'held as the rules last wanted',
        es: 'mantenidos como las reglas querían por último',
      }[language];
    case 'ON':
      return { 'pt-BR': 'modo seguro: ligar', en: 'fail-safe ON', es: 'modo seguro: encender' }[language];
    case 'OFF':
      return { 'pt-BR': 'modo seguro: desligar', en: 'fail-safe OFF', es: 'modo seguro: apagar' }[language];
    case 'SCHEDULE':
      return {
        'pt-BR': 'pela programação e uma hora estimada',
        en: 'by the schedule and an estimated time',
        es: 'por la programación y una hora estimada',
      }[language];
    default:
      return unreachable(failSafe);
  }
}

function listOf(motors: readonly HeldMotor[], language: Language): string {
  const word = {
    ON: { 'pt-BR': 'ligado', en: 'ON', es: 'encendido' }[language],
    OFF: { 'pt-BR': 'desligado', en: 'OFF', es: 'apagado' }[language],
  };
  return motors.map(({ cod, target }) => `${cod} ${word[target]}`).join(', ');
}

type StockedPondsDeps = Pick<Kernel, 'log'> & {
  monotonic: () => number;
  activeInPonds: BatchStates['activeInPonds'];
};

type StockedPonds = {
  /** Reads ponds that were not read of late. Never throws: what is not known counts as without animals. */
  refresh: (pondIds: readonly string[]) => Promise<void>;
  /** Whether animals live in one of these ponds, as far as it was asked for. */
  has: (pondIds: readonly string[]) => boolean;
};

/** A batch is stocked or harvested now and then; whom it makes a difference to can wait a minute. */
const READ_EVERY_MS = 60_000;
/** No alert has asked for the pond since. */
const FORGOTTEN_AFTER_MS = 3_600_000;

/** In which ponds an ACTIVE batch has animals: asked only for the few that an alert depends on. */
export function createStockedPonds(deps: StockedPondsDeps): StockedPonds {
  const knownById = new Map<string, { isStocked: boolean; at: number }>();

  async function read(pondIds: readonly string[], now: number): Promise<void> {
    for (const [id, { at }] of knownById) if (now - at >= FORGOTTEN_AFTER_MS) knownById.delete(id);
    const batches = await deps.activeInPonds(pondIds);
    for (const id of pondIds) {
      const isStocked = (batches.get(id) ?? []).some((state) => populationIn(state, id) > 0);
      knownById.set(id, { isStocked, at: now });
    }
  }

  return {
    async refresh(pondIds) {
      const now = deps.monotonic();
      const due = pondIds.filter((id) => now - (knownById.get(id)?.at ?? -Infinity) >= READ_EVERY_MS);
      if (due.length === 0) return;
      await read([...new Set(due)], now).catch((error: unknown) =>
        deps.log.warn({ err: error }, 'which ponds hold animals could not be read'),
      );
    },
    has: (pondIds) => pondIds.some((id) => knownById.get(id)?.isStocked === true),
  };
}
