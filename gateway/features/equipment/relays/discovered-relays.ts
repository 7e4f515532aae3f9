import type { DiscoveredRelay } from '#contract/resources/relays.ts';
import { isoOf } from '#core/kernel.ts';
import { NewestMap } from '#core/newest-map.ts';
import type { Knock } from '#features/control/relay-link.ts';
import type { RelayProtocol } from './ports.ts';
import { UNSUPPORTED } from './relay-troubles.ts';

const MOST_KEPT = 200;

export type DiscoveredRelays = ReturnType<typeof createDiscoveredRelays>;

/** Relays that knocked at the broker and have no control point; the longest silent are forgotten. */
export function createDiscoveredRelays(deps: {
  now: () => number;
  protocols: readonly RelayProtocol[];
  changed: () => void;
}) {
  const cardsById = new NewestMap<string, DiscoveredRelay>(MOST_KEPT);

  function note(knock: Knock): void {
    for (const protocol of deps.protocols) {
      const found = protocol.recognise(knock);
      if (found === null) continue;
      const { unsupported, ...named } = found;
      const id = idOf(protocol.kind, named);
      const known = cardsById.get(id);
      const at = isoOf(deps.now());
      // the last seen is the last of the map
      cardsById.set(id, {
        id,
        kind: protocol.kind,
        ...named,
        address: knock.source,
        web: `http://${knock.source.includes(':') ? `[${knock.source}]` : knock.source}/`,
        reason: knock.reason,
        first_seen: known?.first_seen ?? at,
        last_seen: at,
        count: (known?.count ?? 0) + 1,
        unsupported: unsupported === undefined ? null : UNSUPPORTED[unsupported].en,
      });
      deps.changed();
      return;
    }
  }

  /** Two relays may have been given one topic: each has a card of its own. */
  function idOf(kind: string, { name, mac }: { name: string; mac: string | null }): string {
    const byName = `${kind}:${name}`;
    const byBoth = `${byName}:${mac}`;
    const other = cardsById.get(byName)?.mac ?? null;
    const isTaken = mac !== null && other !== null && other !== mac;
    return isTaken || cardsById.has(byBoth) ? byBoth : byName;
  }

  return {
    note,
    get: (id: string): DiscoveredRelay | null => cardsById.get(id) ?? null,
    forget(id: string): boolean {
      const wasThere = cardsById.delete(id);
      if (wasThere) deps.changed();
      return wasThere;
    },
    /** Last seen first. */
    list: (): DiscoveredRelay[] => [...cardsById.values()].reverse(),
  };
}
