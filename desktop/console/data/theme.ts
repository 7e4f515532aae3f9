import { effect, signal, untracked } from '@preact/signals';
import { farmNightHours, isFarmNight } from './farm-sun.ts';

export const THEMES = ['auto', 'light', 'dark', 'sun'] as const;
export type Theme = (typeof THEMES)[number];
export const DENSITIES = ['auto', 'compact', 'touch', 'tv'] as const;
export type Density = (typeof DENSITIES)[number];

const kept = <Word extends string>(key: string, words: readonly Word[], otherwise: Word): Word => {
  const found = localStorage.getItem(key);
  return words.find((word) => word === found) ?? otherwise;
};

export const theme = signal<Theme>(kept('theme', THEMES, 'auto'));
export const density = signal<Density>(kept('density', DENSITIES, 'auto'));
/** While the panel is shown. */
export const isPanel = signal(false);

const prefersDark = matchMedia('(prefers-color-scheme: dark)');
const isCoarse = matchMedia('(pointer: coarse)');
const systemDark = signal(prefersDark.matches);
const coarse = signal(isCoarse.matches);
prefersDark.addEventListener('change', (event) => {
  systemDark.value = event.matches;
});
isCoarse.addEventListener('change', (event) => {
  coarse.value = event.matches;
});

function untilSun(): string {
  const { dusk, dawn } = farmNightHours();
  return `sun ${dusk} ${dawn}`;
}

export function startTheme(): void {
  effect(() => {
    const wanted = theme.value;
    const bySun = wanted === 'sun' || (wanted === 'auto' && isStation() && !systemDark.value);
    const isDark = bySun ? isFarmNight.value : wanted === 'auto' ? systemDark.value : wanted === 'dark';
    document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light';
    localStorage.setItem('theme', wanted);
    // for public/first-look.js, which is there before this is
    localStorage.setItem('first-look', bySun ? untracked(untilSun) : wanted);
  });
  effect(() => {
    const chosen = density.value === 'auto' ? (coarse.value ? 'touch' : 'compact') : density.value;
    document.documentElement.dataset['density'] = isPanel.value ? 'tv' : chosen;
    localStorage.setItem('density', density.value);
  });
}

/**
 * Whether this screen is looked at, and listened to, from afar: a panel, or a wall with everything large. It is dark by
 * night unless somebody chose otherwise.
 */
export const isStation = (): boolean => isPanel.value || density.value === 'tv';
