import type { RowOf, Stored } from '#contract/resource.ts';
import type { alert } from '#contract/resources/alerts.ts';
import type { AlertType, Language, Severity } from '#contract/words.ts';
import type { Change } from './changes.ts';
import { type ClockStep, endAfterStep } from './clock-trust.ts';

/** Why an alert is to be raised. The same `cause` raises it once, on every instance. */
export type AlertCause = {
  farm_id: string;
  control_point_id: string | null;
  pond_id: string | null;
  /** All control points it is about, where these are more than the one it hangs on. */
  controlPoints?: readonly NamedControlPoint[];
  type: AlertType;
  severity: Severity;
  /** Plain words with numbers and names, for the person who is woken by it. */
  message: string;
  /** The same in the language of each reader; `message` is then its Portuguese. */
  words?: (language: Language) => string;
  parameter?: string;
  value?: number;
  threshold?: number;
  /** Names the event, for example `device_offline:<control point>:<last report>`. */
  cause: string;
  /** Alerts of one trouble without a good value between share it; default: the alert begins its own. */
  episode?: string;
  at?: number;
  /**
   * news (default): its readers are told, as its episode asks for. quiet: stored, nobody is told. past: it was over
   * before it was known, so it is stored RESOLVED, alone in its episode.
   */
  as?: 'news' | 'quiet' | 'past';
};

type NamedPond = { id: string; cod: string };
export type NamedControlPoint = { id: string; cod: string; ponds: readonly NamedPond[] };

/** What an alert is about, by its names, for people. */
export type SubjectNames = {
  farmName: string;
  controlPoint: (NamedControlPoint & { isSimulated: boolean }) | null;
  pond: NamedPond | null;
};

/** The newest ACTIVE alert of an episode: what a new one inherits, and when its readers were told. */
export type EpisodeAlert = Pick<
  Stored<RowOf<typeof alert>>,
  | 'id'
  | 'episode_id'
  | 'severity'
  | 'triggered_at'
  | 'told_at'
  | 'told_severity'
  | 'acknowledged_at'
  | 'acknowledged_by'
  | 'acknowledge_note'
  | 'silenced_until'
  | 'silenced_by'
  | 'silence_reason'
  | 'shelved_until'
  | 'shelved_by'
  | 'shelve_reason'
>;

export type OpenEpisode = EpisodeAlert & { type: AlertType };

/** What the caller has read already, for causes that cannot have counted before. */
export type KnownSubject = { names: SubjectNames; open: EpisodeAlert | null };

export type Alerting = {
  /**
   * Changes that store the alert, its audit entry and the notifications of those who may act; none when an alert of
   * this cause exists.
   */
  raise: (cause: AlertCause, known?: KnownSubject) => Promise<Change[]>;
  /** Changes that resolve every ACTIVE alert of that type on a control point (or pond, or farm); none without one. */
  resolve: (which: {
    type: AlertType;
    control_point_id?: string;
    pond_id?: string;
    farm_id?: string;
    at?: number;
  }) => Promise<Change[]>;
  /**
   * The value behind an alert was corrected. Changes that make the alert say what is so now (null: it never was), end
   * it, or bring it back when the program itself had ended it; null when there is no alert of this cause.
   */
  revise: (cause: string, now: AlertCause | null) => Promise<Change[] | null>;
  /** Changes that make an ACTIVE alert, named by its id, say what is so now; its people hear of it when it got worse. */
  restate: (alertId: string, now: AlertCause) => Promise<Change[]>;
};

type Marked = Pick<RowOf<typeof alert>, 'silenced_until' | 'shelved_until' | 'created_at' | 'updated_at'>;

/** Silence and shelf of an alert keep their length over a step of the clock; null: nothing changes. */
export function marksAfterStep(
  row: Marked,
  step: ClockStep,
): Pick<Marked, 'silenced_until' | 'shelved_until'> | null {
  const stampedAt = Date.parse(row.updated_at ?? row.created_at);
  const silenced_until = endAfterStep(row.silenced_until, stampedAt, step);
  const shelved_until = endAfterStep(row.shelved_until, stampedAt, step);
  const isSame = silenced_until === row.silenced_until && shelved_until === row.shelved_until;
  return isSame ? null : { silenced_until, shelved_until };
}
