import { arrivedNews } from '#contract/resources/local-tables.ts';
import { SEVERITIES, type Severity } from '#contract/words.ts';
import { type Change, purge } from '#core/changes.ts';
import type { Kernel } from '#core/kernel.ts';
import { perform } from '#core/use-case.ts';
import type { AttemptLimit } from '#features/people/attempts.ts';
import { type DeliverDeps, deliveriesOf } from './notify.ts';
import type { Arrived, ArrivedQueries, Notification } from './ports.ts';
import { isCritical } from './save-channel.ts';

export type TellArrivedDeps = Omit<DeliverDeps, 'queries'> &
  Pick<Kernel, 'clockQuality' | 'commit' | 'pause' | 'random' | 'log'> & {
    queries: DeliverDeps['queries'] & ArrivedQueries;
    role: 'gateway' | 'hosted';
    /** News of the other instance that go to the channels of one person: it might be a box in wrong hands. */
    perPerson: Pick<AttemptLimit, 'take'>;
  };

const MOST_AT_ONCE = 50;
const HOUR = 3_600_000;

/**
 * Tells the channels of this instance what the other one told its own: a channel works whichever instance it was made on.
 * Each note goes in the commit that puts its news in line, so that a kill neither loses nor repeats one. Answers how many
 * were looked at.
 */
export async function tellArrived(deps: TellArrivedDeps): Promise<number> {
  let looked = 0;
  for (;;) {
    const arrived = await deps.queries.arrived(MOST_AT_ONCE);
    let failed = 0;
    for (const one of arrived) {
      try {
        await perform(deps, null, async () => ({
          answer: undefined,
          changes: [purge(arrivedNews, one.id), ...(await deliveriesFor(deps, one))],
        }));
      } catch (error) {
        // one person's trouble must not keep another's alarm quiet
        failed += 1;
        deps.log.warn({ err: error, id: one.id }, 'news of the other instance wait to be told here');
      }
    }
    looked += arrived.length;
    if (arrived.length < MOST_AT_ONCE || failed > 0) return looked;
  }
}

async function deliveriesFor(deps: TellArrivedDeps, arrived: Arrived): Promise<Change[]> {
  const { notification } = arrived;
  if (notification === null || !isStillNews(deps, { ...arrived, notification })) return [];
  const { id, user_id: userId, type } = notification;
  const severity = severityIn(notification);
  const what = { type, ...(severity === undefined ? {} : { severity }) };
  const changes = await deliveriesOf(deps, [{ userId, notificationId: id }], what);
  if (changes.length === 0) return [];
  const isTooMuch = await deps.perPerson.take(isCritical(what) ? `${userId}:critical` : userId);
  return isTooMuch === null ? changes : [];
}

/**
 * What comes late, after hours without a link, is told where it still stands; the rest is in the list. While the clock is
 * not to be trusted nothing tells how late it is.
 */
function isStillNews(
  { now, clockQuality, role }: Pick<TellArrivedDeps, 'now' | 'clockQuality' | 'role'>,
  { notification, alert }: Arrived & { notification: Notification },
): boolean {
  const { is_read, created_at, data } = notification;
  // that a gateway is out of reach is no news at that gateway
  if (is_read || (role === 'gateway' && data['alert_type'] === 'GATEWAY_OFFLINE')) return false;
  const isOfAlert = data['alert_id'] !== undefined;
  if (alert?.status === 'ACTIVE' || !isOfAlert) return true;
  return clockQuality() === 'trusted' && now() - Date.parse(created_at) <= HOUR;
}

function severityIn({ data }: Notification): Severity | undefined {
  return SEVERITIES.find((word) => word === data['severity']);
}
