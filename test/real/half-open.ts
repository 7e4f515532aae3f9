import { spawnSync } from 'node:child_process';
import { connect, type Socket } from 'node:net';

/** Open files that this process and the programs it starts may have. */
export function openFilesLimit(): number {
  const said = spawnSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }).stdout.trim();
  return said === 'unlimited' ? Number.POSITIVE_INFINITY : Number(said);
}

/**
 * Sockets from many addresses (each of 127.0.0.0/8 is a source of its own) that say one byte and no more; one that is
 * closed is opened again.
 */
export function floodHalfOpen(port: number, count: number, addresses: number, firstByte: number) {
  const sockets = new Set<Socket>();
  const state = { isOver: false, opened: 0, n: 0 };

  function open(): void {
    if (state.isOver) return;
    state.n += 1;
    const at = state.n % addresses;
    const localAddress = `127.${20 + Math.floor(at / 250)}.7.${1 + (at % 250)}`;
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    sockets.add(socket);
    socket.on('connect', () => {
      state.opened += 1;
      socket.write(Buffer.from([firstByte]));
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      if (!state.isOver) setTimeout(open, 50);
    });
  }
  for (let n = 0; n < count; n += 1) open();
  return {
    opened: () => state.opened,
    end(): void {
      state.isOver = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}
