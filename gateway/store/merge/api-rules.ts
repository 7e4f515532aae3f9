import type { Resource } from '#contract/resource.ts';
import { controlPointSettings } from '#contract/resources/control-points.ts';
import { timezone } from '#contract/resources/farms.ts';
import { daysOfWeek } from '#contract/resources/schedules.ts';
import type { Fields } from './edit.ts';

// Hosted: values that no call of the interface takes are not taken from a gateway either. What control, schedules and
// screens are computed from stands here; a text or a number that is merely shown harms nobody.

const RULES: Readonly<Record<string, Resource['row']['shape']>> = {
  farms: { timezone },
  control_points: controlPointSettings.shape,
  schedules: { days_of_week: daysOfWeek.nullable() },
};

/** The first field that the interface would refuse, and why; null: there is none. */
export function refusedByApi({ name }: Pick<Resource, 'name'>, fields: Fields): string | null {
  for (const [field, rule] of Object.entries(RULES[name] ?? {})) {
    if (!Object.hasOwn(fields, field)) continue;
    const parsed = rule.safeParse(fields[field]);
    if (!parsed.success) return `${field}: ${parsed.error.issues[0]?.message ?? 'is wrong'}`;
  }
  return null;
}
