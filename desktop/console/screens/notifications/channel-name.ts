import type { ChannelAnswer } from '#contract/resources/notification-channels.ts';
import { channelWords } from '#words/notifications.ts';

/** What a channel is called: the address of a browser at its push service says nothing to people. */
export function nameOfChannel({ kind, address }: Pick<ChannelAnswer, 'kind' | 'address'>): string {
  if (kind !== 'WEB_PUSH') return address;
  const service = /^https?:\/\/([^/]+)/.exec(address)?.[1] ?? '';
  return channelWords().browserAt(service);
}
