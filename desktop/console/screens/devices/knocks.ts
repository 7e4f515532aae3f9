import type { QueueEntry } from '#contract/resources/adoption.ts';
import type { DiscoveredRelay, RelayKind } from '#contract/resources/relays.ts';
import { adoptionWords } from '#words/devices.ts';
import { useGet } from '../../data/query.ts';

/** Somebody at the door: what the queue tells of it, what it looks like as a relay, or both. */
export type Knock = {
  id: string;
  name: string | null;
  entry: QueueEntry | null;
  card: DiscoveredRelay | null;
  /** A relay of the trade, as far as its name or its words show. */
  relay: RelayKind | null;
};

/** A MAC as it is printed on a label. */
export const macText = (mac: string): string =>
  /^[0-9a-fA-F]{12}$/.test(mac) ? (mac.match(/../g) ?? []).join(':').toLowerCase() : mac;

export function nameOf({ name, entry }: Pick<Knock, 'name' | 'entry'>): string {
  return name ?? adoptionWords().noName(macText(entry?.mac ?? '?'));
}

export function useKnocks() {
  const queue = useGet('/adoption/queue');
  const ignored = useGet('/adoption/queue', { ignored: true });
  const cards = useGet('/relays/discovered');
  return { ignored, answers: [queue, cards, ignored] as const };
}

/** One line for each device: a relay that knocks under its own name is in both lists. */
export function knocksOf(
  queue: readonly QueueEntry[],
  cards: readonly DiscoveredRelay[],
  ignored: readonly QueueEntry[],
): Knock[] {
  const cardsByName = new Map(cards.map((card) => [card.name, card]));
  const told = new Set([...queue, ...ignored].map(({ device_id }) => device_id));
  return [
    ...queue.map((entry): Knock => {
      const card = cardsByName.get(entry.device_id ?? '') ?? null;
      const guess = entry.profile === 'tasmota' || entry.profile === 'shelly' ? entry.profile : null;
      const relay = entry.mac === null ? (card?.kind ?? guess) : null;
      return { id: entry.id, name: entry.device_id, entry, card, relay };
    }),
    ...cards
      .filter(({ name }) => !told.has(name))
      .map((card): Knock => ({ id: card.id, name: card.name, entry: null, card, relay: card.kind })),
  ];
}
