import type { SwitchState } from '#contract/words.ts';
import type { Step } from './plan.ts';

// What happened in a campaign, as plain data: enough for the oracle to judge it again without the gateway. Times are
// farm time, ms since 1970, unless they say otherwise.

export type Point = {
  id: string;
  device_id: string;
  mqtt_id: string;
  key: string;
  transport: 'mqtt' | 'http';
  feeder: string;
  made_at: number;
  made_target: SwitchState;
  min_on_s: number;
  min_off_s: number;
  /** A controller of the load generator's own, which writes only; the fleet has none of that name. */
  isProbe: boolean;
};

/**
 * acked: a success was answered. unsaved: answered with NOT_SAVED. refused: answered 4xx, nothing may be there. unknown:
 * no answer, or 5xx; it may be there or not.
 */
export type Outcome = 'acked' | 'unsaved' | 'refused' | 'unknown';

export type ScheduleBody = {
  action: SwitchState;
  start_time: string;
  end_time: string | null;
  repeat_pattern: 'ONCE' | 'DAILY';
  is_active: boolean;
  description: string;
};

type Asked =
  | { kind: 'order'; target: SwitchState; for_s: number | null }
  | { kind: 'schedule_create' | 'schedule_change'; schedule: ScheduleBody }
  | { kind: 'schedule_delete' }
  | { kind: 'pond_create' | 'pond_change'; cod: string }
  | { kind: 'pond_delete' };

/** One write over HTTP. `tag` is found in what it stored: reason, description or code. */
export type Write = Asked & {
  tag: string;
  /** The thing it is about: control point for an order, else schedule or pond. */
  id: string;
  pointId: string | null;
  sentAt: number;
  answeredAt: number | null;
  status: number | null;
  outcome: Outcome;
  /** Of the answer: when it holds from, and the version of the target. */
  at: number | null;
  version: number | null;
};

/** One message over MQTT of a probe. */
export type Publish = {
  pointId: string;
  what: { event: string } | { status: SwitchState };
  sentAt: number;
  /** When the PUBACK came; null: it never did. */
  ackedAt: number | null;
};

/** What the fleet saw, in order per controller. `ms` is the fleet's clock, which never steps. */
export type Sight = { device: string; ms: number } & (
  | {
      kind: 'level';
      epoch: string;
      version: number;
      target: SwitchState;
      /** It ends by itself then, and this follows. */
      ends?: { atMs: number; next: SwitchState };
    }
  | { kind: 'relay'; to: SwitchState; isForced: boolean }
  | { kind: 'break' }
  /** From here on the disk was spoilt: what it did not take, a restart may have forgotten. */
  | { kind: 'spoilt' }
);

export type StepDone = {
  step: Step;
  from: number;
  to: number;
  kills: number;
  restartMs: number[];
  /** Farm seconds until every controller stood as it should after the step was healed. */
  convergedS: number | null;
  notes: string[];
};

export type Violation = {
  rule: string;
  what: string;
  /** The least that shows it. */
  context: unknown;
};
