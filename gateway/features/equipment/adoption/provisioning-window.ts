import type { WindowAnswer } from '#contract/resources/adoption.ts';
import { isoOf } from '#core/kernel.ts';

export type WindowDeps = { now: () => number; monotonic: () => number; changed: () => void };

type Open = { openedAt: number; minutes: number; untilMonotonic: number; by: string };

/**
 * The time in which boards without a key may come in. Opened by a technician, closed by itself, and never open after a
 * restart: it lives in memory alone. It is measured on the clock that only grows, so no step of the time prolongs it.
 */
export class ProvisioningWindow {
  readonly #deps: WindowDeps;
  #open: Open | null = null;

  constructor(deps: WindowDeps) {
    this.#deps = deps;
  }

  open(minutes: number, by: string): void {
    const { now, monotonic } = this.#deps;
    this.#open = { openedAt: now(), minutes, untilMonotonic: monotonic() + minutes * 60_000, by };
    this.#deps.changed();
  }

  /** True when it was open. */
  close(): boolean {
    const wasOpen = this.#open !== null;
    this.#open = null;
    this.#deps.changed();
    return wasOpen;
  }

  isOpen(): boolean {
    return this.#leftMs() > 0;
  }

  /** True once, when its time is over. */
  isJustOver(): boolean {
    return this.#open !== null && this.#leftMs() <= 0 && this.close();
  }

  answer(boardsWaiting: number): WindowAnswer {
    const leftMs = this.#leftMs();
    if (this.#open === null || leftMs <= 0) {
      return {
        is_open: false,
        opened_at: null,
        closes_at: null,
        seconds_left: 0,
        opened_by: null,
        boards_waiting: 0,
      };
    }
    return {
      is_open: true,
      opened_at: isoOf(this.#open.openedAt),
      closes_at: isoOf(this.#deps.now() + leftMs),
      seconds_left: Math.ceil(leftMs / 1000),
      opened_by: this.#open.by,
      boards_waiting: boardsWaiting,
    };
  }

  #leftMs(): number {
    return this.#open === null ? 0 : this.#open.untilMonotonic - this.#deps.monotonic();
  }
}
