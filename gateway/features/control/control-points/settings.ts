import type * as z from 'zod';
import { controlPoint, controlPointSettings } from '#contract/resources/control-points.ts';
import { audit } from '#core/audit.ts';
import { update } from '#core/changes.ts';
import { conflict, invalidField } from '#core/errors.ts';
import { isoOf } from '#core/kernel.ts';
import type { Caller } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import type { ControlView } from '../control-view.ts';
import { type ControlPointDeps, named } from './create-control-point.ts';
import type { ControlPoint } from './ports.ts';
import { asSiren, requireNoOxygen } from './siren-mark.ts';

type Settings = z.infer<typeof controlPointSettings>;

export type UnkeyedDeps = {
  /** Whether calls without a key are taken for a control point; null: its gateway alone knows. */
  unkeyedOf: (view: Pick<ControlView, 'row' | 'keys'>) => boolean | null;
};

export function settingsOf(deps: UnkeyedDeps, view: Pick<ControlView, 'row' | 'keys'>): Settings {
  return controlPointSettings.parse({ ...view.row, allow_unkeyed: deps.unkeyedOf(view) });
}

/**
 * Decides new settings; the controller gets them as a new revision of its configuration. Revisions count where the
 * controller is: a gateway raises them when the settings come to it.
 */
export async function changeSettings(
  deps: ControlPointDeps & UnkeyedDeps,
  caller: Caller,
  view: Pick<ControlView, 'row' | 'ponds' | 'schedules' | 'keys'>,
  { allow_unkeyed, ...input }: Partial<{ [Name in keyof Settings]: Settings[Name] | undefined }>,
): Promise<Decision<ControlPoint>> {
  const current = view.row;
  const { allow_unkeyed: wasUnkeyed, ...before } = settingsOf(deps, view);
  const siren = input.is_siren === true && !current.is_siren ? await asSiren(deps, view) : null;
  const given = Object.entries({ ...input, ...siren?.marked }).filter(([, value]) => value !== undefined);
  const after: typeof before = { ...before, ...Object.fromEntries(given) };
  checkOxygen(
    after,
    given.map(([name]) => name),
  );
  requireNoOxygen(after);
  const set = Object.fromEntries(
    given.filter(([name, value]) => before[name as keyof typeof before] !== value),
  );
  const unkeyed = changedUnkeyed(deps, view, allow_unkeyed);
  const isSet = Object.keys(set).length > 0;
  if (!isSet && unkeyed === null) return { answer: current };
  const was = Object.fromEntries(Object.entries(before).filter(([name]) => name in set));
  const rev = (await deps.gateways.hasGateway(current.farm_id)) ? {} : { config_rev: current.config_rev + 1 };
  const stamped = { updated_at: isoOf(deps.now()) };
  const edits = [...(isSet ? [{ ...set, ...rev }] : []), ...(unkeyed === null ? [] : [unkeyed])];
  return {
    answer: { ...current, ...Object.assign({}, ...edits), ...stamped, rev: current.rev + edits.length },
    changes: [
      // the first as it was read; of the second an older program keeps nothing but itself aside
      ...edits.map((edit, place) =>
        update(controlPoint, place === 0 ? current : current.id, { ...edit, ...stamped }),
      ),
      audit(deps, {
        ...named(current),
        action: 'update',
        user_id: caller.userId,
        details: {
          before: { ...was, ...(unkeyed === null ? {} : { allow_unkeyed: wasUnkeyed }) },
          settings: { ...set, ...unkeyed },
        },
      }),
    ],
    guards: siren === null ? [] : [siren.guard],
  };
}

/** What is to stand in the row; null: it stays. Throws 409 where calls without a key could be taken in no case. */
function changedUnkeyed(
  deps: UnkeyedDeps,
  { row, keys }: Pick<ControlView, 'row' | 'keys'>,
  wanted: boolean | null | undefined,
): Pick<ControlPoint, 'allow_unkeyed'> | null {
  if (wanted === undefined) return null;
  // who sends all settings back as they were shown changes nothing
  if (wanted !== null && wanted === deps.unkeyedOf({ row, keys })) return null;
  if (wanted === true && deps.unkeyedOf({ row: { ...row, allow_unkeyed: true }, keys }) === false) {
    throw conflict(
      `A key of ${row.cod} was used, so it always needs its key: put that, or a new one, into the controller`,
      'DEVICE_KEY_IN_USE',
    );
  }
  return wanted === row.allow_unkeyed ? null : { allow_unkeyed: wanted };
}

/** Between two set points, mg/L: closer than what a probe wanders, a motor would be switched to and fro. */
const LEAST_OXYGEN_GAP = 0.3;

/** Emergency below ON below OFF, those that are set; the error names a field that was sent. */
function checkOxygen(after: Omit<Settings, 'allow_unkeyed'>, sent: readonly string[]): void {
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
