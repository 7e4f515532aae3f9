import { deviceKey } from '#contract/resources/local-tables.ts';
import {
  type DiscoveredRelay,
  type RelayInput,
  type RelayKind,
  relay,
  relayMeter,
} from '#contract/resources/relays.ts';
import { audit } from '#core/audit.ts';
import { type Change, insert, purge, update } from '#core/changes.ts';
import { conflict, invalidField, notFound } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { NewestMap } from '#core/newest-map.ts';
import type { Caller } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import type { ControlView, ControlViews } from '#features/control/control-view.ts';
import type { Knock } from '#features/control/device-link.ts';
import type { Relay, RelayProtocol } from './ports.ts';
import type { RelayBook } from './relay-book.ts';
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

export type AdoptDeps = Pick<Kernel, 'now' | 'newId' | 'idOf' | 'clockQuality'> & {
  book: RelayBook;
  views: Pick<ControlViews, 'byId'>;
  protocols: Readonly<Record<RelayKind, RelayProtocol>>;
  discovered: Pick<DiscoveredRelays, 'get'>;
  /** A new key for the controller, pending until its first use; short enough for every relay. */
  issueKey: (view: ControlView, issuedBy: string) => Decision<{ key: string }>;
};

/** What was decided; `key` is null for a further channel, which comes in with the key of its device. */
export type Adopted = { row: Relay; key: string | null; relayAddress: string | null };

/**
 * Decides that a relay of the trade switches this control point, and gives it a key. Adopting again gives a new key, and
 * the one before opens until the new one is used. A controller of ours that had the control point is shut out at once:
 * two that switch one motor are worse than none.
 */
export function adoptRelay(
  deps: AdoptDeps,
  view: ControlView,
  caller: Caller,
  input: RelayInput,
): Decision<Adopted> {
  const known = deps.book.byId(view.row.id);
  const card = input.discovered_id === undefined ? null : deps.discovered.get(input.discovered_id);
  if (card !== null && card.unsupported !== null) throw conflict(card.unsupported, 'RELAY_NOT_SUPPORTED');
  const row: Relay = {
    id: view.row.id,
    kind: input.kind,
    channel: input.channel ?? 1,
    carrier_id: input.carrier_id ?? view.row.id,
    load: input.load ?? 'contactor',
    mac: card?.mac ?? known?.mac ?? null,
    model: card?.model ?? known?.model ?? null,
    adopted_by: caller.userId,
    created_at: known?.created_at ?? isoOf(deps.now()),
  };
  checkCarrier(deps, view, row);
  const isCarrier = row.carrier_id === row.id;
  if (isCarrier) checkName(deps, view, row.kind);
  const issued = isCarrier ? deps.issueKey(view, caller.userId) : null;
  const { id: _, ...set } = row;
  return {
    answer: { row, key: issued?.answer.key ?? null, relayAddress: card?.address ?? null },
    changes: [
      known === null ? insert(relay, row) : update(relay, row.id, set),
      ...(known === null ? shutOut(view) : []),
      ...(issued?.changes ?? []),
      relayAudit(deps, view, caller.userId, { relay: 'adopted', kind: row.kind, channel: row.channel }),
    ],
  };
}

function checkCarrier({ book, views }: AdoptDeps, view: ControlView, row: Relay): void {
  if (row.carrier_id !== row.id) {
    const carrier = book.byId(row.carrier_id);
    const carrierView = views.byId(row.carrier_id);
    if (carrier === null || carrierView === null || carrierView.row.farm_id !== view.row.farm_id)
      throw notFound('Relay of that control point');
    if (carrier.carrier_id !== carrier.id || carrier.kind !== row.kind)
      throw invalidField(422, 'carrier_id', 'must be the control point that has the identity of the relay');
    if (book.channelsOf(row.id).size > (book.byId(row.id)?.carrier_id === row.id ? 1 : 0))
      throw conflict('Other channels come in with this relay; release them first', 'RELAY_HAS_CHANNELS');
  }
  const other = book.channelsOf(row.carrier_id).get(row.channel);
  if (other === undefined || other.id === row.id) return;
  const cod = views.byId(other.id)?.row.cod ?? 'another control point';
  throw conflict(
    `Channel ${row.channel} of this relay switches ${cod}; choose another channel`,
    'CHANNEL_TAKEN',
  );
}

/** First words of the topics of others: a relay of that name would hear what is said to its neighbours. */
const TAKEN_WORDS = new Set(['cmnd', 'stat', 'tele', 'tasmota', 'tasmotas', 'shelly', 'shellies']);

function checkName({ protocols }: AdoptDeps, view: ControlView, kind: RelayKind): void {
  if (TAKEN_WORDS.has(view.mqttId.toLowerCase()))
    throw conflict(
      `${view.mqttId} is a word of the relays' own topics; give the control point another device_id`,
      'NAME_TAKEN',
    );
  const { longestName } = protocols[kind];
  if (view.mqttId.length <= longestName) return;
  throw conflict(
    `This relay takes names of at most ${longestName} characters, and ${view.mqttId} has ${view.mqttId.length}; give the control point a shorter device_id`,
    'NAME_TOO_LONG',
  );
}

/** A key that a controller of ours holds opens nothing more; a pending one is replaced by the new one. */
function shutOut({ keys }: ControlView): Change[] {
  return keys
    .filter(({ state }) => state === 'active' || state === 'retiring')
    .map(({ id }) => update(deviceKey, id, { state: 'revoked' as const }));
}

/** Decides that a control point is no relay any more. Its key goes with it, so that the relay is not heard as another. */
export function releaseRelay(deps: AdoptDeps, view: ControlView, caller: Caller): Decision<void> {
  const row = deps.book.byId(view.row.id);
  if (row === null) return { answer: undefined };
  const others = [...deps.book.channelsOf(row.id).values()].filter(({ id }) => id !== row.id);
  if (others.length > 0)
    throw conflict('Other channels come in with this relay; release them first', 'RELAY_HAS_CHANNELS');
  return {
    answer: undefined,
    changes: [
      purge(relay, row.id),
      purge(relayMeter, row.id),
      ...view.keys.map(({ id }) => purge(deviceKey, id)),
      relayAudit(deps, view, caller.userId, { relay: 'released', kind: row.kind, channel: row.channel }),
    ],
  };
}

function relayAudit(
  deps: AdoptDeps,
  { row }: ControlView,
  userId: string,
  details: Record<string, unknown>,
): Change {
  return audit(deps, {
    farm_id: row.farm_id,
    entity_type: 'CONTROL_POINT',
    entity_id: row.id,
    entity_name: row.cod,
    action: 'update',
    user_id: userId,
    details,
  });
}
