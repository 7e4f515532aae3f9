import { instanceValue } from '#contract/resources/local-tables.ts';
import { type Change, put } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Notify } from '#core/notifying.ts';

const HOUR = 3_600_000;
/** A day without the other half is trouble; a night without internet is a farm. */
const SYNC_LOST_AFTER_MS = 24 * HOUR;

/**
 * Changes that tell the people of a farm that its gateway and the hosted instance have not met for more than a day; none
 * before. Once per loss, which is named by the last meeting.
 */
export async function syncLinkLost(
  deps: Pick<Kernel, 'now'> & { notify: Notify },
  { farmId, lastMetAt }: { farmId: string; lastMetAt: number },
): Promise<Change[]> {
  const lostForMs = deps.now() - lastMetAt;
  if (lostForMs <= SYNC_LOST_AFTER_MS) return [];
  const hours = Math.floor(lostForMs / HOUR);
  return deps.notify(
    { farmId, who: 'operators' },
    {
      type: 'ALERT',
      severity: 'MEDIUM',
      title: (language) =>
        ({ 'pt-BR': 'Sem sincronização', en: 'No synchronisation', es: 'Sin sincronización' })[language],
      message: (language) =>
        ({
          'pt-BR': `O gateway da fazenda está há ${hours} horas sem contato com a nuvem. A aeração continua; verifique a internet da fazenda.`,
          en: `The gateway of the farm has not reached the cloud for ${hours} hours. Aeration goes on; check the internet of the farm.`,
          es: `El gateway de la camaronera está desde hace ${hours} horas sin contacto con la nube. La aireación continúa; revise el internet de la camaronera.`,
        })[language],
      data: {
        event: 'sync_link_lost',
        pond_id: null,
        pond_cod: null,
        parameter: 'sync_silent_hours',
        value: hours,
        threshold: SYNC_LOST_AFTER_MS / HOUR,
      },
      cause: `sync_link_lost:${farmId}:${isoOf(lastMetAt)}`,
    },
  );
}

/** Last time both halves spoke with each other, kept over restarts; id in instance_values. */
export const LAST_MET = 'sync_last_met';
/** Written this often at most: a card has so many writes in it. */
const KEPT_EVERY_MS = 600_000;

type WatchSyncLinkDeps = Pick<Kernel, 'now' | 'clockQuality' | 'commit'> & {
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
