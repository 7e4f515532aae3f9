import type * as z from 'zod';
import { controlPoint, controlPointSettings } from '#contract/resources/control-points.ts';
import { audit } from '#core/audit.ts';
import { update } from '#core/changes.ts';
import type { ControlView } from '#core/control-view.ts';
import { invalidField } from '#core/errors.ts';
import { isoOf } from '#core/kernel.ts';
import type { Caller } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import { type ControlPointDeps, named } from './create-control-point.ts';
import type { ControlPoint } from './ports.ts';
import { asSiren, requireNoOxygen } from './siren-mark.ts';

type Settings = z.infer<typeof controlPointSettings>;

export function settingsOf(row: ControlPoint): Settings {
  return controlPointSettings.parse(row);
}

/**
 * Decides new settings; the controller gets them as a new revision of its configuration. Revisions count where the
 * controller is: a gateway raises them when the settings come to it.
 */
export async function changeSettings(
  deps: ControlPointDeps,
  caller: Caller,
  view: Pick<ControlView, 'row' | 'ponds' | 'schedules'>,
  input: Partial<{ [Name in keyof Settings]: Settings[Name] | undefined }>,
): Promise<Decision<ControlPoint>> {
  const current = view.row;
  const before = settingsOf(current);
  const siren = input.is_siren === true && !current.is_siren ? await asSiren(deps, view) : null;
  const given = Object.entries({ ...input, ...siren?.marked }).filter(([, value]) => value !== undefined);
  const after: Settings = { ...before, ...Object.fromEntries(given) };
  checkOxygen(
    after,
    given.map(([name]) => name),
  );
  requireNoOxygen(after);
  const set = Object.fromEntries(given.filter(([name, value]) => before[name as keyof Settings] !== value));
  if (Object.keys(set).length === 0) return { answer: current };
  const was = Object.fromEntries(Object.entries(before).filter(([name]) => name in set));
  const rev = (await deps.gateways.hasGateway(current.farm_id)) ? {} : { config_rev: current.config_rev + 1 };
  const stamped = { ...set, ...rev, updated_at: isoOf(deps.now()) };
  return {
    answer: { ...current, ...stamped, rev: current.rev + 1 },
    changes: [
      update(controlPoint, current, stamped),
      audit(deps, {
        ...named(current),
        action: 'update',
        user_id: caller.userId,
        details: { before: was, settings: set },
      }),
    ],
    guards: siren === null ? [] : [siren.guard],
  };
}

/** Between two set points, mg/L: closer than what a probe wanders, a motor would be switched to and fro. */
const LEAST_OXYGEN_GAP = 0.3;

/** Emergency below ON below OFF, those that are set; the error names a field that was sent. */
function checkOxygen(after: Settings, sent: readonly string[]): void {
  const levels = ['do_emergency', 'do_on', 'do_off'] as const;
  // what an earlier version allowed does not stand in the way of other settings
  if (!levels.some((field) => sent.includes(field))) return;
  const set = levels.flatMap((field) => {
    const mgL = after[field];
    return mgL === null ? [] : [{ field, mgL }];
  });
  for (const [place, upper] of set.entries()) {
    const lower = set[place - 1];
    // a hair of floating point must not refuse 4.0 and 4.3
    if (lower === undefined || upper.mgL - lower.mgL >= LEAST_OXYGEN_GAP - 1e-9) continue;
    const gap = `by at least ${LEAST_OXYGEN_GAP} mg/L`;
    if (sent.includes(upper.field) || !sent.includes(lower.field)) {
      throw invalidField(400, upper.field, `must be above ${lower.field} (${lower.mgL}) ${gap}`);
    }
    throw invalidField(400, lower.field, `must be below ${upper.field} (${upper.mgL}) ${gap}`);
  }
}
