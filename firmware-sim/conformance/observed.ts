import type { HeartbeatFields } from '#contract/mqtt/messages.ts';

// What the gateway side saw the controller do.

export type Will = { topic: string; body: unknown; qos: number; isRetained: boolean };

export type ObservedNow =
  | {
      kind: 'session';
      clientId: string;
      username: string;
      isClean: boolean;
      keepaliveS: number;
      will: Will | null;
      /** It opened with a key that it was just sent. */
      isNewKey: boolean;
    }
  /** It came with a key that it was sent and that the gateway does not let in. */
  | { kind: 'turned_away' }
  /** It came with its own key while the gateway let nobody in. */
  | { kind: 'refused' }
  /** It came as a board without a key. */
  | { kind: 'guest'; mac: string; hasPassword: boolean; isClean: boolean; isLetIn: boolean }
  | { kind: 'guest_message'; mac: string; path: string; body: unknown }
  | { kind: 'session_end' }
  | { kind: 'subscribe'; filter: string; isAllowed: boolean }
  /** From now on what is published there reaches it. */
  | { kind: 'subscribed'; filter: string }
  | {
      kind: 'message';
      topic: string;
      path: string;
      body: unknown;
      bytes: number;
      qos: number;
      isRetained: boolean;
    }
  /** A heartbeat in the contract's shape, whichever way it came. */
  | { kind: 'heartbeat'; via: 'mqtt' | 'http'; body: HeartbeatFields }
  | { kind: 'request'; method: string; path: string; hasKey: boolean; status: number; body: unknown }
  /** A body outside the contract. */
  | { kind: 'invalid'; where: string; reason: string };

/** `place`: its place among all that was seen; two things may be seen at one instant. */
export type Observed = { atMs: number; place: number } & ObservedNow;

/** What was seen, newest last, in words for the reason of a failure. */
export function describeSeen(seen: readonly Observed[]): string {
  const words: { text: string; times: number }[] = [];
  for (const each of seen) {
    const text = describeOne(each);
    const last = words.at(-1);
    if (last?.text === text) last.times += 1;
    else words.push({ text, times: 1 });
  }
  if (words.length === 0) return 'nothing was seen';
  const last = words.slice(-8).map(({ text, times }) => (times === 1 ? text : `${text} (${times} times)`));
  return `seen meanwhile: ${last.join(', ')}`;
}

function describeOne(seen: Observed): string {
  switch (seen.kind) {
    case 'heartbeat': {
      const { current_status, source, epoch, version } = seen.body;
      return `heartbeat ${current_status} ${source ?? 'without source'} ${epoch ?? '?'}/${version ?? '?'}`;
    }
    case 'message':
      return `${seen.path || seen.topic} ${JSON.stringify(seen.body)?.slice(0, 120)}`;
    case 'request':
      return `${seen.method} ${seen.path} answered ${seen.status}`;
    case 'subscribe':
      return `asks for ${seen.filter}`;
    case 'subscribed':
      return `subscribed to ${seen.filter}`;
    case 'invalid':
      return `${seen.where}: ${seen.reason}`;
    case 'guest_message':
      return `${seen.path} of a board`;
    default:
      return seen.kind.replaceAll('_', ' ');
  }
}
