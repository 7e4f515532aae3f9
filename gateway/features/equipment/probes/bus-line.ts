import type { ProbeTroubleCode } from '#contract/resources/probes.ts';
import type { BusAddress, BusLink, BusRow, OpenBus, Patience, RegisterRead, WordsRead } from './ports.ts';

export type LineTrouble = { code: ProbeTroubleCode; since: number };

/** One bus of this box: opened when it is first needed, opened again after the cable was out. */
export type BusLine = {
  read: (read: RegisterRead, patience: Patience) => Promise<WordsRead>;
  /** Why it cannot be used now; null: it can, or nobody has tried. `since` on the wall clock. */
  trouble: () => LineTrouble | null;
  isOpen: () => boolean;
  /** ms until opening is tried again after it failed; 0: at once. */
  restMs: () => number;
  /** ms since it was last used. */
  idleMs: () => number;
  figures: () => LineFigures;
  close: () => Promise<void>;
};
export type LineFigures = { reads: number; no_answer: number; garbled: number; refused: number };

export type LineDeps = { now: () => number; monotonic: () => number; openBus: OpenBus };

const FIRST_REST_MS = 1_000;
const LONGEST_REST_MS = 30_000;

export function createLine(deps: LineDeps, row: BusRow): BusLine {
  const figures: LineFigures = { reads: 0, no_answer: 0, garbled: 0, refused: 0 };
  let link: BusLink | null = null;
  let opening: Promise<void> | null = null;
  let trouble: LineTrouble | null = null;
  let rest = { ms: 0, until: 0 };
  let isClosed = false;
  let usedAt = deps.monotonic();

  function fail(code: ProbeTroubleCode): void {
    trouble = trouble?.code === code ? trouble : { code, since: deps.now() };
    const ms = Math.min(LONGEST_REST_MS, rest.ms === 0 ? FIRST_REST_MS : rest.ms * 2);
    rest = { ms, until: deps.monotonic() + ms };
  }

  async function open(): Promise<void> {
    const opened = await deps.openBus(addressOf(row));
    if (opened.is === 'trouble') return fail(opened.code);
    if (isClosed) return opened.link.close();
    link = opened.link;
    trouble = null;
    rest = { ms: 0, until: 0 };
  }

  async function current(): Promise<BusLink | null> {
    if (link?.isOpen() === true) return link;
    if (link !== null) {
      await link.close();
      link = null;
    }
    if (isClosed) return null;
    opening ??= open().finally(() => {
      opening = null;
    });
    await opening;
    return link;
  }

  function count(result: WordsRead): void {
    figures.reads += 1;
    if (result.is === 'words') return;
    if (result.code === 'NO_ANSWER') figures.no_answer += 1;
    if (result.code === 'GARBLED') figures.garbled += 1;
    if (result.code === 'REFUSED') figures.refused += 1;
    if (result.code === 'UNPLUGGED') fail('UNPLUGGED');
  }

  return {
    async read(read, patience) {
      usedAt = deps.monotonic();
      const open = await current();
      if (open === null) return { is: 'trouble', code: trouble?.code ?? 'UNPLUGGED', exception: null };
      const result = await open.read(read, patience);
      count(result);
      return result;
    },
    trouble: () => trouble,
    isOpen: () => link?.isOpen() === true,
    restMs: () => (trouble === null ? 0 : Math.max(0, rest.until - deps.monotonic())),
    idleMs: () => deps.monotonic() - usedAt,
    figures: () => ({ ...figures }),
    async close() {
      isClosed = true;
      await opening?.catch(() => undefined);
      await link?.close();
      link = null;
    },
  };
}

export function addressOf(row: BusRow): BusAddress {
  const { kind, device, baud, parity, host, port } = row;
  return { kind, device, baud, parity, stopBits: row.stop_bits, host, port };
}
