import { WATER_FIELDS, type WaterField } from '#contract/resources/water-quality.ts';
import type { Alerting, OpenEpisode } from '#core/alerting.ts';
import type { Change } from '#core/changes.ts';
import type { Kernel } from '#core/kernel.ts';
import { alertTypesOf, type Water, type WaterAlertType } from '#science/water-limits.ts';
import {
  causeName,
  causeOf,
  endedTypes,
  everyField,
  type Judged,
  judged,
  knownOf,
  wantsSalinity,
} from './judge-water.ts';
import type { CorrectQueries, Measurement, MeasurementRow, PondToMeasure } from './ports.ts';
import { isOfThePast, NEWS_DAYS, SALINITY_DAYS, standingOf } from './record-measurement.ts';

type Deps = Pick<Kernel, 'now' | 'clockQuality'> & { queries: CorrectQueries; alerting: Alerting };

type Correction = {
  water: Water;
  pond: PondToMeasure;
  before: Measurement;
  /** null: deleted. */
  after: MeasurementRow | null;
};

const DAY_MS = 86_400_000;
const NOTHING: ReadonlySet<WaterField> = new Set();
/** So many values back one is looked for that decides: between the limit and its dead band a pond may hang for long. */
const VALUES_BACK = 200;

/**
 * The alerts as they would stand had the value been right at once, by the rules of recording: of each type the newest value
 * that is beyond its limit, or inside it by more than the dead band, decides whether there is trouble now. What a person
 * resolved stays resolved, and a value that is by now older than a day begins no trouble of now.
 */
export async function alertsAfter(deps: Deps, correction: Correction): Promise<Change[]> {
  const { pond } = correction;
  const open = pond.hasOpenAlerts ? await deps.queries.openEpisodes(pond.id) : [];
  const changes = new AlertChanges();
  const salinity = salinityOf(deps, correction);
  for (const parameter of WATER_FIELDS) {
    if (!touches(correction, parameter)) continue;
    const rows = await rowsThatCount(deps, correction, parameter);
    const seen: Judged[] = [];
    for (const type of alertTypesOf(parameter)) {
      const decides = await decidingRow({ rows, seen, salinity, correction }, type);
      // decides first, so that an alert that ends with its episode ends once
      if (decides !== null) await letDecide(deps, correction, { decides, type, open, changes });
      await reviseOwn(deps, correction, { decides, type, open, changes, salinity });
    }
  }
  return changes.all;
}

/** Collects changes of alerts; an alert changes once in a commit. */
class AlertChanges {
  readonly all: Change[] = [];
  readonly #changed = new Set<string>();

  add(changes: readonly Change[]): void {
    const isKnown = changes.some((change) => change.op === 'update' && this.#changed.has(change.id));
    if (isKnown) return;
    for (const change of changes) if (change.op === 'update') this.#changed.add(change.id);
    this.all.push(...changes);
  }
}

function touches({ before, after }: Correction, parameter: WaterField): boolean {
  if (alertTypesOf(parameter).length === 0) return false;
  // values without a salinity of their own are graded by that of the pond
  const isSaltier = before.salinity !== (after?.salinity ?? null) || isMoved(before, after);
  if (isSaltier && (parameter === 'nitrite' || parameter === 'nitrate' || parameter === 'ammonia'))
    return true;
  const then = before[parameter];
  const now = after?.[parameter] ?? null;
  if (then === null && now === null) return false;
  return (
    after === null ||
    then !== now ||
    isMoved(before, after) ||
    // what is compared of ammonia depends on these
    (parameter === 'ammonia' && (before.ph !== after.ph || before.temperature !== after.temperature))
  );
}

const isMoved = (before: Measurement, after: MeasurementRow | null) =>
  after !== null && before.measurement_date !== after.measurement_date;

/**
 * Values of a parameter as they are after the correction, newest first, that were news when they were entered: what was
 * measured again before, or was history by then, decides nothing.
 */
async function rowsThatCount(
  { queries }: Deps,
  { pond, before, after }: Correction,
  parameter: WaterField,
): Promise<MeasurementRow[]> {
  const others: MeasurementRow[] = await queries.newestWith(pond.id, parameter, before.id, VALUES_BACK);
  const all = after === null || after[parameter] === null ? others : [...others, after];
  const inOrder = all.toSorted(
    (a, b) => inOrderOf(b.measurement_date, a.measurement_date) || inOrderOf(b.id, a.id),
  );
  const wasBehind = (row: MeasurementRow) =>
    inOrder.some(
      (other) => other.measurement_date > row.measurement_date && other.created_at < row.created_at,
    );
  return inOrder.filter((row) => !wasBehind(row) && !wasHistory(row, pond.newest_at));
}

const inOrderOf = (a: string, b: string) => (a === b ? 0 : a < b ? -1 : 1);

function wasHistory(row: MeasurementRow, newestAt: string | null): boolean {
  const { clock_quality: clock, measurement_date: at, created_at: enteredAt } = row;
  // by a clock of which nobody can tell, the newest of the pond tells
  if (clock !== 'trusted')
    return newestAt !== null && Date.parse(newestAt) - Date.parse(at) > NEWS_DAYS * DAY_MS;
  return isOfThePast(row, { clock, atMs: Date.parse(enteredAt) });
}

type Salinity = (row: MeasurementRow) => Promise<number | null>;

/** The pond's salinity for a measurement without its own, as it is after the correction. */
function salinityOf({ queries }: Deps, { pond, before, after }: Correction): Salinity {
  let told: Promise<Measurement[]> | null = null;
  return async (row) => {
    if (!wantsSalinity(row)) return null;
    told ??= queries.newestWith(pond.id, 'salinity', before.id, VALUES_BACK);
    const all: MeasurementRow[] = [...(await told), ...(after === null ? [] : [after])];
    const notBefore = new Date(Date.parse(row.measurement_date) - SALINITY_DAYS * DAY_MS).toISOString();
    const last = all
      .filter(
        ({ id, salinity, measurement_date: at }) =>
          id !== row.id && salinity !== null && at <= row.measurement_date && at >= notBefore,
      )
      .toSorted((a, b) => inOrderOf(b.measurement_date, a.measurement_date))[0];
    return last?.salinity ?? null;
  };
}

/** A value that is beyond its limit, or that ends every trouble of its type. */
type Deciding = { row: MeasurementRow; verdict: Judged; ends: boolean };

/** `seen`: the verdicts so far, in the order of `rows`; a second type of the parameter asks for the same ones. */
async function decidingRow(
  look: { rows: readonly MeasurementRow[]; seen: Judged[]; salinity: Salinity; correction: Correction },
  type: WaterAlertType,
): Promise<Deciding | null> {
  const { water } = look.correction;
  for (const [i, row] of look.rows.entries()) {
    const verdict = (look.seen[i] ??= judged(water, row, await look.salinity(row)));
    if (verdict.violations.some((violation) => violation.type === type)) return { row, verdict, ends: false };
    if (endedTypes(water, verdict.sample, NOTHING).includes(type)) return { row, verdict, ends: true };
  }
  return null;
}

type Turn = {
  decides: Deciding | null;
  type: WaterAlertType;
  open: readonly OpenEpisode[];
  changes: AlertChanges;
};

async function letDecide(
  deps: Deps,
  { water, pond }: Correction,
  { decides, type, open, changes }: Turn & { decides: Deciding },
): Promise<void> {
  if (decides.ends) {
    if (open.some((episode) => episode.type === type))
      changes.add(await deps.alerting.resolve({ type, pond_id: pond.id }));
    return;
  }
  const { row, verdict } = decides;
  const isOpen = open.some((episode) => episode.type === type);
  const superseded =
    !isOpen && isOfThePast(row, { clock: deps.clockQuality(), atMs: deps.now() }) ? everyField : NOTHING;
  for (const violation of verdict.violations.filter((each) => each.type === type)) {
    const as = standingOf({ superseded, row }, violation);
    const cause = causeOf({ water, pond, row }, violation, as);
    const revised = await deps.alerting.revise(cause.cause, cause);
    changes.add(revised ?? (await deps.alerting.raise(cause, known(pond, open, type))));
  }
}

/** The alert of the corrected value itself, where another one decides: it is over, if it still is one at all. */
async function reviseOwn(
  deps: Deps,
  { water, pond, before, after }: Correction,
  { decides, type, open, changes, salinity }: Turn & { salinity: Salinity },
): Promise<void> {
  if (decides !== null && decides.row.id === before.id && !decides.ends) return;
  const violations = after === null ? [] : judged(water, after, await salinity(after)).violations;
  const violation = violations.find((each) => each.type === type);
  if (after === null || violation === undefined) {
    changes.add((await deps.alerting.revise(causeName(before.id, type), null)) ?? []);
    return;
  }
  const cause = causeOf({ water, pond, row: after }, violation, 'past');
  const revised = await deps.alerting.revise(cause.cause, cause);
  changes.add(revised ?? (await deps.alerting.raise(cause, known(pond, open, type))));
}

function known(pond: PondToMeasure, open: readonly OpenEpisode[], type: WaterAlertType) {
  return knownOf(pond, open.find((episode) => episode.type === type) ?? null);
}
