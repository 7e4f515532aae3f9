import type { RowOf } from '#contract/resource.ts';
import { alert } from '#contract/resources/alerts.ts';
import { notification } from '#contract/resources/notifications.ts';
import { titleOf } from '#features/alarms/alerts/alert-words.ts';
import { causeOf } from '#features/production/water-quality/judge-water.ts';
import { idOfCause } from '#runtime/world.ts';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';
import { comparedValue, endsEpisode, parameterOf, type WaterAlertType } from '#science/water-limits.ts';
import { type GradedViolation, gradedViolations } from '#science/water-status.ts';
import type { Chance } from './chance.ts';
import { type Emit, HOUR_MS, iso } from './grown.ts';
import type { Places } from './places.ts';
import type { Measured } from './water.ts';

const { water } = SCIENCE_DEFAULTS;
/** By then somebody has seen it. */
const READ_AFTER_MS = 36 * HOUR_MS;

type AlertRow = RowOf<typeof alert>;
type Episode = { type: WaterAlertType; alerts: AlertRow[] };
type Deps = { chance: Chance; emit: Emit; places: Places; untilMs: number };

/** Raises an alert for each violation and tells everybody; a good value later resolves all of its episode. */
export function createWaterAlerts(deps: Deps): {
  look: (measured: Measured) => void;
  /** Episodes that still last. */
  finish: () => void;
} {
  const openByPond = new Map<string, Map<WaterAlertType, Episode>>();
  const salinityByPond = new Map<string, number>();

  function look(measured: Measured): void {
    const { pond, unixMs, sample } = measured;
    if (sample.salinity !== null) salinityByPond.set(pond.id, sample.salinity);
    const open = openByPond.get(pond.id) ?? new Map<WaterAlertType, Episode>();
    openByPond.set(pond.id, open);
    for (const episode of open.values()) {
      const value = comparedValue(water, sample, parameterOf(episode.type));
      if (value === null || !endsEpisode(water, episode.type, value)) continue;
      open.delete(episode.type);
      for (const row of episode.alerts)
        deps.emit(alert, { ...row, status: 'RESOLVED', resolved_at: iso(unixMs), updated_at: iso(unixMs) });
    }
    for (const violation of gradedViolations(water, sample, salinityByPond.get(pond.id) ?? null)) {
      const episode = open.get(violation.type) ?? { type: violation.type, alerts: [] };
      open.set(violation.type, episode);
      episode.alerts.push(raise(deps, { measured, violation, first: episode.alerts[0] }));
    }
  }

  return {
    look,
    finish() {
      for (const open of openByPond.values())
        for (const { alerts } of open.values()) for (const row of alerts) deps.emit(alert, row);
    },
  };
}

/** The alert as the gateway would have raised it: by the same cause, so that a correction of its measurement finds it. */
function raise(
  { chance, emit, places, untilMs }: Deps,
  of: { measured: Measured; violation: GradedViolation; first: AlertRow | undefined },
): AlertRow {
  const { measured, violation } = of;
  const { pond, unixMs } = measured;
  const { type, parameter, value, threshold, severity } = violation;
  const names = { farmName: '', pond: { id: pond.id, cod: pond.cod }, controlPoint: null };
  const row = { id: measured.id, measurement_date: iso(unixMs) };
  const onFarm = { id: pond.id, cod: pond.cod, farm_id: places.farmId };
  const { cause, message, words } = causeOf({ water, pond: onFarm, row }, violation, 'news');
  const id = idOfCause(cause);
  const episode_id = of.first?.episode_id ?? id;
  const known = { alert_id: id, alert_type: type, severity, episode_id, farm_id: places.farmId };
  for (const person of places.people) {
    emit(notification, {
      id: chance.uuid(unixMs),
      user_id: person.id,
      farm_id: places.farmId,
      type: 'ALERT',
      title: titleOf(type, names, person.language),
      message: words(person.language),
      data: { pond_id: pond.id, pond_cod: pond.cod, parameter, value, threshold, ...known },
      is_read: untilMs - unixMs > READ_AFTER_MS,
      read_at:
        untilMs - unixMs > READ_AFTER_MS ? iso(Math.floor(unixMs + chance.between(0.2, 20) * HOUR_MS)) : null,
      created_at: iso(unixMs),
    });
  }
  return {
    ...QUIET,
    id,
    farm_id: places.farmId,
    control_point_id: null,
    pond_id: pond.id,
    type,
    severity,
    message,
    parameter,
    value,
    threshold,
    triggered_at: iso(unixMs),
    episode_id,
    told_at: iso(unixMs),
    told_severity: severity,
    created_at: iso(unixMs),
  };
}

const QUIET = {
  status: 'ACTIVE',
  resolved_at: null,
  resolved_by: null,
  folded_into: null,
  acknowledged_at: null,
  acknowledged_by: null,
  acknowledge_note: null,
  silenced_until: null,
  silenced_by: null,
  silence_reason: null,
  shelved_until: null,
  shelved_by: null,
  shelve_reason: null,
  source: 'automatic',
  clock_quality: 'trusted',
  updated_at: null,
} as const;
