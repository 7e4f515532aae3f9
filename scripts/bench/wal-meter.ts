import { closeSync, openSync, readSync } from 'node:fs';
import { endianness } from 'node:os';
import BetterSqlite from 'better-sqlite3';

// What SQLite writes, page by page: every page of a commit goes to the log once (with a header of 24 bytes), and every
// page that is in the log goes to the database once when the log begins anew (checkpoint). Read from the log and its
// index (https://www.sqlite.org/walformat.html), so a full day can be told by table.

const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
/** In the index: the last valid frame, and the salt that changes when the log begins anew. */
const MX_FRAME_AT = 16;
const SALT_AT = 32;
const INDEX_BYTES = 48;

export type PageWrites = { log: number; database: number };
export type WalMeter = {
  /** Counts what came since the last look. Frames between the last look and a new beginning of the log are missed. */
  look: () => void;
  /** Learns which table each page belongs to; pages move seldom. */
  learnTables: () => void;
  /** Bytes by table; an index counts as its table. */
  bytesByTable: () => Map<string, PageWrites>;
  close: () => void;
};

export function meterWal(file: string): WalMeter {
  const wal = openSync(`${file}-wal`, 'r');
  const index = openSync(`${file}-shm`, 'r');
  const pageSize = pageSizeOf(file);
  const frameBytes = FRAME_HEADER_BYTES + pageSize;
  const state = { frame: 0, salt: '' };
  const tables = new Map<number, string>();
  const logged = new Map<number, number>();
  const checkpointed = new Map<number, number>();
  const inLog = new Set<number>();
  let beginnings = 0;

  function look(): void {
    const head = read(index, INDEX_BYTES, 0);
    const salt = head.toString('hex', SALT_AT, SALT_AT + 8);
    const last = endianness() === 'LE' ? head.readUInt32LE(MX_FRAME_AT) : head.readUInt32BE(MX_FRAME_AT);
    if (salt !== state.salt) {
      if (state.salt !== '') closeLog();
      state.salt = salt;
      state.frame = 0;
    }
    for (; state.frame < last; state.frame += 1) {
      const page = read(wal, 4, LOG_HEADER_BYTES + state.frame * frameBytes).readUInt32BE(0);
      add(logged, page, frameBytes);
      inLog.add(page);
    }
  }

  function closeLog(): void {
    beginnings += 1;
    for (const page of inLog) add(checkpointed, page, pageSize);
    inLog.clear();
  }

  return {
    look,
    learnTables() {
      const connection = new BetterSqlite(file, { readonly: true });
      try {
        const pages = connection
          .prepare<[], { pageno: number; name: string }>(
            'select d.pageno, coalesce(m.tbl_name, d.name) as name from dbstat d left join sqlite_master m on m.name = d.name',
          )
          .all();
        for (const { pageno, name } of pages) tables.set(pageno, name);
      } finally {
        connection.close();
      }
    },
    bytesByTable() {
      const found = new Map<string, PageWrites>();
      const of = (name: string) => {
        const known = found.get(name) ?? { log: 0, database: 0 };
        found.set(name, known);
        return known;
      };
      for (const [page, bytes] of logged) of(tables.get(page) ?? 'free pages').log += bytes;
      for (const [page, bytes] of checkpointed) of(tables.get(page) ?? 'free pages').database += bytes;
      // what is still in the log goes to the database once more
      for (const page of inLog) of(tables.get(page) ?? 'free pages').database += pageSize;
      of('log header').log += beginnings * LOG_HEADER_BYTES;
      return found;
    },
    close() {
      closeSync(wal);
      closeSync(index);
    },
  };
}

function pageSizeOf(file: string): number {
  const connection = new BetterSqlite(file, { readonly: true });
  try {
    return Number(connection.pragma('page_size', { simple: true }));
  } finally {
    connection.close();
  }
}

function read(handle: number, bytes: number, at: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  readSync(handle, buffer, 0, bytes, at);
  return buffer;
}

function add(counts: Map<number, number>, page: number, bytes: number): void {
  counts.set(page, (counts.get(page) ?? 0) + bytes);
}
