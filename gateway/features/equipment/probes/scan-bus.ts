import type { BusScanAnswer, ProbeTroubleCode } from '#contract/resources/probes.ts';
import { conflict } from '#core/errors.ts';
import type { BusLine } from './bus-line.ts';
import type { BusRow, Patience, WordsRead } from './ports.ts';

export type Found = BusScanAnswer['found'][number];
export type Scan = {
  state: 'running' | 'done' | 'cancelled' | 'failed';
  from: number;
  to: number;
  asked: number;
  found: Found[];
  trouble: { code: ProbeTroubleCode; since: number } | null;
};

/** Shorter than for a poll: 247 addresses are asked, nearly all of them nobody's. */
const PATIENCE: Patience = { timeoutMs: 250, tries: 1, lateMs: 1_000 };

export type Scans = {
  of: (busId: string) => Scan | null;
  /** Begins one and answers at once; 409 while one runs on that bus. */
  start: (
    bus: Pick<BusRow, 'id' | 'farm_id'>,
    line: Pick<BusLine, 'read'>,
    span: { from: number; to: number },
  ) => Scan;
  cancel: (busId: string) => void;
  forget: (busId: string) => void;
  /** Resolves when none runs. */
  settled: () => Promise<void>;
};

/** Looks for probes on a bus, address by address. Polling goes on between two addresses. */
export function createScans(deps: { now: () => number; changed: (farmId: string) => void }): Scans {
  const byBus = new Map<string, Scan>();
  const running = new Set<Promise<void>>();

  async function run(scan: Scan, line: Pick<BusLine, 'read'>, changed: () => void): Promise<void> {
    for (let unitId = scan.from; unitId <= scan.to && scan.state === 'running'; unitId += 1) {
      const result = await ask(line, unitId);
      scan.asked += 1;
      changed();
      const found = foundBy(result, unitId);
      if (found !== null) scan.found.push(found);
      else if (result.is === 'trouble' && result.code !== 'NO_ANSWER') {
        scan.state = 'failed';
        scan.trouble = { code: result.code, since: deps.now() };
      }
    }
    if (scan.state === 'running') scan.state = 'done';
    changed();
  }

  return {
    of: (busId) => byBus.get(busId) ?? null,
    start({ id: busId, farm_id: farmId }, line, { from, to }) {
      if (byBus.get(busId)?.state === 'running')
        throw conflict('This bus is being searched already; wait for it or cancel it', 'SCAN_RUNNING');
      const scan: Scan = { state: 'running', from, to, asked: 0, found: [], trouble: null };
      byBus.set(busId, scan);
      const changed = () => deps.changed(farmId);
      changed();
      const done = run(scan, line, changed).finally(() => running.delete(done));
      running.add(done);
      return scan;
    },
    cancel(busId) {
      const scan = byBus.get(busId);
      if (scan?.state === 'running') scan.state = 'cancelled';
    },
    forget(busId) {
      const scan = byBus.get(busId);
      if (scan?.state === 'running') scan.state = 'cancelled';
      byBus.delete(busId);
    },
    async settled() {
      await Promise.all(running);
    },
  };
}

async function ask(line: Pick<BusLine, 'read'>, unitId: number): Promise<WordsRead> {
  const read = { unitId, functionCode: 3, address: 0, count: 1 } as const;
  const first = await line.read(read, PATIENCE);
  // noise of the line, or two that answer at once: the second time tells
  return first.is === 'trouble' && first.code === 'GARBLED' ? line.read(read, PATIENCE) : first;
}

function foundBy(result: WordsRead, unit_id: number): Found | null {
  if (result.is === 'words') return { unit_id, answer: 'values' };
  if (result.code === 'REFUSED') return { unit_id, answer: 'refused' };
  return result.code === 'GARBLED' ? { unit_id, answer: 'garbled' } : null;
}
