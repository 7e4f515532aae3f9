import { lookup } from 'node:dns/promises';
import { connect, isIP } from 'node:net';
import type { BusAddress } from '#features/equipment/probes/ports.ts';
import type { ByteLinkOpened } from './byte-link.ts';

const CONNECT_MS = 3_000;

/** Connects to a probe or a serial server on the farm network; what a name leads to is checked, too. */
export async function openSocket(
  { isOnFarmNetwork }: { isOnFarmNetwork: (address: string) => boolean },
  { host, port }: BusAddress,
): Promise<ByteLinkOpened> {
  const address = await addressOf(host ?? '');
  if (address === null) return { is: 'trouble', code: 'UNREACHABLE' };
  if (!isOnFarmNetwork(address)) return { is: 'trouble', code: 'NOT_ON_FARM_NETWORK' };
  const socket = connect({ host: address, port, noDelay: true, timeout: CONNECT_MS });
  const isConnected = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true));
    socket.once('timeout', () => resolve(false));
    socket.once('close', () => resolve(false));
    // 'close' follows
    socket.on('error', () => undefined);
  });
  if (!isConnected) {
    socket.destroy();
    return { is: 'trouble', code: 'UNREACHABLE' };
  }
  socket.setTimeout(0);
  // a serial server that lost its power says nothing
  socket.setKeepAlive(true, 30_000);
  return {
    is: 'open',
    link: {
      write: (bytes) => void socket.write(bytes),
      listen(onBytes, onClose) {
        socket.on('data', onBytes);
        socket.once('close', onClose);
        if (socket.destroyed) onClose();
      },
      close: () =>
        new Promise((resolve) => {
          if (socket.closed) return resolve();
          socket.once('close', () => resolve());
          socket.destroy();
        }),
    },
  };
}

async function addressOf(host: string): Promise<string | null> {
  if (isIP(host) !== 0) return host;
  // a name server that does not answer is not waited for
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), CONNECT_MS);
  });
  const found = lookup(host).then(
    ({ address }) => address,
    () => null,
  );
  try {
    return await Promise.race([found, late]);
  } finally {
    clearTimeout(timer);
  }
}
