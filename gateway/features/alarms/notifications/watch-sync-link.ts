import { instanceValue } from '#contract/resources/local-tables.ts';
import { put } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Notify } from '#core/notifying.ts';
import { SYNC_LOST_AFTER_MS, syncLinkLost } from './tell-sync-lost.ts';

/** Last time both halves spoke with each other, kept over restarts; id in instance_values. */
export const LAST_MET = 'sync_last_met';
/** Written this often at most: a card has so many writes in it. */
const KEPT_EVERY_MS = 600_000;

export type WatchSyncLinkDeps = Pick<Kernel, 'now' | 'clockQuality' | 'commit'> & {
  notify: Notify;
  /** null: never since this gateway was paired. */
  lastMet: () => Promise<string | null>;
  /** null: not paired. */
  pairedAt: () => Promise<string | null>;
  farmIds: () => Promise<readonly string[]>;
};

/** Tells the people of a farm when gateway and hosted instance have not met for a day. */
export function watchSyncLink(deps: WatchSyncLinkDeps) {
  const own = { metAt: null as number | null, keptAt: null as number | null, toldFor: null as number | null };

  async function keep(): Promise<void> {
    const { metAt, keptAt } = own;
    if (metAt === null || (keptAt !== null && metAt - keptAt < KEPT_EVERY_MS && metAt >= keptAt)) return;
    own.keptAt = metAt;
    await deps.commit({ actor: null, changes: [put(instanceValue, { id: LAST_MET, value: isoOf(metAt) })] });
  }

  return {
    met(): void {
      own.metAt = deps.now();
    },
    /** Every minute. */
    async look(): Promise<void> {
      await keep();
      const pairedAt = await deps.pairedAt();
      // a clock that is not to be trusted would call a night a year
      if (pairedAt === null || deps.clockQuality() !== 'trusted') return;
      const stored = own.metAt === null ? await deps.lastMet() : isoOf(own.metAt);
      const lastMetAt = Math.max(Date.parse(pairedAt), stored === null ? 0 : Date.parse(stored));
      if (deps.now() - lastMetAt <= SYNC_LOST_AFTER_MS || own.toldFor === lastMetAt) return;
      for (const farmId of await deps.farmIds()) {
        const changes = await syncLinkLost(deps, { farmId, lastMetAt });
        if (changes.length > 0) await deps.commit({ actor: null, changes });
      }
      own.toldFor = lastMetAt;
    },
  };
}
