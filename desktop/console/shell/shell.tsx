import { Component, type ComponentChildren, type ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Link, Route, Switch, useLocation } from 'wouter-preact';
import { componentWords } from '#words/components.ts';
import { shellWords } from '#words/shell.ts';
import { Button, WorkButton } from '../components/button.tsx';
import { Icon, type IconName } from '../components/icon.tsx';
import { OrderQuestion } from '../components/order-question.tsx';
import { Toasts } from '../components/toast.tsx';
import { toAnswer, unanswered } from '../data/alarms.ts';
import { loadPageAnew } from '../data/code.ts';
import { farm } from '../data/farm-store.ts';
import { farmWordAge } from '../data/instance.ts';
import { isAwaited, link } from '../data/live.ts';
import { queries } from '../data/query.ts';
import { AlarmStrip, answerShown } from './alarm-strip.tsx';
import { arrivedAt, useScroll } from './page-change.ts';
import { PrintedHead } from './printed-head.tsx';
import { silence } from './sound.ts';
import { BlindBanner, Commands, DiskBanner, FarmStamp, StatusStrip } from './status-strip.tsx';
import { type Load, type Screen, SYSTEM_ROUTES } from './system-routes.ts';

type Props = { children: ComponentChildren; place?: string };
type State = { hasFailed: boolean; place: string | undefined };

/**
 * What fails while it is drawn fails alone: strip, sound and banner live on beside it. At another `place` it begins anew.
 */
export class Boundary extends Component<Props, State> {
  override state: State = { hasFailed: false, place: this.props.place };

  static override getDerivedStateFromProps({ place }: Props, state: State): Partial<State> | null {
    return place === state.place ? null : { place, hasFailed: false };
  }

  static override getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override componentDidCatch(error: unknown) {
    // for whoever looks into the console of the browser
    reportError(error);
  }

  // what it failed over may be an answer that is still remembered
  again = () => {
    queries.clear();
    this.setState({ hasFailed: false });
  };

  override render() {
    const words = shellWords();
    if (!this.state.hasFailed) return this.props.children;
    return (
      <div class="page">
        {this.props.place === undefined ? null : <h1>{words.failedTitle}</h1>}
        <div class="note p2" role="alert" data-failed>
          <span class="grow">{words.failed}</span>
          <Button onClick={this.again}>{words.again}</Button>
          <a class="button" href="/">
            {words.home}
          </a>
        </div>
      </div>
    );
  }
}

/** Shows a screen once its code is here, and says so when it does not come; what is held is fetched, but not shown yet. */
export function LazyScreen({
  load,
  params,
  isHeld = false,
}: {
  load: () => Promise<Screen>;
  params: Record<string, string>;
  isHeld?: boolean;
}) {
  const words = componentWords();
  const [loaded, setLoaded] = useState<{ screen: ComponentType<{ params: Record<string, string> }> } | null>(
    null,
  );
  const [isFailed, setFailed] = useState(false);
  const fetchIt = () => {
    setFailed(false);
    load().then(
      (screen) => setLoaded({ screen }),
      () => setFailed(true),
    );
  };
  useEffect(fetchIt, [load]);
  if (loaded !== null && !isHeld) return <loaded.screen params={params} />;
  if (!isFailed) return <div class="page" aria-busy="true" />;
  return (
    <div class="page">
      <div class="note p2" role="alert">
        <span class="grow">{words.unreachable}</span>
        <WorkButton work={loadPageAnew}>{words.tryAgain}</WorkButton>
      </div>
    </div>
  );
}

type Item = 'farm' | 'alarms' | 'aeration' | 'enter' | 'batches' | 'reports' | 'system';

const ITEMS: readonly { item: Item; href: string; icon: IconName; onPhone: boolean }[] = [
  { item: 'farm', href: '/', icon: 'farm', onPhone: true },
  { item: 'alarms', href: '/alarmes', icon: 'alarm', onPhone: true },
  { item: 'enter', href: '/lancar', icon: 'plus', onPhone: true },
  { item: 'aeration', href: '/aeracao', icon: 'aeration', onPhone: true },
  { item: 'batches', href: '/lotes', icon: 'batch', onPhone: false },
  { item: 'reports', href: '/relatorios', icon: 'report', onPhone: false },
  { item: 'system', href: '/sistema', icon: 'system', onPhone: false },
];

/** What phones reach by "more". */
const UNDER_MORE = [
  '/mais',
  '/sistema',
  '/notificacoes',
  '/lotes',
  '/transferencias',
  '/relatorios',
  '/importar',
  '/fazendas',
  '/pair',
];

/** Screens that belong to another one of the rail than their address begins with. */
const ALSO: Readonly<Record<string, string>> = {
  '/': '/viveiros',
  '/lotes': '/transferencias',
  '/lancar': '/tarefas',
  '/relatorios': '/importar',
};

const isWithin = (path: string, href: string) => {
  const also = ALSO[href];
  if (also !== undefined && path.startsWith(also)) return true;
  return href === '/' ? path === '/' : path.startsWith(href);
};

// Every screen of the console by its address, loaded when it is first opened. A new screen is one line here. Modules of several
// screens are named once: what each needs is listed in the start.

const recordEntry = () => import('../screens/records/record-entry.tsx');
const batchList: Load = async () => (await import('../screens/batches/batch-list.tsx')).BatchList;

const ROUTES: readonly { path: string; load: Load }[] = [
  { path: '/', load: async () => (await import('../screens/wall/farm-wall.tsx')).FarmWall },
  { path: '/alarmes/:tab?', load: async () => (await import('../screens/alarms/alarm-list.tsx')).AlarmList },
  {
    path: '/aeracao',
    load: async () => (await import('../screens/aeration/control-board.tsx')).ControlBoard,
  },
  {
    path: '/viveiros/:cod/:tab?',
    load: async () => (await import('../screens/pond/pond-detail.tsx')).PondDetail,
  },
  {
    path: '/aeracao/agenda',
    load: async () => (await import('../screens/aeration/week-calendar.tsx')).WeekCalendar,
  },
  {
    path: '/aeracao/:id',
    load: async () => (await import('../screens/aeration/control-point-page.tsx')).ControlPointPage,
  },
  { path: '/lancar', load: async () => (await import('../screens/entries/choose-entry.tsx')).ChooseEntry },
  { path: '/lancar/agua', load: async () => (await import('../screens/entries/water-entry.tsx')).WaterEntry },
  { path: '/lancar/fila', load: async () => (await import('../screens/entries/queue.tsx')).Queue },
  {
    path: '/lancar/racao/:what?',
    load: async () => (await import('../screens/entries/feed-entry.tsx')).FeedEntry,
  },
  {
    path: '/lancar/biometria',
    load: async () => (await import('../screens/entries/biometry-entry.tsx')).BiometryEntry,
  },
  {
    path: '/lancar/despesa',
    load: async () => (await import('../screens/entries/expense-entry.tsx')).ExpenseEntry,
  },
  {
    path: '/lancar/mortalidade',
    load: async () => (await import('../screens/entries/mortality-entry.tsx')).MortalityEntry,
  },
  {
    path: '/lancar/tratamento',
    load: async () => (await recordEntry()).TreatmentEntry,
  },
  {
    path: '/lancar/troca',
    load: async () => (await recordEntry()).ExchangeEntry,
  },
  {
    path: '/lancar/anotacao',
    load: async () => (await recordEntry()).NoteEntry,
  },
  {
    path: '/lancar/sanidade/:what',
    load: async () => (await import('../screens/records/health-entry.tsx')).HealthEntry,
  },
  {
    path: '/lancar/medidor',
    load: async () => (await import('../screens/records/meter-entry.tsx')).MeterEntry,
  },
  {
    path: '/lancar/estoque/:what?',
    load: async () => (await import('../screens/feed-stock/feed-stock.tsx')).FeedStock,
  },
  { path: '/lotes', load: batchList },
  { path: '/lotes/lista/:tab', load: batchList },
  { path: '/lotes/novo', load: async () => (await import('../screens/batches/stocking.tsx')).Stocking },
  { path: '/lotes/:code', load: async () => (await import('../screens/batches/batch-page.tsx')).BatchPage },
  {
    path: '/lotes/:code/despesca/:lot?',
    load: async () => (await import('../screens/batches/harvest.tsx')).Harvest,
  },
  {
    path: '/transferencias/:tab?',
    load: async () => (await import('../screens/transfers/transfers.tsx')).Transfers,
  },
  { path: '/fazendas', load: async () => (await import('../screens/farms/all-farms.tsx')).AllFarms },
  { path: '/tarefas/:what?', load: async () => (await import('../screens/tasks/tasks.tsx')).Tasks },
  {
    path: '/relatorios/ficha',
    load: async () => (await import('../screens/reports/water-sheet.tsx')).WaterSheet,
  },
  { path: '/relatorios/:tab?', load: async () => (await import('../screens/reports/reports.tsx')).Reports },
  { path: '/importar', load: async () => (await import('../screens/imports/imports.tsx')).Imports },
  ...SYSTEM_ROUTES,
];

/** The screen that was asked for comes first, and has the line for itself. */
const AFTER_MS = 8_000;

/** A PC in the pump house stays where its line is. */
const isCarried = (): boolean => matchMedia('(pointer: coarse)').matches;

export function Shell() {
  const words = shellWords();
  const [place] = useLocation();
  useKeys();
  useScroll(place);
  return (
    <Frame>
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
        <PrintedHead />
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
              <Nowhere />
            </Route>
          </Switch>
        </Boundary>
      </main>
      <p class="visually-hidden" role="status" data-arrived>
        {arrivedAt.value}
      </p>
      <Toasts />
      <Boundary>
        <OrderQuestion />
      </Boundary>
      <Commands />
    </Frame>
  );
}

function Nowhere() {
  const words = shellWords();
  // like every screen: the header is as high as it is once the farm has spoken
  if (isAwaited.value) return <div class="page" aria-busy="true" />;
  return (
    <div class="page">
      <div class="empty">
        <h1>{words.notFound}</h1>
        <Link class="button main" href="/">
          {words.home}
        </Link>
      </div>
    </div>
  );
}

/** How the line stands is told to the styles; what stands within is not drawn anew for that. */
function Frame({ children }: { children: ComponentChildren }) {
  useFetchedAhead();
  return (
    <div class="shell" data-link={link.value} data-word={farmWordAge.value}>
      {children}
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
  // it tells the first height, too, when the page is laid out anyway
  new ResizeObserver(tell).observe(header);
}

function useFetchedAhead(): void {
  const farmId = farm.value?.id;
  const isLive = link.value === 'live';
  useEffect(() => {
    if (!isLive || farmId === undefined || !isCarried()) return;
    let isOver = false;
    const begin = async () => {
      const { fetchAhead } = await import('./fetch-ahead.ts');
      await fetchAhead(farmId, ROUTES, () => isOver);
    };
    // without a line there is nothing to fetch: it begins again with the next
    const timer = setTimeout(() => void begin().catch(() => undefined), AFTER_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [isLive, farmId]);
}

/** A rail on wide screens, a bar of five under the thumb on phones (the rest under "more"). */
function Navigation() {
  const words = shellWords();
  const [path] = useLocation();
  return (
    <nav class="navigation" aria-label={words.nav}>
      {ITEMS.map(({ item, href, icon, onPhone }) => (
        <Link
          key={item}
          href={href}
          class={onPhone ? '' : 'wide-only'}
          aria-current={isWithin(path, href) ? 'page' : undefined}
        >
          <Icon name={icon} />
          <span>{words.items[item]}</span>
          {item === 'alarms' && toAnswer.value.length > 0 ? (
            <span
              class={unanswered.value.length > 0 ? 'badge' : 'badge over'}
              aria-label={words.unanswered(toAnswer.value.length)}
            >
              {toAnswer.value.length}
            </span>
          ) : null}
        </Link>
      ))}
      <Link
        href="/mais"
        class="phone-only"
        aria-current={UNDER_MORE.some((start) => path.startsWith(start)) ? 'page' : undefined}
      >
        <Icon name="more" />
        <span>{words.items.more}</span>
      </Link>
    </nav>
  );
}
