import { createRandom, seedFor } from '../random.ts';
import { createRealClock, type SimClock } from '../sim-clock.ts';
import { type Board, type BoardEvent, type BoardOptions, createBoard } from './board.ts';
import type { BoardFaults } from './faults.ts';
import { createLine } from './line.ts';
import { type HostPort, openHostPort, type PortKind } from './ports.ts';

// A board, its cable and the port a host opens.

export type StartBoardOptions = {
  port: PortKind;
  /** A fixed rate, or `own`: what the board's side of the line is set to. Without it bytes take no time. */
  lineRate?: number | 'own' | undefined;
  faults?: BoardFaults;
  /** After the fault `unplug` the cable comes back so much later. */
  replugAfterMs?: number;
  /** A clock of the caller's; it is then not stopped. */
  clock?: SimClock;
  tell?: (event: StartedBoardEvent) => void;
} & Partial<Omit<BoardOptions, 'faults' | 'download'>>;

export type StartedBoardEvent = BoardEvent | { kind: 'port'; path: string } | { kind: 'unplugged' };

export type StartedBoard = {
  /** What the host opens now; another one after the cable was pulled. */
  path(): string;
  board: Board;
  close(): Promise<void>;
};

export const DEFAULT_MAC = '24:6f:28:5a:00:01';
const REPLUG_AFTER_MS = 1_000;

/** Gives a board power and a port. Throws an Error with one sentence when the port or the flash file cannot be had. */
export async function startBoard(options: StartBoardOptions): Promise<StartedBoard> {
  const clock = options.clock ?? createRealClock();
  const faults = options.faults ?? {};
  const tell = options.tell ?? (() => undefined);
  const seed = options.seed ?? 1;
  let port: HostPort | null = null;
  let closing: Promise<void> | null = null;

  const board = createBoard(
    { clock, send: (bytes) => line.fromBoard(bytes), tell },
    {
      ...options,
      mac: options.mac ?? DEFAULT_MAC,
      seed,
      faults,
      download: options.port.kind === 'rfc2217' ? 'lines' : 'sync',
    },
  );
  const line = createLine(
    {
      clock,
      random: createRandom(seedFor(seed, 'cable')),
      toBoard: board.feed,
      toHost: (bytes) => port?.write(bytes),
      unplug: () => void pull(),
    },
    {
      baud: () => (options.lineRate === 'own' ? board.baud() : (options.lineRate ?? null)),
      noise: faults.noise ?? 0,
      lost: faults.lost ?? 0,
      unplugAfterBytes: faults.unplug ?? null,
    },
  );
  const plug = async () => {
    const opened = await openHostPort(
      { data: line.fromHost, hangUp: board.hangUp, lines: board.setLines },
      options.port,
    );
    if (closing !== null) return opened.close();
    port = opened;
    tell({ kind: 'port', path: opened.path });
    board.powerOn();
  };
  /** The cable feeds the board, too: without it the board is dark. */
  const pull = async () => {
    const pulled = port;
    port = null;
    board.powerOff();
    tell({ kind: 'unplugged' });
    await pulled?.close();
    replugLater();
  };
  /** What stands in the way (a taken port, a file where the link was) may go away. */
  const replugLater = () => {
    clock.at(clock.nowMs() + (options.replugAfterMs ?? REPLUG_AFTER_MS), () => {
      if (closing === null) plug().catch(replugLater);
    });
  };
  try {
    await plug();
  } catch (cause) {
    await board.close();
    if (options.clock === undefined) clock.stop();
    throw cause;
  }
  const close = async () => {
    await board.close();
    await port?.close();
    if (options.clock === undefined) clock.stop();
  };
  return {
    path: () => port?.path ?? '',
    board,
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}
