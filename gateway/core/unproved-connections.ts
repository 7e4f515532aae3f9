// Connections that have proved nothing yet. Whoever opens them by the thousand, from however many addresses, takes the
// places of others who proved nothing, never of those who did: the oldest go first, of the address that holds most.

export type UnprovedBounds = {
  most: number;
  /** One address may be a whole farm behind a router. */
  mostPerSource: number;
};

export type UnprovedConnections<Connection> = {
  /** Takes a connection in; ends others where there is no room. */
  add: (connection: Connection, source: string) => void;
  /** It proved who it is, or it is over. Nothing for one that is not in. */
  remove: (connection: Connection) => void;
  size: () => number;
};

export function createUnprovedConnections<Connection extends object>(deps: {
  bounds: UnprovedBounds;
  /** Ends one to make room. */
  end: (connection: Connection, source: string) => void;
}): UnprovedConnections<Connection> {
  const sourceOf = new Map<Connection, string>();
  /** Oldest first. */
  const bySource = new Map<string, Set<Connection>>();
  /** Sources by how many they hold; whoever came to that number first stands first. */
  const sourcesByCount = new Map<number, Set<string>>();
  let largest = 0;

  function move(source: string, from: number, to: number): void {
    sourcesByCount.get(from)?.delete(source);
    if (to > 0) {
      const sources = sourcesByCount.get(to) ?? new Set();
      sourcesByCount.set(to, sources.add(source));
    }
    largest = Math.max(largest, to);
    while (largest > 0 && (sourcesByCount.get(largest)?.size ?? 0) === 0) {
      sourcesByCount.delete(largest);
      largest -= 1;
    }
  }

  function remove(connection: Connection): void {
    const source = sourceOf.get(connection);
    if (source === undefined) return;
    sourceOf.delete(connection);
    const own = bySource.get(source);
    own?.delete(connection);
    const left = own?.size ?? 0;
    if (left === 0) bySource.delete(source);
    move(source, left + 1, left);
  }

  function endOldestOf(source: string): void {
    const [oldest] = bySource.get(source) ?? [];
    if (oldest === undefined) return;
    remove(oldest);
    deps.end(oldest, source);
  }

  return {
    add(connection, source) {
      if ((bySource.get(source)?.size ?? 0) >= deps.bounds.mostPerSource) endOldestOf(source);
      else if (sourceOf.size >= deps.bounds.most) {
        const [first] = sourcesByCount.get(largest) ?? [];
        if (first !== undefined) endOldestOf(first);
      }
      const own = bySource.get(source) ?? new Set();
      bySource.set(source, own.add(connection));
      sourceOf.set(connection, source);
      move(source, own.size - 1, own.size);
    },
    remove,
    size: () => sourceOf.size,
  };
}

/** Said on a connection of a server that does not know itself who asks. */
export const PROVED = 'proved';

/** Who asks on this connection has shown who it is, or the connection has become another protocol's. */
export const markProved = (socket: { emit: (event: string) => boolean } | null): void =>
  void socket?.emit(PROVED);
