import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { keySet } from '../data/keys.ts';

type Shown = ComponentType<{ onClose: () => void }>;
type Go = (href: string) => void;

const GOES: Readonly<Record<string, string>> = { f: '/', a: '/alarmes', e: '/aeracao', l: '/lancar' };
const ROWS = 'main :is(a.card, a.button.row-link, tbody th a, [data-point] h2 a, .alarm-row a)';

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName));

const palette = async (): Promise<Shown> => (await import('../screens/palette/palette.tsx')).Palette;
const help = async (): Promise<Shown> => (await import('../screens/palette/key-help.tsx')).KeyHelp;

/** Counts the presses on what looks for ponds, batches, people and screens by name. */
const searches = signal(0);
export const openSearch = (): void => {
  searches.value += 1;
};

/** What keys do besides F8 and F9: finding a place, help, and letters for those who switched them on. */
export function Commands() {
  const [shown, setShown] = useState<{ component: Shown } | null>(null);
  const [, go] = useLocation();
  useEffect(() => {
    let sinceG = Number.NEGATIVE_INFINITY;
    const open = (load: () => Promise<Shown>) => {
      load().then(
        (component) => setShown({ component }),
        // without its code there is nothing to show; the next press tries again
        () => undefined,
      );
    };
    const onKey = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        return open(palette);
      }
      const isModified = event.ctrlKey || event.metaKey || event.altKey;
      if (isModified || isTyping(event.target) || document.querySelector('dialog[open]') !== null) return;
      if (event.key === '?' && keySet.value !== 'none') return open(help);
      if (keySet.value !== 'all') return;
      if (event.key === '/') {
        event.preventDefault();
        return open(palette);
      }
      if (event.timeStamp - sinceG < 1_500) takeGo(event, go);
      else takeLetter(event);
      sinceG = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY;
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [go]);
  const asked = searches.value;
  useEffect(() => {
    if (asked > 0)
      void palette()
        .then((component) => setShown({ component }))
        .catch(() => undefined);
  }, [asked]);
  if (shown === null) return null;
  return <shown.component onClose={() => setShown(null)} />;
}

function takeGo(event: KeyboardEvent, go: Go): void {
  const href = GOES[event.key];
  if (href === undefined) return;
  event.preventDefault();
  go(href);
}

function takeLetter(event: KeyboardEvent): void {
  if (event.key === 'j') moveBy(1);
  else if (event.key === 'k') moveBy(-1);
  else if (event.key === 'o' || event.key === 'O') pressControl(event.key === 'o');
}

function moveBy(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>(ROWS)];
  const at = rows.findIndex((row) => row === document.activeElement);
  rows.at(at === -1 ? (step === 1 ? 0 : -1) : Math.min(rows.length - 1, Math.max(0, at + step)))?.focus();
}

/** Presses the one control there is for the row in focus, and only when it would do what was asked for. */
function pressControl(isOn: boolean): void {
  const row = document.activeElement?.closest('[data-point], main');
  const buttons = row?.querySelectorAll<HTMLButtonElement>('[data-control] > button') ?? [];
  const [button] = buttons;
  if (buttons.length !== 1 || button === undefined || button.disabled) return;
  // the button to switch on is the filled one; OFF opens the question, as a press does
  if (button.classList.contains('main') === isOn) button.click();
}
