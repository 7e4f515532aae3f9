import type { ControlViews, DeviceTrouble } from '../control-view.ts';

/**
 * Notes what keeps a controller from its target. `isStateUnknown`: it was heard just now, and how it stands nobody can tell, so
 * what it told before is not believed any more: an order to it stands unconfirmed until it tells again.
 */
export function setTrouble(
  deps: {
    now: () => number;
    monotonic: () => number;
    views: Pick<ControlViews, 'byId'>;
    presenceChanged: (controlPointId: string) => void;
  },
  controlPointId: string,
  trouble: DeviceTrouble | null,
  { isStateUnknown }: { isStateUnknown: boolean },
): void {
  const presence = deps.views.byId(controlPointId)?.presence;
  if (presence === undefined) return;
  presence.trouble = trouble;
  if (isStateUnknown) {
    const heard = { lastReportAt: deps.now(), lastReportMonotonic: deps.monotonic() };
    Object.assign(presence, {
      ...heard,
      via: 'mqtt',
      isProved: true,
      isLost: false,
      current: null,
      isDirty: true,
    });
  }
  deps.presenceChanged(controlPointId);
}
