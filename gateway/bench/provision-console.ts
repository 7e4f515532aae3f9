import type { SerialLink } from '#adapters/serial/open-port.ts';
import { createConsoleReader, type Heard } from './provision-reader.ts';
import { cancelled } from './trouble.ts';

/** Runs something after some milliseconds; answers what takes it back. */
export type Later = (ms: number, run: () => void) => () => void;

export type ConsoleDeps = {
  link: Pick<SerialLink, 'write' | 'onData' | 'lost'>;
  later: Later;
  signal: AbortSignal;
  /** A line of the board's log. */
  heardLine: (text: string) => void;
};

export type BoardConsole = {
  /**
   * Sends, and answers the first thing that `pick` takes; null when `ms` milliseconds pass without one. With nothing to
   * send it is what followed the last answer. Rejects when the cable is pulled (PortTrouble) and when the job is stopped
   * (BenchTrouble CANCELLED).
   */
  ask: <Answer>(question: {
    send: Uint8Array | null;
    pick: (heard: Heard) => Answer | undefined;
    ms: number;
  }) => Promise<Answer | null>;
  /** Until nothing came for `ms` milliseconds, and at most ten times as long: late answers are let pass. */
  quiet: (ms: number) => Promise<void>;
  close: () => void;
};

const MOST_UNASKED = 100;

/** The console of a board over an open port: one question at a time, log lines told as they come. */
export function openConsole({ link, later, signal, heardLine }: ConsoleDeps): BoardConsole {
  const reader = createConsoleReader();
  // several answers come in one piece: what stands behind the one that was waited for is kept for the next question
  let unasked: Heard[] = [];
  const keep = (heard: Heard) => {
    if (unasked.length < MOST_UNASKED) unasked.push(heard);
  };
  let listener = keep;
  const hear = (heard: Heard[]) => {
    for (const one of heard) {
      if (one.kind === 'line') heardLine(one.text);
      else listener(one);
    }
  };
  const silence = link.onData((bytes) => hear(reader.feed(bytes)));

  /** Waits for `settle` to be called, for the cable, for the end of the job. */
  async function settled<Answer>(begin: (settle: (answer: Answer) => void) => () => void): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const stop = () => reject(cancelled());
    const lose = () => reject(link.lost.reason);
    signal.addEventListener('abort', stop, { once: true });
    link.lost.addEventListener('abort', lose, { once: true });
    const end = begin(resolve);
    try {
      if (signal.aborted) throw cancelled();
      link.lost.throwIfAborted();
      return await promise;
    } finally {
      end();
      listener = keep;
      signal.removeEventListener('abort', stop);
      link.lost.removeEventListener('abort', lose);
    }
  }

  return {
    async ask<Answer>({ send, pick, ms }: Parameters<BoardConsole['ask']>[0]) {
      const awaiting = settled<Answer | null>((settle) => {
        const before = send === null ? unasked : [];
        unasked = [];
        listener = (heard) => {
          // what the caller picks is what the caller gets
          const picked = pick(heard) as Answer | undefined;
          if (picked === undefined) return;
          listener = keep;
          settle(picked);
        };
        for (const heard of before) listener(heard);
        return later(ms, () => settle(null));
      });
      const [answer] = await Promise.all([awaiting, send === null ? undefined : link.write(send)]);
      if (answer === null) hear(reader.giveUp());
      return answer;
    },
    quiet: (ms) =>
      settled<void>((settle) => {
        let cancel = later(ms, settle);
        const last = later(10 * ms, settle);
        listener = () => {
          cancel();
          cancel = later(ms, settle);
        };
        return () => {
          cancel();
          last();
        };
      }),
    close: silence,
  };
}
