import { alert } from '#contract/resources/alerts.ts';
import { measurement } from '#contract/resources/water-quality.ts';
import { DAWN_ALERTS, type DawnAlert, SEVERITIES } from '#contract/words.ts';
import type { AlertCause, Alerting } from '#core/alerting.ts';
import { asParent, type Change, onTables, type RowListener, rowsOf } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { perform } from '#core/use-case.ts';
import { localDay } from '#core/zone-clock.ts';
import type { Language } from '#science/advice/language.ts';
import { DAWN_RULES } from '#science/dawn-forecast-constants.ts';
import { outlookOf } from '#science/oxygen-forecast.ts';
import { severityOf } from '#science/severity.ts';
import { nightAt, placeOf } from './aired-ponds.ts';
import {
  type ForecastDeps,
  forecastOfPond,
  forecastText,
  type PondForecast,
  timeOfDay,
} from './forecast-dawn.ts';
import type { ForecastQueries, OpenForecast, StoredForecast } from './ports.ts';

export type DawnWatchDeps = Omit<ForecastDeps, 'queries'> &
  Pick<Kernel, 'commit' | 'pause' | 'random' | 'guard' | 'idOf' | 'log'> & {
    monotonic: () => number;
    queries: ForecastQueries;
    alerting: Alerting;
  };

export type DawnWatch = { look: () => Promise<void>; follow: RowListener };

const MINUTE_MS = 60_000;
/** A probe sends every few minutes; the morning looks no different for it. */
const FORECAST_EVERY_MS = 15 * MINUTE_MS;
/** Local times between which every pond measured this night is looked at each half-hour, with or without news. */
const LOOKS = { from: '22:00', until: '04:30' };
/** No night is longer. */
const NIGHT_MS = 16 * 60 * MINUTE_MS;
const MOST_PONDS_A_LOOK = 50;

/**
 * Looks at dawn from the evening on: a pond whose oxygen is expected to fall below the farm's level raises one alert for
 * that night, which ends when a later reading says otherwise or the sun is up.
 */
export function createDawnWatch(deps: DawnWatchDeps): DawnWatch {
  const due = new Set<string>();
  const lookedAt = new Map<string, number>();
  const openByAlert = new Map<string, OpenForecast>();
  const state = { isLoaded: false, lastLook: null as number | null, hasFailed: false };

  async function look(): Promise<void> {
    // no night can be told by a clock that is not to be trusted
    if (deps.clockQuality() !== 'trusted') return;
    if (!state.isLoaded) {
      for (const open of await deps.queries.openForecasts()) openByAlert.set(open.id, open);
      state.isLoaded = true;
    }
    await addFixedLooks();
    await endLastNights();
    const now = deps.monotonic();
    const ready = [...due].filter(
      (id) => now - (lookedAt.get(id) ?? Number.NEGATIVE_INFINITY) >= FORECAST_EVERY_MS,
    );
    for (const pondId of ready.slice(0, MOST_PONDS_A_LOOK)) {
      await judge(pondId);
      due.delete(pondId);
      lookedAt.set(pondId, now);
    }
    for (const [id, at] of lookedAt) if (now - at > NIGHT_MS) lookedAt.delete(id);
  }

  /** The first look of a run, and those at fixed times, take in every pond measured this night. */
  async function addFixedLooks(): Promise<void> {
    const now = deps.now();
    const last = state.lastLook;
    state.lastLook = now;
    const halfHour = Math.floor(now / (30 * MINUTE_MS)) * 30 * MINUTE_MS;
    const isFirst = last === null;
    if (!isFirst && (last >= halfHour || now - last > NIGHT_MS)) return;
    for (const { id, zone } of await deps.queries.pondsMeasuredSince(isoOf(now - NIGHT_MS))) {
      const { clock } = placeOf({ zone, lat: null, lng: null });
      const time = timeOfDay(clock, halfHour);
      if (!isFirst && time < LOOKS.from && time > LOOKS.until) continue;
      due.add(id);
      lookedAt.delete(id);
    }
  }

  async function endLastNights(): Promise<void> {
    for (const { id, type, pondId, triggeredAt } of openByAlert.values()) {
      const pond = await deps.queries.pondPlace(pondId);
      if (pond === null) {
        openByAlert.delete(id);
        continue;
      }
      const { aeration } = await deps.scienceOf(pond.farmId);
      const { dawnMs } = nightAt(aeration, placeOf(pond), Date.parse(triggeredAt));
      if (deps.now() < dawnMs) continue;
      await store(pond, () => deps.alerting.revise(causeName(type, pond, dawnMs), null));
      openByAlert.delete(id);
    }
  }

  async function judge(pondId: string): Promise<void> {
    const found = await forecastOfPond(deps, pondId);
    if (found?.night?.isNight !== true) return;
    const alarm = await storedOf('LOW_OXYGEN_FORECAST', found, found.night.dawnMs);
    const request = await storedOf('MEASURE_OXYGEN', found, found.night.dawnMs);
    const cause = causeOf(found, alarm.name, request.name, deps.now());
    // an alarm ends by what is well, not by a doubt; a request by any answer
    if (alarm.isOpen && cause?.type !== 'LOW_OXYGEN_FORECAST') {
      if (isWell(found)) await store(found.pond, () => deps.alerting.revise(alarm.name, null));
      if (cause === null || !isWell(found)) return;
    }
    const isAnswered = cause?.type !== 'MEASURE_OXYGEN' && found.forecast !== null;
    if (request.isOpen && (isAnswered || isWell(found)))
      await store(found.pond, () => deps.alerting.revise(request.name, null));
    if (cause !== null)
      await tell(found, cause, cause.type === 'MEASURE_OXYGEN' ? request.stored : alarm.stored);
  }

  async function storedOf(type: DawnAlert, { pond }: PondForecast, dawnMs: number) {
    const name = causeName(type, pond, dawnMs);
    const stored = await deps.queries.forecastById(deps.idOf(name));
    return { name, stored, isOpen: stored?.status === 'ACTIVE' };
  }

  async function tell(
    { pond }: PondForecast,
    cause: AlertCause,
    stored: StoredForecast | null,
  ): Promise<void> {
    if (stored === null) {
      await store(pond, () => deps.alerting.raise(cause));
      deps.log.info(
        { pond: pond.cod, dawnMgL: cause.value, severity: cause.severity },
        cause.type === 'MEASURE_OXYGEN'
          ? 'readings are too few to rule out low oxygen at dawn'
          : 'oxygen is expected to be low at dawn',
      );
    } else if (isNews(stored, cause)) {
      const as = tellsAgain(stored, cause);
      await store(pond, () => deps.alerting.revise(cause.cause, { ...cause, as }));
    }
  }

  async function store(
    { id, farmId }: PondForecast['pond'],
    decide: () => Promise<Change[] | null>,
  ): Promise<void> {
    await perform(deps, null, async () => {
      const guards = [asParent(await deps.guard('farm', farmId)), asParent(await deps.guard('pond', id))];
      return { answer: null, changes: (await decide()) ?? [], guards };
    });
  }

  return {
    async look() {
      try {
        await look();
        state.hasFailed = false;
      } catch (error) {
        // a full disk refuses the alert; said once, tried again every minute
        if (!state.hasFailed)
          deps.log.warn({ err: error }, 'forecasts of oxygen could not be made or stored');
        state.hasFailed = true;
      }
    },
    follow: onTables([measurement, alert], (committed) => {
      for (const { before, after } of rowsOf(committed, measurement)) {
        const isOfOxygen = after.dissolved_oxygen !== null || before?.dissolved_oxygen != null;
        if (isOfOxygen && after.source !== 'import') due.add(after.pond_id);
      }
      for (const { id, after, hidden } of rowsOf(committed, alert)) {
        const type = DAWN_ALERTS.find((each) => each === after.type);
        if (type === undefined || after.source !== 'automatic' || after.pond_id === null) continue;
        const open = { id, type, pondId: after.pond_id, triggeredAt: after.triggered_at };
        if (after.status === 'ACTIVE' && !hidden) openByAlert.set(id, open);
        else openByAlert.delete(id);
      }
    }),
  };
}

function causeName(type: DawnAlert, pond: PondForecast['pond'], dawnMs: number): string {
  return `${type.toLowerCase()}:${pond.id}:${localDay(isoOf(dawnMs), pond.zone)}`;
}

/** null: there is nothing to warn of, and nothing to ask for. */
function causeOf(found: PondForecast, alarm: string, request: string, nowMs: number): AlertCause | null {
  const { pond, constants, forecast } = found;
  const settings = constants.aeration.forecast;
  const outlook = forecast === null ? null : outlookOf(settings, forecast, nowMs);
  if (forecast === null || (outlook !== 'WARN' && outlook !== 'MEASURE')) return null;
  const words = (language: Language) => forecastText(found, nowMs, language);
  const said = {
    farm_id: pond.farmId,
    control_point_id: null,
    pond_id: pond.id,
    message: words('pt-BR'),
    words,
    parameter: 'dissolved_oxygen' as const,
    value: Math.round(forecast.dawnMgL * 100) / 100,
    threshold: settings.warnBelowMgL,
  };
  if (outlook === 'MEASURE') {
    // nobody came by the hour asked for: said once more, and louder
    const isLate = nowMs >= forecast.dawnMs - DAWN_RULES.lastWordHours * 60 * MINUTE_MS;
    return { ...said, type: 'MEASURE_OXYGEN', severity: isLate ? 'MEDIUM' : 'LOW', cause: request };
  }
  const violation = {
    type: 'LOW_OXYGEN' as const,
    parameter: 'dissolved_oxygen' as const,
    // what only may fall below is graded as what just does
    value: Math.min(forecast.dawnMgL, settings.warnBelowMgL),
    threshold: settings.warnBelowMgL,
    measured: forecast.dawnMgL,
    nh3: null,
  };
  const severity = severityOf(constants.water, violation, null);
  return { ...said, type: 'LOW_OXYGEN_FORECAST', severity, cause: alarm };
}

/** A later forecast, or oxygen that no longer falls, well above the level. */
function isWell({ constants, forecast, readings, whyNone }: PondForecast): boolean {
  const wellFrom = constants.aeration.forecast.warnBelowMgL + constants.water.deadBand.oxygenMgL;
  if (forecast !== null) return forecast.dawnMgL >= wellFrom;
  const last = readings.at(-1);
  return whyNone === 'NOT_FALLING' && last !== undefined && last.oxygenMgL >= wellFrom;
}

/** A tenth of a milligram is less than the forecast knows. What a person resolved stays so. */
function isNews(stored: StoredForecast, cause: AlertCause): boolean {
  if (stored.status === 'RESOLVED' && stored.isByPerson) return false;
  return (
    stored.status === 'RESOLVED' ||
    stored.severity !== cause.severity ||
    Math.abs((stored.value ?? 0) - (cause.value ?? 0)) >= 0.1
  );
}

/** One notification a night; another only when it got worse, or is true again after all. */
function tellsAgain(stored: StoredForecast, { severity }: AlertCause): 'news' | 'quiet' {
  // the worst stands first
  const isWorse = SEVERITIES.indexOf(severity) < SEVERITIES.indexOf(stored.severity);
  return isWorse || stored.status === 'RESOLVED' ? 'news' : 'quiet';
}
