import { useEffect } from 'preact/hooks';
import { Link, Route, Switch, useLocation } from 'wouter-preact';
import { OrderQuestion } from '../components/order-question.tsx';
import { Toasts } from '../components/toast.tsx';
import { toAnswer } from '../data/alarms.ts';
import { farmWordAge } from '../data/instance.ts';
import { isAwaited, link } from '../data/live.ts';
import { AlarmStrip, answerShown } from './alarm-strip.tsx';
import { Boundary } from './boundary.tsx';
import { Commands } from './commands.tsx';
import { useFetchedAhead } from './fetch-ahead.ts';
import { LazyScreen } from './lazy-screen.tsx';
import { Navigation } from './navigation.tsx';
import { ROUTES } from './routes.ts';
import { silence } from './sound.ts';
import { BlindBanner, DiskBanner, FarmStamp, StatusStrip } from './status-strip.tsx';
import { shellWords } from './words.ts';

export function Shell() {
  const words = shellWords();
  const [place] = useLocation();
  useKeys();
  useFetchedAhead();
  useEffect(() => {
    const count = toAnswer.value.length;
    document.title = count === 0 ? words.product : `(${count}) ${words.items.alarms} · ${words.product}`;
  }, [toAnswer.value.length, words]);
  return (
    <div class="shell" data-link={link.value} data-word={farmWordAge.value}>
      <a class="skip" href="#content">
        {words.skip}
      </a>
      <header class="top" ref={tellHeight}>
        <StatusStrip />
        <FarmStamp />
        <BlindBanner />
        <DiskBanner />
        <Boundary>
          <AlarmStrip />
        </Boundary>
      </header>
      <Navigation />
      <main id="content" tabIndex={-1}>
        <Boundary place={place}>
          <Switch>
            {ROUTES.map(({ path, load }) => (
              <Route key={path} path={path}>
                {(params: Record<string, string>) => (
                  <LazyScreen load={load} params={params} isHeld={isAwaited.value} />
                )}
              </Route>
            ))}
            <Route>
              <div class="page">
                <div class="empty">
                  <h1>{words.notFound}</h1>
                  <Link class="button main" href="/">
                    {words.home}
                  </Link>
                </div>
              </div>
            </Route>
          </Switch>
        </Boundary>
      </main>
      <Toasts />
      <Boundary>
        <OrderQuestion />
      </Boundary>
      <Commands />
    </div>
  );
}

/** F8 answers the alarm in the strip, F9 silences; no letter does anything while somebody types. */
function useKeys(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'F8') {
        event.preventDefault();
        // a key that is held down answers one alarm, not all of them
        if (!event.repeat) void answerShown();
      } else if (event.key === 'F9') {
        event.preventDefault();
        silence();
      }
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

/** More of a window than this is not taken from the page: large letters on a phone make a high header. */
const MOST_OF_WINDOW = 0.4;

/** The rail sticks below the header, whose height changes with the alarms; one that is too high is scrolled away. */
function tellHeight(header: HTMLElement | null): void {
  if (header === null) return;
  const tell = () => {
    const isHigh = header.offsetHeight > innerHeight * MOST_OF_WINDOW;
    header.dataset['high'] = String(isHigh);
    document.documentElement.style.setProperty('--top', isHigh ? '0px' : `${header.offsetHeight}px`);
  };
  new ResizeObserver(tell).observe(header);
  tell();
}
