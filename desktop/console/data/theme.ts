import { effect, signal } from '@preact/signals';

export type Theme = 'auto' | 'light' | 'dark';
export type Density = 'auto' | 'compact' | 'touch' | 'tv';

const kept = <Word extends string>(key: string, words: readonly Word[], otherwise: Word): Word => {
  const found = localStorage.getItem(key);
  return words.find((word) => word === found) ?? otherwise;
};

export const theme = signal<Theme>(kept('theme', ['auto', 'light', 'dark'], 'auto'));
export const density = signal<Density>(kept('density', ['auto', 'compact', 'touch', 'tv'], 'auto'));

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

export function startTheme(): void {
  effect(() => {
    const isDark = theme.value === 'auto' ? systemDark.value : theme.value === 'dark';
    document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light';
    localStorage.setItem('theme', theme.value);
  });
  effect(() => {
    const wanted = density.value === 'auto' ? (coarse.value ? 'touch' : 'compact') : density.value;
    document.documentElement.dataset['density'] = wanted;
    localStorage.setItem('density', density.value);
  });
}

/** Whether this screen is looked at, and listened to, from afar: a panel, or a wall with everything large. */
export const isStation = (): boolean => document.documentElement.dataset['density'] === 'tv';
