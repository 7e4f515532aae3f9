import { pairedGateway } from '#contract/resources/sync-tables.ts';
import { update } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { NewestMap } from '#core/newest-map.ts';
import type { GatewayCaller } from '../../sync/ports.ts';
import { atMost } from './at-most.ts';
import type { LiveSocketsDeps } from './live-sockets.ts';

/** A gateway that comes every second is not written down every second. */
const NOTED_EVERY_MS = 60_000;
/** Gateways that are told apart; one that fell out is written down once more. */
const MOST_NOTED = 50_000;

/** Notes when gateways were last heard and what they told of themselves. */
export function createSightings({ now, commit, log }: Pick<Kernel, 'now' | 'commit' | 'log'>) {
  const notedAtByGateway = new NewestMap<string, number>(MOST_NOTED);

  // one after another: it is for people who look at the fleet, and nothing waits for it
  const write = atMost(1, commit);

  async function note(
    { gatewayId }: GatewayCaller,
    more: { last_report_json?: string; outage_until?: string; outage_reason?: string },
  ): Promise<void> {
    notedAtByGateway.set(gatewayId, now());
    const set = { last_seen_at: isoOf(now()), ...more };
    await write({ actor: null, changes: [update(pairedGateway, gatewayId, set)] });
  }
  const failed = (error: unknown) => log.warn({ err: error }, 'it was not noted that a gateway was heard');

  return {
    heard(caller: GatewayCaller): void {
      const before = notedAtByGateway.get(caller.gatewayId);
      if (before !== undefined && Math.abs(now() - before) < NOTED_EVERY_MS) return;
      note(caller, {}).catch(failed);
    },
    told: (async (caller, frame) => {
      await note(
        caller,
        frame.is === 'report'
          ? { last_report_json: JSON.stringify({ ...frame, at: isoOf(now()) }) }
          : { outage_until: isoOf(frame.until_ms), outage_reason: frame.reason },
      );
    }) satisfies LiveSocketsDeps['told'],
  };
}
