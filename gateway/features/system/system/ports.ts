import type { ClockState } from '#core/clock-trust.ts';

/** The clock of this instance, as its owner may look at it and set it. */
export type SystemClock = {
  now: () => number;
  quality: () => 'trusted' | 'estimated';
  state: () => ClockState;
  isSynchronised: () => boolean;
  confirm: (time: number) => void;
};
