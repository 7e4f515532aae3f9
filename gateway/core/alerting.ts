import type { AlertType, Severity } from '#contract/words.ts';
import type { Change } from './changes.ts';

/** Why an alert is to be raised. The same `cause` raises it once, on every instance. */
export type AlertCause = {
  farm_id: string;
  control_point_id: string | null;
  pond_id: string | null;
  type: AlertType;
  severity: Severity;
  /** Plain words with numbers and names, for the person who is woken by it. */
  message: string;
  parameter?: string;
  value?: number;
  threshold?: number;
  /** Names the event, for example `device_offline:<control point>:<last report>`. */
  cause: string;
  /** Alerts of one trouble without a good value between share it; default: the alert begins its own. */
  episode?: string;
  at?: number;
};

export type Alerting = {
  /**
   * Changes that store the alert, its audit entry and the notifications of those who may act; none when an alert of
   * this cause exists.
   */
  raise: (cause: AlertCause) => Promise<Change[]>;
  /** Changes that resolve every ACTIVE alert of that type on a control point (or pond, or farm); none without one. */
  resolve: (which: {
    type: AlertType;
    control_point_id?: string;
    pond_id?: string;
    farm_id?: string;
    at?: number;
  }) => Promise<Change[]>;
};
