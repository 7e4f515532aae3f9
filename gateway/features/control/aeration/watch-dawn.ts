import { alert } from '#contract/resources/alerts.ts';
import { measurement } from '#contract/resources/water-quality.ts';
import { SEVERITIES } from '#contract/words.ts';
import type { AlertCause, Alerting } from '#core/alerting.ts';
import { asParent, type Change, type Committed, rowsOf } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { localDay } from '#core/local-day.ts';
import { perform } from '#core/use-case.ts';
import type { Language } from '#science/advice/language.ts';
import { outlookOf } from '#science/oxygen-forecast.ts';
import { severityOf } from '#science/severity.ts';
import { nightAt, placeOf } from './farm-nights.ts';
import { type ForecastDeps, forecastOfPond, type PondForecast, timeOfDay } from './forecast-dawn.ts';
import { forecastText } from './forecast-words.ts';
import type { ForecastQueries, OpenForecast, StoredForecast } from './ports.ts';

export type DawnWatchDeps = Omit<ForecastDeps, 'queries'> &
  Pick<Kernel, 'commit' | 'pause' | 'random' | 'guard' | 'idOf' | 'log'> & {
    monotonic: () => number;
    queries: ForecastQueries;
    alerting: Alerting;
  };

export type DawnWatch = { look: () => Promise<void>; follow: (committed: Committed) => void };

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
    for (const { id, pondId, triggeredAt } of openByAlert.values()) {
      const pond = await deps.queries.pondPlace(pondId);
      if (pond === null) {
        openByAlert.delete(id);
        continue;
      }
      const { aeration } = await deps.scienceOf(pond.farmId);
      const { dawnMs } = nightAt(aeration, placeOf(pond), Date.parse(triggeredAt));
      if (deps.now() < dawnMs) continue;
      await store(pond, () => deps.alerting.revise(causeName(pond, dawnMs), null));
      openByAlert.delete(id);
    }
  }

  async function judge(pondId: string): Promise<void> {
    const found = await forecastOfPond(deps, pondId);
    if (found?.night?.isNight !== true) return;
    const name = causeName(found.pond, found.night.dawnMs);
    const stored = await deps.queries.forecastById(deps.idOf(name));
    const cause = causeOf(found, name, deps.now());
    if (cause === null) {
      if (stored?.status !== 'ACTIVE' || !isWell(found)) return;
      await store(found.pond, () => deps.alerting.revise(name, null));
    } else if (stored === null) {
      await store(found.pond, () => deps.alerting.raise(cause));
      deps.log.info(
        { pond: found.pond.cod, dawnMgL: cause.value, severity: cause.severity },
        'oxygen is expected to be low at dawn',
      );
    } else if (isNews(stored, cause)) {
      await store(found.pond, () => deps.alerting.revise(name, { ...cause, as: tellsAgain(stored, cause) }));
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
    follow(committed) {
      for (const { before, after } of rowsOf(committed, measurement)) {
        const isOfOxygen = after.dissolved_oxygen !== null || before?.dissolved_oxygen != null;
        if (isOfOxygen && after.source !== 'import') due.add(after.pond_id);
      }
      for (const { id, after, hidden } of rowsOf(committed, alert)) {
        if (after.type !== 'LOW_OXYGEN_FORECAST' || after.source !== 'automatic' || after.pond_id === null)
          continue;
        const open = { id, pondId: after.pond_id, triggeredAt: after.triggered_at };
        if (after.status === 'ACTIVE' && !hidden) openByAlert.set(id, open);
        else openByAlert.delete(id);
      }
    },
  };
}

function causeName(pond: PondForecast['pond'], dawnMs: number): string {
  return `low_oxygen_forecast:${pond.id}:${localDay(isoOf(dawnMs), pond.zone)}`;
}

/** null: nothing to warn of. */
function causeOf(found: PondForecast, name: string, nowMs: number): AlertCause | null {
  const { pond, constants, forecast } = found;
  const { warnBelowMgL } = constants.aeration.forecast;
  if (forecast === null || outlookOf(constants.aeration.forecast, forecast, nowMs) !== 'WARN') return null;
  const value = Math.round(forecast.dawnMgL * 100) / 100;
  const violation = {
    type: 'LOW_OXYGEN' as const,
    parameter: 'dissolved_oxygen' as const,
    // what only may fall below is graded as what just does
    value: Math.min(forecast.dawnMgL, warnBelowMgL),
    threshold: warnBelowMgL,
    measured: forecast.dawnMgL,
    nh3: null,
  };
  const words = (language: Language) => forecastText(found, nowMs, language);
  return {
    farm_id: pond.farmId,
    control_point_id: null,
    pond_id: pond.id,
    type: 'LOW_OXYGEN_FORECAST',
    severity: severityOf(constants.water, violation, null),
    message: words('pt-BR'),
    words,
    parameter: 'dissolved_oxygen',
    value,
    threshold: warnBelowMgL,
    cause: name,
  };
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
