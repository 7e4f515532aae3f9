import type { BootCredentials, BootResult } from '#contract/mqtt/boot.ts';
import type { WindowAnswer } from '#contract/resources/adoption.ts';
import { isoOf } from '#core/kernel.ts';
import type { DeviceTalk, GuestDoor } from '#features/control/device-link.ts';

/** A board without a key, as it told of itself. Nothing of it is proved before it opened its credentials. */
export type Board = {
  mac: string;
  source: string;
  chip: string | null;
  firmwareVersion: string | null;
  formerDeviceId: string | null;
  /** null: it has not said hello on this connection. */
  nonce: string | null;
  isHere: boolean;
  firstSeen: string;
  lastSeen: string;
  count: number;
};

export type BootDeskDeps = {
  now: () => number;
  isWindowOpen: () => boolean;
  talk: () => DeviceTalk | null;
  /** Runs once after so many ms; answers the way to call it off. */
  later: (ms: number, run: () => void) => () => void;
  /** A board came, spoke or left. */
  changed: () => void;
};

/** silent: it did not answer in time; gone: it left; busy: another offer to it is under way. */
export type OfferOutcome = 'stored' | 'claim' | 'refused' | 'silent' | 'gone' | 'busy';

export type BootDesk = ReturnType<typeof createBootDesk>;

/** More than a technician powers up in one window; others come when these have gone. */
const MOST_HERE = 32;
const MOST_REMEMBERED = 64;
const ANSWER_WITHIN_MS = 8_000;

/** Where boards without a key wait, and are given their credentials one at a time each. */
export function createBootDesk(deps: BootDeskDeps) {
  const boardsByMac = new Map<string, Board>();
  const offersByMac = new Map<string, (outcome: OfferOutcome | BootResult) => void>();

  const here = () => [...boardsByMac.values()].filter(({ isHere }) => isHere).length;

  function note(mac: string, source: string, isHere: boolean): void {
    const at = isoOf(deps.now());
    const known = boardsByMac.get(mac);
    boardsByMac.delete(mac);
    boardsByMac.set(mac, {
      mac,
      source,
      chip: known?.chip ?? null,
      firmwareVersion: known?.firmwareVersion ?? null,
      formerDeviceId: known?.formerDeviceId ?? null,
      nonce: null,
      isHere,
      firstSeen: known?.firstSeen ?? at,
      lastSeen: at,
      count: (known?.count ?? 0) + 1,
    });
    deps.changed();
    if (boardsByMac.size <= MOST_REMEMBERED) return;
    // those that are here are fewer than are remembered
    const longestGone = [...boardsByMac.values()].find((board) => !board.isHere);
    if (longestGone !== undefined) boardsByMac.delete(longestGone.mac);
  }

  const door: GuestDoor = {
    admit(mac, source) {
      const isComingAgain = boardsByMac.get(mac)?.isHere === true;
      const mayEnter = deps.isWindowOpen() && (isComingAgain || here() < MOST_HERE);
      note(mac, source, mayEnter);
      return mayEnter;
    },
    hello(mac, hello) {
      const board = boardsByMac.get(mac);
      if (board === undefined) return;
      board.nonce = hello.nonce;
      board.chip = hello.chip ?? board.chip;
      board.firmwareVersion = hello.firmware_version ?? board.firmwareVersion;
      board.formerDeviceId = hello.device_id ?? board.formerDeviceId;
      board.lastSeen = isoOf(deps.now());
      deps.changed();
    },
    result: (mac, result) => offersByMac.get(mac)?.(result),
    left(mac) {
      const board = boardsByMac.get(mac);
      if (board !== undefined) {
        board.isHere = false;
        board.nonce = null;
        deps.changed();
      }
      offersByMac.get(mac)?.('gone');
    },
  };

  return {
    door,
    /** Last seen first. */
    boards: (): readonly Board[] => [...boardsByMac.values()].reverse(),
    board: (mac: string): Board | null => boardsByMac.get(mac) ?? null,
    here,
    forget: (mac: string): void => void (boardsByMac.get(mac)?.isHere === false && boardsByMac.delete(mac)),

    /** Gives a board its credentials and waits until it has proved that it opened and stored them. */
    offer(mac: string, credentials: BootCredentials, proof: string): Promise<OfferOutcome> {
      if (offersByMac.has(mac)) return Promise.resolve('busy');
      return new Promise((resolve) => {
        const callOff = deps.later(ANSWER_WITHIN_MS, () => end('silent'));
        const end = (said: OfferOutcome | BootResult) => {
          callOff();
          offersByMac.delete(mac);
          resolve(typeof said === 'string' ? said : outcomeOf(said, proof));
        };
        offersByMac.set(mac, end);
        if (deps.talk()?.sendCredentials(mac, credentials) !== true) end('gone');
      });
    },
  };
}

function outcomeOf(result: BootResult, proof: string): OfferOutcome {
  // who says "stored" without the proof never opened it
  if (result.ok) return result.proof === proof ? 'stored' : 'claim';
  return result.error === 'claim' ? 'claim' : 'refused';
}

type WindowDeps = { now: () => number; monotonic: () => number; changed: () => void };

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
