import type { Kernel } from '#core/kernel.ts';
import { populationIn } from '#features/production/batch-in-pond.ts';
import type { BatchStates } from '#features/production/batch-state.ts';

export type StockedPondsDeps = Pick<Kernel, 'log'> & {
  monotonic: () => number;
  activeInPonds: BatchStates['activeInPonds'];
};

export type StockedPonds = {
  /** Reads ponds that were not read of late. Never throws: what is not known counts as without animals. */
  refresh: (pondIds: readonly string[]) => Promise<void>;
  /** Whether animals live in one of these ponds, as far as it was asked for. */
  has: (pondIds: readonly string[]) => boolean;
};

/** A batch is stocked or harvested now and then; whom it makes a difference to can wait a minute. */
const READ_EVERY_MS = 60_000;
/** No alert has asked for the pond since. */
const FORGOTTEN_AFTER_MS = 3_600_000;

/** In which ponds an ACTIVE batch has animals: asked only for the few that an alert depends on. */
export function createStockedPonds(deps: StockedPondsDeps): StockedPonds {
  const knownById = new Map<string, { isStocked: boolean; at: number }>();

  async function read(pondIds: readonly string[], now: number): Promise<void> {
    for (const [id, { at }] of knownById) if (now - at >= FORGOTTEN_AFTER_MS) knownById.delete(id);
    const batches = await deps.activeInPonds(pondIds);
    for (const id of pondIds) {
      const isStocked = (batches.get(id) ?? []).some((state) => populationIn(state, id) > 0);
      knownById.set(id, { isStocked, at: now });
    }
  }

  return {
    async refresh(pondIds) {
      const now = deps.monotonic();
      const due = pondIds.filter((id) => now - (knownById.get(id)?.at ?? -Infinity) >= READ_EVERY_MS);
      if (due.length === 0) return;
      await read([...new Set(due)], now).catch((error: unknown) =>
        deps.log.warn({ err: error }, 'which ponds hold animals could not be read'),
      );
    },
    has: (pondIds) => pondIds.some((id) => knownById.get(id)?.isStocked === true),
  };
}
