import { signal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

// What was typed and is not saved yet is not left by a slip: the way out of the page asks first. A save goes its way unasked.

/** What was typed in, as long as it stands on the page. */
const open = new Set<HTMLElement>();
/** Where somebody wants to go who has typed something here; null: nowhere. */
export const leavingTo = signal<(() => void) | null>(null);

const isOpen = () => [...open].some((root) => root.isConnected);
/** The page with the typed text, as the address bar had it. */
let here = '';

const ask = (go: () => void) => {
  leavingTo.value = () => {
    open.clear();
    leavingTo.value = null;
    go();
  };
};

// before the router hears of it
addEventListener(
  'popstate',
  (event) => {
    if (!isOpen() || location.href === here) return;
    event.stopImmediatePropagation();
    History.prototype.pushState.call(history, null, '', here);
    ask(() => history.back());
  },
  { capture: true },
);
addEventListener(
  'click',
  (event) => {
    const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[href]') : null;
    const isElsewhere = link !== null && link.target === '' && link.pathname !== location.pathname;
    if (!isElsewhere || event.ctrlKey || event.metaKey || event.shiftKey || link.download !== '' || !isOpen())
      return;
    event.preventDefault();
    event.stopImmediatePropagation();
    ask(() => link.click());
  },
  { capture: true },
);
addEventListener('beforeunload', (event) => {
  if (isOpen()) event.preventDefault();
});

/** Watches a form or a dialog for what is typed in it. */
export function useHalfFilled(root: RefObject<HTMLElement>) {
  const watched = useRef<HTMLElement | null>(null);
  useEffect(() => {
    const found = root.current?.closest<HTMLElement>('.page, dialog') ?? null;
    watched.current = found;
    const typed = ({ target }: Event) => {
      // a search is no work, and what a dialog takes is the dialog's
      if (found === null || !(target instanceof HTMLElement) || target.matches('[type=search]')) return;
      if (target.closest('.page, dialog') !== found) return;
      here = location.href;
      open.add(found);
    };
    found?.addEventListener('input', typed);
    return () => {
      found?.removeEventListener('input', typed);
      if (found !== null) open.delete(found);
    };
  }, []);
  return {
    isTyped: () => watched.current !== null && open.has(watched.current),
    /** It is on its way to be saved. */
    isSaved: () => {
      if (watched.current !== null) open.delete(watched.current);
    },
  };
}
