import { computed, effect, signal } from '@preact/signals';
import { standing } from '../data/alarms.ts';
import { now } from '../data/clock.ts';
import { isFarmNight } from '../data/farm-sun.ts';
import { farmWordAge } from '../data/instance.ts';
import { link } from '../data/live.ts';
import { isStation } from '../data/theme.ts';
import { isSoft } from '../state/screen-light.ts';

const LIT_MS = 60_000;
/** By the page's own clock, `performance.now()`. */
const litUntil = signal(0);

const isDim = computed(() => {
  if (!isStation() || !isFarmNight.value) return false;
  // asked anew every second
  void now.value;
  return isSoft({
    isStation: true,
    isNight: true,
    isLit: performance.now() < litUntil.value,
    link: link.value,
    isWordOld: farmWordAge.value === 'old',
    priorities: standing.value.map(({ priority }) => priority),
  });
});

/** A screen on the wall shines softer by night, as long as nothing needs anybody and nobody touches it. */
export function startScreenLight(): void {
  for (const touch of ['pointerdown', 'keydown', 'wheel'])
    addEventListener(
      touch,
      () => {
        litUntil.value = performance.now() + LIT_MS;
      },
      { capture: true, passive: true },
    );
  // at once, both ways: nothing fades on a screen that somebody looks at from the corner of an eye
  effect(() => {
    if (isDim.value) document.documentElement.dataset['dim'] = 'true';
    else delete document.documentElement.dataset['dim'];
  });
}
