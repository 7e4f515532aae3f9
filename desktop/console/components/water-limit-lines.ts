import { useMemo } from 'preact/hooks';
import type { WaterField } from '#contract/resources/water-quality.ts';
import { alertTypesOf, isUpperLimit, optimalRange, type Water } from '#science/water-limits.ts';
import { componentWords } from '#words/components.ts';
import { alarmWords } from '#words/control.ts';
import { pondWords } from '#words/pond.ts';
import { useFarmWater } from '../data/farm-science.ts';
import { WATER } from '../data/water.ts';
import { figure } from '../i18n/format.ts';
import type { Limit } from './chart-lines.ts';

/**
 * From where on a parameter raises an alarm, and where the alarm is critical, as the farm has set it; `low` and `high` are
 * its good range. Of what raises no alarm, none. `water` null: the farm has not told its figures yet.
 */
export function limitLines(
  field: WaterField,
  {
    water,
    low,
    high,
    decimals,
  }: { water: Water | null; low: number | null; high: number | null; decimals: number },
): Limit[] {
  const names = alarmWords().type;
  const line = (name: string, value: number, look: Pick<Limit, 'isGrave' | 'isAlwaysSeen'>): Limit => ({
    label: `${name} ${figure(value, decimals)}`,
    value,
    ...look,
  });
  // how much of a total ammonia is critical depends on the water it was measured in
  const hasGrades = field !== 'ammonia' || water?.ammoniaBasis === 'NH3';
  const limits = alertTypesOf(field).flatMap((type) => {
    const limit = isUpperLimit(type) ? high : low;
    const grade = water?.alerts[type];
    const critical = hasGrades && grade !== undefined && 'highFrom' in grade ? grade.highFrom : null;
    return [
      ...(limit === null ? [] : [line(names[type], limit, { isAlwaysSeen: true })]),
      ...(critical === null
        ? []
        : [line(`${names[type]} · ${componentWords().priority[1]}`, critical, { isGrave: true })]),
    ];
  });
  if (field !== 'dissolved_oxygen' || water === null) return limits;
  return [
    ...limits,
    line(pondWords().lethalOxygen, water.criticalOxygenMgL, { isGrave: true, isAlwaysSeen: true }),
  ];
}

/** The same of the farm that is looked at; none until it has told its figures. */
export function useLimitLines(field: WaterField): readonly Limit[] {
  const { water } = useFarmWater();
  const words = alarmWords();
  return useMemo(() => {
    if (water === null) return [];
    const { min: low, max: high } = optimalRange(water, field);
    return limitLines(field, { water, low, high, decimals: WATER[field].decimals });
  }, [field, water, words]);
}
