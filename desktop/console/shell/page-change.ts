import { signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { shellWords } from '#words/shell.ts';
import { toAnswer } from '../data/alarms.ts';

// What a browser does by itself between two documents, for the screens of one: a title each, a word to screen readers, the
// focus on the new page, and on the way back the place where one was.

/** The heading of the page that is open; empty until it stands there. */
const heading = signal('');
/** What a screen reader says of the page that one came to. */
export const arrivedAt = signal('');

/** A heading may wait for data; whatever comes later is not waited for. */
const HEADING_MS = 8_000;
const PLACE_MS = 4_000;

export function usePageChange(place: string): void {
  const isFirst = useRef(true);
  useScroll(place, isFirst);
  useHeading(place, isFirst);
  useTitle();
  useEffect(() => {
    isFirst.current = false;
  }, [place]);
}

type First = { readonly current: boolean };

function useTitle(): void {
  const words = shellWords();
  const count = toAnswer.value.length;
  const name = heading.value;
  useEffect(() => {
    const page = name === '' || name === words.product ? words.product : `${name} · ${words.product}`;
    document.title = count === 0 ? page : `(${count}) ${words.items.alarms} · ${page}`;
  }, [count, name, words]);
}

function useHeading(place: string, isFirst: First): void {
  useEffect(() => {
    const content = document.querySelector<HTMLElement>('#content');
    if (content === null) return;
    const isArrival = !isFirst.current;
    heading.value = '';
    const look = () => {
      const found = content.querySelector('h1')?.textContent?.trim() ?? '';
      if (found === '' || found === heading.peek()) return;
      heading.value = found;
      if (!isArrival) return;
      arrivedAt.value = found;
      // what one pressed has gone with the page before
      if (document.activeElement === document.body) content.focus({ preventScroll: true });
    };
    const observer = new MutationObserver(look);
    observer.observe(content, { childList: true, subtree: true, characterData: true });
    look();
    const timer = setTimeout(() => observer.disconnect(), HEADING_MS);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
    };
  }, [place]);
}

function useScroll(place: string, isFirst: First): void {
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
    if (isFirst.current) return;
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
