import type { RowOf, Stored } from '#contract/resource.ts';
import type { alert } from '#contract/resources/alerts.ts';
import type { pairedGateway } from '#contract/resources/sync-tables.ts';
import type { AlertType, Origin, SwitchState } from '#contract/words.ts';
import type { EpisodeAlert, SubjectNames } from '#core/alerting.ts';
import type { ProcessPause } from '#core/clock-trust.ts';
import type { DeviceActivity } from '#core/device-activity.ts';
import type { DeviceTrouble } from '#features/control/control-view.ts';
import type { DeadlyLevel } from '#science/advice/alert-advice.ts';

export type Alert = Stored<RowOf<typeof alert>>;
/** What an alert is about; the ids that are null do not count. */
export type Subject = { farm_id: string; control_point_id: string | null; pond_id: string | null };

/** An ACTIVE alert that the program raised by itself, as the watchers remember it. */
export type OpenAlert = Pick<
  Alert,
  'id' | 'farm_id' | 'control_point_id' | 'pond_id' | 'type' | 'triggered_at'
>;

/** What the limits of a farm say of the water that kills. */
export type FarmWater = NonNullable<DeadlyLevel>;

export type AlertFilter = {
  status: Alert['status'];
  /** null: every type. */
  types: readonly AlertType[] | null;
  farmId: string | null;
  /** Only alerts of a control point, or of a pond that has one. */
  pondId: string | null;
  controlPointId: string | null;
  isOfControlPoint: boolean;
};

/** Facts the alert use cases ask for; only visible (not deleted) rows are answered, but for `idTaken`. */
export type AlertQueries = {
  alertById: (id: string) => Promise<Alert | null>;
  /** Nothing is fed in this pond. */
  isPondEmpty: (pondId: string) => Promise<boolean>;
  /** True also for a deleted alert: its cause counted once. */
  idTaken: (id: string) => Promise<boolean>;
  /** null: the farm, the control point or the pond is gone. */
  namesOf: (subject: Subject) => Promise<SubjectNames | null>;
  /** The newest ACTIVE automatic alert of that type on that very subject, of any episode or of that one. */
  newestOpen: (type: AlertType, subject: Subject, episodeId?: string) => Promise<EpisodeAlert | null>;
  /** When people were last told of that type on that subject since then, of an alert that ended by itself. */
  lastTold: (type: AlertType, subject: Subject, since: string) => Promise<LastTold | null>;
  /** The first ACTIVE alert of each episode that nobody was told of, because another had been told shortly before. */
  withDeferredNotice: (limit: number) => Promise<Alert[]>;
  /** Automatic alerts of that type on that subject, ACTIVE or not, whose shelf still runs; the longest first. */
  shelvedAlerts: (type: AlertType, subject: Subject, at: string) => Promise<Alert[]>;
  /** Alerts whose silence or shelf ends after that instant, the newest first; at most 1,000. */
  marked: (endsAfter: string) => Promise<Alert[]>;
  /** The newest alert of that type on that subject that ended by itself since then, if nobody acknowledged it. */
  returned: (type: AlertType, subject: Subject, since: string) => Promise<Alert[]>;
  /** Names of people by their id, of those that have or had to do with the farm. */
  peopleNames: (farmId: string, userIds: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** ACTIVE automatic alerts of that type, newest first. */
  openAlerts: (
    which: { type: AlertType; control_point_id?: string; pond_id?: string; farm_id?: string },
    limit: number,
  ) => Promise<Alert[]>;
  /** ACTIVE alerts of an episode, newest first. */
  openOfEpisode: (farmId: string, episodeId: string, limit: number) => Promise<Alert[]>;
  /** ACTIVE alerts that are folded into one of these. */
  foldedInto: (alerts: readonly Pick<Alert, 'id' | 'farm_id'>[], limit: number) => Promise<Alert[]>;
  /**
   * ACTIVE critical alerts that nobody acknowledged and that people were told of since then, newest first. None of an
   * episode that was answered by its newest.
   */
  unanswered: (toldSince: string, limit: number) => Promise<Alert[]>;
  /** ACTIVE automatic alerts of these types on the whole instance, for a watcher's start. */
  openOfTypes: (types: readonly AlertType[]) => Promise<OpenAlert[]>;
  /** Alerts on the user's farms, each episode by its newest, newest first; folded ones are left out. */
  alertsOf: (
    userId: string,
    filter: AlertFilter,
    page: { skip: number; limit: number },
  ) => AsyncIterable<Alert>;
  countAlerts: (userId: string, filter: AlertFilter) => Promise<number>;
  /** ACTIVE alerts of a pond and of its control point, each episode by its newest, newest first. */
  alertsOfPond: (pondId: string) => Promise<Alert[]>;
};

/** When people were last told, and how bad it was then. */
export type LastTold = Pick<Alert, 'told_at' | 'told_severity'>;

/** What a watch looks at: a control point as it stands in memory. */
export type DeviceFacts = {
  controlPointId: string;
  farmId: string;
  cod: string;
  ponds: readonly { id: string; cod: string }[];
  target: SwitchState;
  /** Of the simulator: it runs, or it does not and nobody is missed; null: a real controller. */
  simulator: 'runs' | 'rests' | null;
  /** null before the first report. */
  current: SwitchState | null;
  /** ms by the instance's clock; when `current` last changed. Kept across restarts. */
  currentSince: number | null;
  version: number;
  epoch: string;
  /** ms by the instance's clock. Kept across restarts; null before the first report of all. */
  lastReportAt: number | null;
  /** The same instant on the clock that only grows; null for what an earlier run heard. */
  lastReportMonotonic: number | null;
  /** By the clock that only grows, so that a step of the other one silences nobody. */
  isOnline: boolean;
  via: 'mqtt' | 'http' | null;
  powerOk: boolean | null;
  motorCurrentMa: number | null;
  /** What its reports showed lately, by the clock that only grows. */
  activity: DeviceActivity;
  limits: MotorLimits;
  orderedBy: Origin;
  /** Somebody or something gave the target; false: it was made with it. */
  wasOrdered: boolean;
  /** How far the order of the target got; null: not known. */
  orderState: 'open' | 'applied' | null;
  hasKey: boolean;
  /** Animals live in a pond that it airs, as far as it was asked for. */
  isStocked: boolean;
  /** What a relay of the trade says of itself. */
  trouble: DeviceTrouble | null;
};

/** How long its own settings let a controller wait. */
export type MotorLimits = { minOnMs: number; minOffMs: number; startDelayMs: number };

/** Since when this process hears devices, and until when the one before did. */
export type Listening = {
  startedMonotonic: number;
  /** The start, or the end of the last time in which this process stood still. */
  sinceMonotonic: number;
  /** When this process stood still, oldest first: what lies there is nobody's silence. */
  pauses: readonly ProcessPause[];
  /** Until when an earlier run heard them, ms by the instance's clock; null: not known. Likewise. */
  previousUntil: number | null;
  heartbeatIntervalMs: number;
};

/** Both clocks at one instant: the first for people, the second for durations. */
export type Clock = { now: number; monotonic: number };

export type PairedGateway = RowOf<typeof pairedGateway>;

/** Paired gateways by when they were last heard of; hosted instance. */
export type SilenceQueries = {
  /** Let in, not heard of since `before`, no outage announced that still lasts, and nobody was told yet. */
  silentSince: (before: number, now: number, limit: number) => Promise<PairedGateway[]>;
  /** Heard of again since `after`, or let in no longer, after people were told of their silence. */
  backSince: (after: number, limit: number) => Promise<PairedGateway[]>;
  gatewayById: (id: string) => Promise<PairedGateway | null>;
  farmsOfStream: (streamId: number) => Promise<{ id: string; name: string }[]>;
};
