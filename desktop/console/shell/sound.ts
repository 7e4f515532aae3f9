import { computed, effect, signal, untracked } from '@preact/signals';
import { alarms } from '../data/alarms.ts';
import { now, serverNow } from '../data/clock.ts';
import { isFarmNight } from '../data/farm-sun.ts';
import { isWaking, link, steady } from '../data/live.ts';
import { isStation } from '../data/theme.ts';
import { heardOf, loudnessOf, NIGHT_VOLUMES, type NightVolume, type Sound } from '../state/alarm-state.ts';

// The alarm that is heard. Told apart by rhythm: three beeps every 4 s, two every 30 s, one soft tone; a screen that is
// blind lets a tone fall once a minute. Browsers hold sound back until somebody touches the page: the lamp says so.

const SILENCE_MS = 2 * 60_000;

/** By the page's own clock, `performance.now()`: the gateway's may be put back. */
const silencedUntil = signal(0);
/** Whether the browser lets us be heard. */
export const isBlocked = signal(true);

declare global {
  /** By public/first-look.js. */
  var soundAhead: AudioContext | undefined;
}

let context: AudioContext | null = null;

/** A wall that watched the farm, and whose session is over: nobody watches there any more. */
export const isWatchOver = signal(false);

type Heard = { sound: Sound | 'blind'; keys: readonly string[] };
const nothing = (sound: Heard['sound']): Heard => ({ sound, keys: [] });

/** What should be heard now, and for which alarms. */
const wanted = computed<Heard>(
  steady(
    () => {
      void now.value;
      if (isWatchOver.value || (link.value === 'lost' && !isWaking.value)) return nothing('blind');
      return silencedUntil.value > performance.now() ? nothing('none') : heardOf(alarms.value);
    },
    (before, after) => before.sound === after.sound && before.keys.join() === after.keys.join(),
  ),
);

export const silenceLeft = computed(() => {
  void now.value;
  return Math.max(0, silencedUntil.value - performance.now());
});

/** Stops the sound alone, for two minutes; a new critical alarm breaks it. */
export function silence(): void {
  silencedUntil.value = performance.now() + SILENCE_MS;
}

/** Must be called from a touch or a key the first time. */
export async function arm(): Promise<void> {
  context ??= aContext();
  await context.resume();
  isBlocked.value = context.state !== 'running';
}

/** The browser may take sound away at any time, too: for a call, or when the loudspeaker is pulled. */
function aContext(): AudioContext {
  const made = globalThis.soundAhead ?? new AudioContext();
  const tell = () => {
    isBlocked.value = made.state !== 'running';
  };
  made.onstatechange = tell;
  tell();
  return made;
}

const TESTED = 'sound-tested';
/** When somebody last heard the test at this station, in milliseconds; null: never. */
export const soundTestedAt = signal(Number(localStorage.getItem(TESTED)) || null);

/** Plays the sound of a critical alarm once; false when the browser lets nothing be heard. */
export async function testSound(): Promise<boolean> {
  await arm();
  if (isBlocked.value) return false;
  play('three-beeps');
  soundTestedAt.value = serverNow();
  localStorage.setItem(TESTED, String(Math.round(soundTestedAt.value)));
  return true;
}

const NIGHT_VOLUME = 'night-volume';
const keptVolume = localStorage.getItem(NIGHT_VOLUME);
/** Of this station. */
export const nightVolume = signal<NightVolume>(
  NIGHT_VOLUMES.find((volume) => volume === keptVolume) ?? '100',
);

/** Keeps it, and lets it be heard as it will be by night. */
export async function chooseNightVolume(chosen: NightVolume): Promise<void> {
  nightVolume.value = chosen;
  localStorage.setItem(NIGHT_VOLUME, chosen);
  await arm();
  play('two-beeps', loudness('two-beeps', true));
}

export function startSound(): void {
  try {
    context = aContext();
  } catch {
    isBlocked.value = true;
  }
  // when a press ends, not when it begins: the lamp under the finger must not have become another button meanwhile
  for (const touch of ['click', 'keyup'])
    addEventListener(touch, () => {
      if (context !== null && isBlocked.value) void arm();
    });
  breakSilences();
  follow();
}

/** A critical alarm that nobody answered is heard though somebody silenced the others; so is one that becomes critical. */
function breakSilences(): void {
  let before: ReadonlySet<string> = new Set();
  effect(() => {
    const critical = alarms.value.filter(({ state, priority }) => state === 'unanswered' && priority === 1);
    if (critical.some(({ key }) => !before.has(key))) silencedUntil.value = 0;
    before = new Set(critical.map(({ key }) => key));
  });
}

/** Sounds in its rhythm what is wanted; one more alarm of the same urgency is heard at once. */
function follow(): void {
  let playing: ReturnType<typeof setInterval> | null = null;
  let before: Heard = nothing('none');
  let wasBlocked = true;
  effect(() => {
    const heard = wanted.value;
    const isNews = heard.sound !== before.sound || heard.keys.some((key) => !before.keys.includes(key));
    // once it may be heard it is heard at once, not when its turn comes round
    const isNow = isNews || (wasBlocked && !isBlocked.value);
    before = heard;
    wasBlocked = isBlocked.value;
    if (!isNow && !wasBlocked) return;
    if (playing !== null) clearInterval(playing);
    playing = null;
    const { sound } = heard;
    if (sound === 'none' || wasBlocked) return;
    play(sound);
    const every = EVERY_MS[sound];
    if (every !== null) playing = setInterval(() => play(sound), every);
  });
}

const EVERY_MS: Readonly<Record<Exclude<Sound, 'none'> | 'blind', number | null>> = {
  'three-beeps': 4_000,
  'two-beeps': 30_000,
  soft: null,
  blind: 60_000,
};

/** A sound that begins is no reason to begin it again: nothing here is followed. */
const loudness = (sound: Exclude<Sound, 'none'> | 'blind', byNight = isNightNow()): number =>
  untracked(() => loudnessOf(sound, { chosen: nightVolume.value, isNight: byNight, isStation: isStation() }));

const isNightNow = (): boolean => untracked(() => isFarmNight.value);

function play(sound: Exclude<Sound, 'none'> | 'blind', part = loudness(sound)): void {
  if (context === null || context.state !== 'running') return;
  const at = context.currentTime + 0.02;
  if (sound === 'three-beeps')
    for (const step of [0, 0.35, 0.7]) beep(at + step, { hertz: 880, length: 0.22, loud: 0.5 * part });
  else if (sound === 'two-beeps')
    for (const step of [0, 0.4]) beep(at + step, { hertz: 700, length: 0.22, loud: 0.4 * part });
  else if (sound === 'soft') beep(at, { hertz: 600, length: 0.3, loud: 0.15 * part });
  else beep(at, { hertz: 800, length: 0.9, loud: 0.3 * part, fallTo: 500 });
}

type Beep = { hertz: number; length: number; loud: number; fallTo?: number };

function beep(at: number, { hertz, length, loud, fallTo = hertz }: Beep): void {
  if (context === null) return;
  const tone = context.createOscillator();
  const gain = context.createGain();
  tone.type = 'square';
  tone.frequency.setValueAtTime(hertz, at);
  tone.frequency.linearRampToValueAtTime(fallTo, at + length);
  gain.gain.setValueAtTime(0, at);
  gain.gain.linearRampToValueAtTime(loud, at + 0.01);
  gain.gain.setValueAtTime(loud, at + length - 0.02);
  gain.gain.linearRampToValueAtTime(0, at + length);
  tone.connect(gain).connect(context.destination);
  tone.start(at);
  tone.stop(at + length);
}
