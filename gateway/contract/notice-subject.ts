import type { NotificationType } from './words.ts';

// What a notification is about, read from its type and data: whoever gets it, on a list or as a push, is led there.

export const NOTICE_SUBJECTS = [
  'ALARM',
  'TASK',
  'ORDER',
  'FEED_STOCK',
  'SYNC',
  'GATEWAY',
  'PROGRAM',
  'BACKUP',
  'FIRMWARE',
  'PROBE',
  'DEVICE',
  'BOX',
  'CHANNEL',
  'PLAN',
  'ACCOUNT',
] as const;
/** `id`: of the episode, the task, the control point; null: the screen of all of them. */
export type NoticeSubject = { is: (typeof NOTICE_SUBJECTS)[number]; id: string | null };

const OF_EVENT: Readonly<Record<string, NoticeSubject['is']>> = {
  task_due: 'TASK',
  feed_low: 'FEED_STOCK',
  sync_link_lost: 'SYNC',
  gateway_silent: 'GATEWAY',
  gateway_back: 'GATEWAY',
  gateway_fenced: 'SYNC',
  update: 'PROGRAM',
  backup_failed: 'BACKUP',
  restore: 'BACKUP',
  firmware_rollout: 'FIRMWARE',
  probe_trouble: 'PROBE',
  probe_calibration_due: 'PROBE',
  shared_identity: 'DEVICE',
  reports_folded: 'DEVICE',
  version_refused: 'DEVICE',
  broker_restarted: 'BOX',
  clock_apart: 'BOX',
  channel_gone: 'CHANNEL',
  channel_failed: 'CHANNEL',
  usage_high: 'PLAN',
  limit_reached: 'PLAN',
};

type Data = Readonly<Record<string, unknown>>;

/** null: it says all there is, or there is no screen of it. */
export function noticeSubject(type: NotificationType | null, data: Data): NoticeSubject | null {
  const word = (name: string): string | null => (typeof data[name] === 'string' ? data[name] : null);
  const event = word('event') ?? '';
  if (word('alert_id') !== null) return { is: 'ALARM', id: word('episode_id') };
  if (word('order_id') !== null) return { is: 'ORDER', id: word('control_point_id') };
  const is = OF_EVENT[event];
  if (is === 'TASK') return { is, id: word('task_id') };
  if (is === 'DEVICE') return { is, id: word('control_point_id') };
  if (is !== undefined) return { is, id: null };
  if (event.startsWith('authority_')) return { is: 'BOX', id: null };
  if (word('kind') === 'sync_conflict') return { is: 'SYNC', id: null };
  if (word('account') === 'channel_opened') return { is: 'CHANNEL', id: null };
  if ((word('account') ?? word('second_factor') ?? word('access_token_id')) !== null)
    return { is: 'ACCOUNT', id: null };
  if (word('gateway_id') !== null) return { is: 'GATEWAY', id: null };
  if (type === 'SUBSCRIPTION' || type === 'PAYMENT') return { is: 'PLAN', id: null };
  return type === 'ALERT' ? { is: 'ALARM', id: null } : null;
}
