import { quietUntil } from '#core/notifying.ts';
import type { ZoneClock } from '#core/zone-clock.ts';
import type { AlertNow, Job } from './ports.ts';

const HOUR = 3_600_000;
/** An alert that was resolved this long ago and could not be told is history: it is summed up. */
export const LATE_MS = 24 * HOUR;
/** Nothing is sent later than this. */
const TOO_LATE_MS = 7 * 24 * HOUR;

export type DeliveryDecision =
  | { do: 'send' }
  /** Nobody wants it any more; it leaves no trace. */
  | { do: 'drop' }
  | { do: 'wait'; until: number }
  /** It goes into the summary of its channel. */
  | { do: 'fold' }
  | { do: 'bury'; why: string };

/**
 * What is to be done with a delivery that is due, as things stand now. By a clock that is not to be trusted nothing is
 * old: an alarm is rather told late than not at all.
 */
export function decideDelivery(
  clockOf: (zone: string) => ZoneClock,
  job: Job,
  { now, quality }: { now: number; quality: 'trusted' | 'estimated' },
): DeliveryDecision {
  const { delivery, channel, reader } = job;
  const age = quality === 'trusted' ? now - Date.parse(delivery.created_at) : 0;
  if (channel === null || reader === null) return { do: 'drop' };
  if (delivery.purpose === 'CONFIRMATION')
    return channel.verified_at === null && age < LATE_MS ? { do: 'send' } : { do: 'drop' };
  if (!channel.is_active || channel.verified_at === null) return { do: 'drop' };
  if (delivery.purpose === 'NOTICE' && (job.notification === null || !job.isReadersFarm))
    return { do: 'drop' };
  if (isEscalation(job) && isAnswered(job.alert, now)) return { do: 'drop' };
  if (isFoldable(job, age)) return { do: 'fold' };
  if (age > TOO_LATE_MS) return { do: 'bury', why: 'it could not be sent within seven days' };
  if (delivery.is_critical) return { do: 'send' };
  const until = quietUntil(
    { from: channel.quiet_from, to: channel.quiet_to, zone: clockOf(channel.timezone) },
    now,
  );
  return until === null ? { do: 'send' } : { do: 'wait', until };
}

export function isEscalation({ notification }: Pick<Job, 'notification'>): boolean {
  return notification?.data['escalation'] !== undefined;
}

/** Somebody took care of it; what is gone needs no care. */
function isAnswered(alert: AlertNow | null, now: number): boolean {
  if (alert === null || alert.status === 'RESOLVED' || alert.acknowledged_at !== null) return true;
  return isAhead(alert.silenced_until, now) || isAhead(alert.shelved_until, now);
}

const isAhead = (until: string | null, now: number): boolean => until !== null && Date.parse(until) > now;

function isFoldable({ delivery, notification, alert }: Job, age: number): boolean {
  const isOfAlert = notification?.data['alert_id'] !== undefined;
  return delivery.purpose === 'NOTICE' && isOfAlert && age > LATE_MS && alert?.status !== 'ACTIVE';
}
