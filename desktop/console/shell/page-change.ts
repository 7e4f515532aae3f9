import { signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { shellWords } from '#words/shell.ts';
import { toAnswer } from '../data/alarms.ts';

// What a browser does by itself between two documents, for the screens of one: a title each, a word to screen readers, the
// focus on the new page, and on the way back the place where one was.

/** The heading of the page that is open; empty until it stands there. */
const heading = signal('');
/** The part of that page that is shown, where it has several, the innermost first. */
export const part = signal('');
/** What a screen reader says of the page that one came to. */
export const arrivedAt = signal('');

/** A heading may wait for data; whatever comes later is not arrived at. */
const HEADING_MS = 8_000;
const PLACE_MS = 4_000;
/** How screens mark which of their parts is shown. */
const PARTS =
  'main .tabs [aria-current], main [aria-current=step] .step-name, main [data-parts] [aria-pressed=true]';

/** Of every page, with the frame of the console or without. Alone: a new title is no reason to draw the page anew. */
export function PageTitle(): null {
  useHeading(useLocation()[0]);
  useTitle();
  return null;
}

function useTitle(): void {
  const words = shellWords();
  const count = toAnswer.value.length;
  const names = [part.value, heading.value].filter((name) => name !== '' && name !== words.product);
  const page = [...names, words.product].join(' · ');
  useEffect(() => {
    document.title = count === 0 ? page : `(${count}) ${words.items.alarms} · ${page}`;
  }, [count, page, words]);
}

function useHeading(place: string): void {
  const isFirst = useRef(true);
  useEffect(() => {
    const isArrival = !isFirst.current;
    isFirst.current = false;
    const until = Date.now() + HEADING_MS;
    heading.value = '';
    const look = () => {
      part.value = [...document.querySelectorAll(PARTS)].map(textOf).reverse().join(' · ');
      const found = textOf(document.querySelector('h1'));
      if (found === '' || found === heading.peek()) return;
      heading.value = found;
      const content = document.getElementById('content');
      if (!isArrival || content === null || Date.now() > until) return;
      arrivedAt.value = found;
      // what one pressed has gone with the page before
      if (document.activeElement === document.body) content.focus({ preventScroll: true });
    };
    const observer = new MutationObserver(look);
    const attributeFilter = ['aria-current', 'aria-pressed'];
    observer.observe(document.body, { childList: true, subtree: true, characterData: true, attributeFilter });
    look();
    return () => observer.disconnect();
  }, [place]);
}

const textOf = (element: Element | null): string => element?.textContent.trim() ?? '';

/** Back where one was, of the screens within the frame of the console. */
export function useScroll(place: string): void {
  const isFirst = useRef(true);
  const left = useRef(new Map<string, number>());
  const shown = useRef(place);
  const isForward = useRef(false);
  useEffect(() => {
    history.scrollRestoration = 'manual';
    const onScroll = () => left.current.set(shown.current, scrollY);
    const onForward = () => {
      isForward.current = true;
    };
    addEventListener('scroll', onScroll, { passive: true });
    // the router tells of each place that it goes to; back and forward are the browser's
    addEventListener('pushState', onForward);
    return () => {
      removeEventListener('scroll', onScroll);
      removeEventListener('pushState', onForward);
    };
  }, []);
  useLayoutEffect(() => {
    shown.current = place;
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    const wanted = isForward.current ? 0 : (left.current.get(place) ?? 0);
    isForward.current = false;
    scrollTo(0, wanted);
    return wanted === 0 ? undefined : whileItGrows(wanted);
  }, [place]);
}

/** Goes to a place of a page whose parts come one after the other, unless somebody scrolls it meanwhile. */
function whileItGrows(wanted: number): () => void {
  const end = () => {
    grown.disconnect();
    clearTimeout(timer);
    for (const kind of BY_HAND) removeEventListener(kind, end);
  };
  const grown = new ResizeObserver(() => {
    scrollTo(0, wanted);
    if (Math.abs(scrollY - wanted) < 2) end();
  });
  const timer = setTimeout(end, PLACE_MS);
  grown.observe(document.body);
  for (const kind of BY_HAND) addEventListener(kind, end, { passive: true });
  return end;
}

const BY_HAND = ['wheel', 'touchstart', 'keydown', 'pointerdown'] as const;
