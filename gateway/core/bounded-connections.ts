// Connections of one sort, such as those on which nobody has proved yet who asks, by the sources they come from: addresses, or
// who proved to be there. Whoever opens them by the thousand takes the places of others of that sort, never of another: the
// oldest go first, of the source that holds most.

export type ConnectionBounds = {
  most: number;
  /** One address may be a whole farm behind a router. */
  mostPerSource: number;
};

export type BoundedConnections<Connection> = {
  /** Takes a connection in; ends others where there is no room. */
  add: (connection: Connection, source: string) => void;
  /** It proved who it is, or it is over. Nothing for one that is not in. */
  remove: (connection: Connection) => void;
  size: () => number;
};

export function createBoundedConnections<Connection extends object>(deps: {
  bounds: ConnectionBounds;
  /** Ends one to make room. */
  end: (connection: Connection, source: string) => void;
}): BoundedConnections<Connection> {
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

/**
 * `who` asks on this connection has shown who it is; null: the connection has become another protocol's, which bounds it
 * itself.
 */
export const markProved = (
  socket: { emit: (event: string, who: string | null) => boolean } | null,
  who: string | null,
): void => void socket?.emit(PROVED, who);
