import { pushAction } from '#contract/resources/local-tables.ts';
import type { OfferedAction, PushAction } from '#contract/resources/notification-channels.ts';
import { mayOnFarm } from '#contract/rights.ts';
import type { AlertType } from '#contract/words.ts';
import { type Change, put } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { FarmFound } from '#core/route.ts';
import { type ControlView, type ControlViews, targetOf } from '../../control/control-view.ts';
import type { ActionTokens, Channel } from './ports.ts';

/** What is asked to run the motors; any other alarm would lead a person in the dark to a switch that mends nothing. */
const AIRED: readonly AlertType[] = ['LOW_OXYGEN', 'HIGH_TEMPERATURE', 'OFF_SCHEDULE'];

type AlertFacts = {
  id: string;
  farm_id: string;
  pond_id: string | null;
  control_point_id: string | null;
  type: AlertType;
  status: 'ACTIVE' | 'RESOLVED';
  acknowledged_at: string | null;
};

export type OfferDeps = Pick<Kernel, 'now' | 'idOf'> & {
  tokens: ActionTokens;
  views: Pick<ControlViews, 'ofFarm'>;
  alertById: (id: string) => Promise<AlertFacts | null>;
  accountOf: (userId: string) => Promise<{ is_active: boolean; password_version: number } | null>;
  accessTo: (of: 'alert', id: string, userId: string) => Promise<FarmFound | null>;
};

export type Offered = { actions: OfferedAction[]; changes: Change[] };
export type Offer = (told: { deliveryId: string; alertId: string; channel: Channel }) => Promise<Offered>;

const NOTHING: Offered = { actions: [], changes: [] };

/**
 * What the person behind a browser may do about an alarm from its notification, and the rows that make it count. Nothing
 * for who may not, and for a browser that signed in before the password was changed.
 */
export function createOffer(deps: OfferDeps): Offer {
  return async ({ deliveryId, alertId, channel }) => {
    const { id: channel_id, user_id, address, keys } = channel;
    const account = await deps.accountOf(user_id);
    if (account === null || !account.is_active || !isSignedInBy(account, keys)) return NOTHING;
    const alert = await deps.alertById(alertId);
    if (alert === null || alert.status !== 'ACTIVE') return NOTHING;
    const role = (await deps.accessTo('alert', alertId, user_id))?.role ?? null;
    if (role === null || !mayOnFarm(role, 'attend')) return NOTHING;
    const motor = motorFor(deps.views.ofFarm(alert.farm_id), alert);
    const offered: Offered = { actions: [], changes: [] };
    const offer = (action: PushAction, point: ControlView['row'] | null): void => {
      const token = deps.tokens.make();
      offered.actions.push({ action, token, name: point?.cod ?? null });
      const row = {
        // an attempt that is made again leads to the newest token alone
        id: deps.idOf(`push_action:${deliveryId}:${action}`),
        token_hash: deps.tokens.hashOf(token),
        action,
        user_id,
        channel_id,
        endpoint: address,
        alert_id: alertId,
        control_point_id: point?.id ?? null,
        password_version: account.password_version,
        state: 'READY',
        created_at: isoOf(deps.now()),
      } as const;
      offered.changes.push(put(pushAction, row));
    };
    if (alert.acknowledged_at === null) offer('ACKNOWLEDGE', null);
    if (motor !== null) offer('TURN_ON', motor);
    return offered;
  };
}

/** Channels of before this was noted tell no version, until their browser opens the console again. */
const isSignedInBy = ({ password_version }: { password_version: number }, keys: Channel['keys']): boolean =>
  keys?.['login'] !== undefined && keys['password_version'] === String(password_version);

/** The control point that airs the place of an alarm and can be ordered to; null: there is none. */
export function motorFor(views: readonly ControlView[], alert: AlertFacts): ControlView['row'] | null {
  if (!AIRED.includes(alert.type)) return null;
  const isOfPlace = ({ row, ponds }: ControlView): boolean =>
    alert.control_point_id === null
      ? ponds.some(({ id }) => id === alert.pond_id)
      : row.id === alert.control_point_id;
  const canBeOrdered = (view: ControlView): boolean =>
    !view.row.is_siren && !view.row.locked_out && targetOf(view).target_status !== 'ON';
  return views.find((view) => isOfPlace(view) && canBeOrdered(view))?.row ?? null;
}
