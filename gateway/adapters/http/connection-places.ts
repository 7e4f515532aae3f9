import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { createUnprovedConnections, PROVED, type UnprovedBounds } from '#core/unproved-connections.ts';

/** Far more than browsers of a farm open, and far less than a server may hold. */
const BOUNDS: UnprovedBounds = { most: 2_000, mostPerSource: 400 };

/**
 * Bounds connections on which nobody has shown yet who asks. One that says nothing, or asks for nothing but what anybody
 * may see, gives way where many come: so no number of them keeps a controller out.
 */
export function boundUnproved(
  server: Server,
  deps: {
    /** Behind a proxy there are many: it bounds them itself. */
    isProxy: (address: string) => boolean;
    refused: (reason: string, source: string) => void;
    bounds?: UnprovedBounds;
  },
): Server {
  const unproved = createUnprovedConnections<Socket>({
    bounds: deps.bounds ?? BOUNDS,
    end(socket, source) {
      deps.refused('unproved_evicted', source);
      socket.destroy();
    },
  });
  return server.on('connection', (socket: Socket) => {
    const source = socket.remoteAddress?.replace(/^::ffff:/, '') ?? 'unknown';
    if (deps.isProxy(source)) return;
    const remove = () => unproved.remove(socket);
    socket.once('close', remove);
    socket.once(PROVED, remove);
    unproved.add(socket, source);
  });
}
