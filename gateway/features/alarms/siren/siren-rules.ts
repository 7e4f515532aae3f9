import type { SirenState } from '#contract/resources/sirens.ts';

/** What is remembered of a farm's sirens. Instants are ms of the clock that only grows. */
export type SirenMemory = {
  /** Episodes that waited for somebody at the last look. */
  waiting: ReadonlySet<string>;
  /** When the sound began that goes on, or comes again after its pauses. */
  soundsSince: number;
  hushedUntil: number;
  testUntil: number;
};

export type SirenTimes = { soundMs: number; pauseMs: number };

/** `until` is when time alone changes it; null: it does not. */
export type SirenNow = { state: SirenState; isOn: boolean; until: number | null };

export const SILENT: SirenMemory = {
  waiting: new Set(),
  soundsSince: Number.NEGATIVE_INFINITY,
  hushedUntil: Number.NEGATIVE_INFINITY,
  testUntil: Number.NEGATIVE_INFINITY,
};

/** What follows from the alerts that wait now: one that did not wait before is heard at once, hushed or not. */
export function remembered(before: SirenMemory, waiting: ReadonlySet<string>, now: number): SirenMemory {
  const isNew = [...waiting].some((episode) => !before.waiting.has(episode));
  if (isNew) return { ...before, waiting, soundsSince: now, hushedUntil: Number.NEGATIVE_INFINITY };
  if (waiting.size === 0) return { ...SILENT, testUntil: before.testUntil };
  return { ...before, waiting };
}

/** It sounds, pauses, and sounds again while somebody is waited for; a hush ends in the sound. */
export function sirenNow(memory: SirenMemory, { soundMs, pauseMs }: SirenTimes, now: number): SirenNow {
  if (now < memory.testUntil) return { state: 'testing', isOn: true, until: memory.testUntil };
  if (memory.waiting.size === 0) return { state: 'quiet', isOn: false, until: null };
  if (now < memory.hushedUntil) return { state: 'hushed', isOn: false, until: memory.hushedUntil };
  const begin = Math.max(memory.soundsSince, memory.hushedUntil);
  const round = soundMs + pauseMs;
  const into = (now - begin) % round;
  const isOn = into < soundMs;
  return { state: isOn ? 'sounding' : 'pausing', isOn, until: now + (isOn ? soundMs : round) - into };
}
