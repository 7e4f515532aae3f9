import type { Change } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Notify } from '#core/notifying.ts';

const HOUR = 3_600_000;
/** A day without the other half is trouble; a night without internet is a farm. */
export const SYNC_LOST_AFTER_MS = 24 * HOUR;

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
      title: (language) => (language === 'en' ? 'No synchronisation' : 'Sem sincronização'),
      message: (language) =>
        language === 'en'
          ? `The gateway of the farm has not reached the cloud for ${hours} hours. Aeration goes on; check the internet of the farm.`
          : `O gateway da fazenda está há ${hours} horas sem contato com a nuvem. A aeração continua; verifique a internet da fazenda.`,
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
