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
import { giveOrder } from './give-order.ts';
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

/** Decides a lock-out: the target goes OFF with it, and nothing starts the motor until it is lifted. */
export function lockOut(
  deps: ControlPointDeps,
  caller: Caller,
  view: ControlView,
  reason: string,
): Decision<ControlPoint> {
  const at = isoOf(deps.now());
  const set = {
    locked_out: true,
    lock_out_reason: reason,
    lock_out_by: caller.userId,
    lock_out_at: at,
    config_rev: view.row.config_rev + 1,
  };
  const off = giveOrder(deps, view, {
    target: 'OFF',
    origin: 'SAFETY',
    issuedBy: caller.userId,
    reason: `locked out: ${reason}`,
    holdUntil: null,
  });
  const { order: _order, earlier: _earlier, ...target } = off.unsaved;
  const [, ...rest] = off.changes;
  return {
    answer: { ...view.row, ...set, ...target, updated_at: at, rev: view.row.rev + 1 },
    changes: [
      update(controlPoint, view.row, { ...set, ...target, updated_at: at }),
      ...rest,
      audit(deps, { ...named(view.row), action: 'lock_out', user_id: caller.userId, details: { reason } }),
    ],
  };
}

/** Decides the end of a lock-out; the rules decide again at the next tick. */
export function liftLockOut(
  deps: ControlPointDeps,
  caller: Caller,
  current: ControlPoint,
): Decision<ControlPoint> {
  if (!current.locked_out) return { answer: current };
  const set = {
    locked_out: false,
    lock_out_reason: null,
    lock_out_by: null,
    lock_out_at: null,
    config_rev: current.config_rev + 1,
    updated_at: isoOf(deps.now()),
  };
  const details = { lifted: true, reason: current.lock_out_reason };
  return {
    answer: { ...current, ...set, rev: current.rev + 1 },
    changes: [
      update(controlPoint, current, set),
      audit(deps, { ...named(current), action: 'lock_out', user_id: caller.userId, details }),
    ],
  };
}
