import { useMemo } from 'preact/hooks';
import type { WaterField, WaterTrend } from '#contract/resources/water-quality.ts';
import { listWords } from '#words/alarms.ts';
import { waterWords } from '#words/water.ts';
import { Answer } from '../../components/answer.tsx';
import { Sparkline } from '../../components/sparkline.tsx';
import { soon } from '../../data/clock.ts';
import type { Alert } from '../../data/farm-store.ts';
import { useOxygenDay } from '../../data/oxygen-day.ts';
import { useGet } from '../../data/query.ts';
import { WATER } from '../../data/water.ts';
import { DAY_MS, lineOf, piecesOf, type Quarter } from '../../state/oxygen-line.ts';

/** Of what a meter reads a few times a day a week tells more than a day; kits are used once a week. */
const DAYS = { water: 7, chemistry: 30 } as const;
const POINTS = 400;
/** Less than this is not seen in the line. */
const STEP_MS = 5 * 60_000;

type Measured = Alert & { pond_id: string; parameter: WaterField };

/** Whether it is about something that is measured at a pond, so that there is a line to look at. */
export const isMeasured = (alert: Alert): alert is Measured =>
  alert.pond_id !== null && alert.parameter !== null && alert.parameter in WATER;

/** How the value that alarms came there; asked for when it is shown, and not before. */
export function AlarmTrend({ alert }: { alert: Measured }) {
  return alert.parameter === 'dissolved_oxygen' ? <OxygenDay alert={alert} /> : <OtherDays alert={alert} />;
}

/** The line of the wall, which the event stream carries on. */
function OxygenDay({ alert }: { alert: Measured }) {
  const isReading = alert.type === 'LOW_OXYGEN' && alert.value !== null;
  const { quarters, isKnown } = useOxygenDay(
    {
      pond_id: alert.pond_id,
      // what is forecast was not measured
      water_quality: isReading
        ? { last_measurement: alert.triggered_at, dissolved_oxygen: alert.value }
        : null,
    },
    true,
  );
  if (!isKnown) return <div class="skeleton" aria-busy="true" />;
  return <Line alert={alert} quarters={quarters} days={1} />;
}

function OtherDays({ alert }: { alert: Measured }) {
  const { kind } = WATER[alert.parameter];
  const days = kind === 'chemistry' ? DAYS.chemistry : DAYS.water;
  const trend = useGet<WaterTrend>(`/water-quality/trend/${alert.pond_id}/${alert.parameter}`, {
    // days of the farm: one more than those that have passed until now
    days: days + 1,
    points: POINTS,
  });
  return (
    <Answer of={trend}>
      {({ trend_data }) => <Readings alert={alert} readings={trend_data.readings ?? []} days={days} />}
    </Answer>
  );
}

type Readings = NonNullable<WaterTrend['trend_data']['readings']>;

function Readings({ alert, readings, days }: { alert: Measured; readings: Readings; days: number }) {
  const { quarters } = useMemo(
    () =>
      lineOf(
        readings.map(({ at, avg, min, max }) => ({ at: Date.parse(at), average: avg, low: min, high: max })),
      ),
    [readings],
  );
  return <Line alert={alert} quarters={quarters} days={days} />;
}

function Line({ alert, quarters, days }: { alert: Measured; quarters: readonly Quarter[]; days: number }) {
  const words = listWords();
  const { unit, decimals } = WATER[alert.parameter];
  const to = Math.ceil(soon.value / STEP_MS) * STEP_MS;
  const from = to - days * DAY_MS;
  const shown = quarters.filter(({ at }) => at >= from);
  return (
    <figure class="alarm-trend" data-trend={alert.parameter}>
      <figcaption class="muted small">{waterWords().name[alert.parameter]}</figcaption>
      {piecesOf(shown).flat().length < 2 ? (
        <p class="small">{words.fewReadings(days)}</p>
      ) : (
        <Sparkline quarters={shown} {...{ from, to, days, decimals, unit }} limit={alert.threshold} isTold />
      )}
    </figure>
  );
}
