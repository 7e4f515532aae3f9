import type { SeenDevice } from '#contract/resources/devices.ts';
import { FIRST_GENERATION, isFirstGeneration } from '#core/first-generation.ts';
import { isoOf } from '#core/kernel.ts';
import { NewestMap } from '#core/newest-map.ts';

const MOST_KEPT = 1_000;

export type SeenDevices = {
  note: (sight: {
    deviceId: string;
    source: string;
    via: 'mqtt' | 'http';
    reason: SeenDevice['reason'];
  }) => void;
  /** Last seen first. */
  list: () => SeenDevice[];
  forget: (deviceId: string) => void;
};

type Seen = Omit<SeenDevice, 'first_seen' | 'last_seen' | 'unsupported'> & {
  firstSeenMs: number;
  lastSeenMs: number;
};

/** Devices that knocked and belong to nobody, for the technician who adopts them; the longest silent are forgotten. */
export function createSeenDevices(deps: { now: () => number; changed: () => void }): SeenDevices {
  // instants are written out when they are asked for: thousands may knock, and few look
  const seenById = new NewestMap<string, Seen>(MOST_KEPT);
  return {
    note({ deviceId, source, via, reason }) {
      const at = deps.now();
      const name = deviceId.slice(0, 255);
      const known = seenById.get(name);
      seenById.set(name, {
        device_id: name,
        source,
        via,
        reason,
        firstSeenMs: known?.firstSeenMs ?? at,
        lastSeenMs: at,
        count: (known?.count ?? 0) + 1,
      });
      deps.changed();
    },
    list: () => [...seenById.values()].reverse().map(rowOf),
    forget(deviceId) {
      if (seenById.delete(deviceId)) deps.changed();
    },
  };
}

function rowOf({ firstSeenMs, lastSeenMs, count, ...sight }: Seen): SeenDevice {
  const unsupported = isFirstGeneration(sight.device_id) ? FIRST_GENERATION.en : null;
  return { ...sight, first_seen: isoOf(firstSeenMs), last_seen: isoOf(lastSeenMs), count, unsupported };
}
