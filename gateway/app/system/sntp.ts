import { isPrivateAddress } from '#adapters/http/private-address.ts';
import { type SntpServer, serveTime } from '#adapters/time/sntp-server.ts';
import { type Config, isForThisMachine } from '#runtime/config.ts';
import type { World } from '#runtime/world.ts';
import type { Instance as Composed } from '../compose.ts';

type Instance = Pick<Composed, 'clock' | 'kernel' | 'metrics'>;

/** A clock that came from the network is a few steps behind a true one; any other has only this machine's word. */
const STRATUM = { fromNetwork: 3, ownWord: 10 } as const;

/** Controllers without internet take their time from the gateway. null: switched off, or nobody could ask. */
export async function openTimeServer(
  config: Config,
  world: Pick<World, 'monotonic'>,
  { clock, kernel, metrics }: Instance,
): Promise<SntpServer | null> {
  if (config.role !== 'gateway' || config.ntpPort === null || isForThisMachine(config.host)) return null;
  const stratum = (): number | null => {
    const { trust, reason } = clock.state();
    if (trust !== 'trusted') return null;
    return reason === 'synchronised' || reason === 'hosted_time' ? STRATUM.fromNetwork : STRATUM.ownWord;
  };
  const { log, now } = kernel;
  const server = await serveTime(
    { log, now, monotonic: world.monotonic, stratum, isPrivateAddress },
    config.ntpPort,
    config.host,
  );
  metrics.counter('sntp_answers_total', 'Controllers that were told the time over SNTP', server.answers);
  return server;
}
