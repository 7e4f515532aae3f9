import { computed, signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { componentWords } from '#words/components.ts';
import { shellWords } from '#words/shell.ts';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Icon } from '../components/icon.tsx';
import { now } from '../data/clock.ts';
import { chooseFarm, clockQuality, disk, farm, farms, sync, unread } from '../data/farm-store.ts';
import { farmWord, farmWordAge, isHosted } from '../data/instance.ts';
import { keySet } from '../data/keys.ts';
import { blindSince, link } from '../data/live.ts';
import { pending } from '../data/outbox.ts';
import { signOut, user } from '../data/session.ts';
import { density } from '../data/theme.ts';
import { age, clockTime, figure } from '../i18n/format.ts';
import { lastWordAt } from '../state/farm-word.ts';
import { SoundLamp, SoundTestLamp } from './alarm-strip.tsx';

const farmTime = computed(() => clockTime(now.value));

/** Always in sight: the links, each by itself, the queue, the sound, the farm's time. */
export function StatusStrip() {
  const words = shellWords();
  return (
    <div class="status-strip" role="status" aria-live="off">
      <GatewayLamp />
      <InternetLamp />
      {pending.value.length === 0 ? null : (
        <a class="lamp" href="/lancar/fila">
          <Icon name="queue" size={18} /> {words.queue(pending.value.length)}
        </a>
      )}
      <SoundLamp />
      {density.value === 'tv' ? <SoundTestLamp /> : null}
      {clockQuality.value === 'trusted' ? null : (
        <span class="lamp bad">
          <Icon name="clock" size={18} /> {words.clockBad}
        </span>
      )}
      {disk.value === 'low' ? <span class="lamp bad">{words.diskLow}</span> : null}
      <span class="grow" />
      <span class="farm-at">
        {farms.value.length > 1 ? (
          <FarmChoice />
        ) : (
          <span class="lamp farm-name" title={farm.value?.name}>
            {farm.value?.name ?? ''}
          </span>
        )}
        <span class="lamp" title={`${words.farmTime}: ${farm.value?.timezone ?? ''}`}>
          {farmTime.value}
        </span>
      </span>
      <button
        type="button"
        class="lamp search"
        aria-label={words.search}
        title={words.search}
        onClick={openSearch}
      >
        <Icon name="search" size={18} />
      </button>
      <AccountLamp />
    </div>
  );
}

function GatewayLamp() {
  const words = shellWords();
  const state = link.value;
  if (state === 'connecting') return <span class="lamp">◌ {words.connecting}</span>;
  return (
    <span class={`lamp ${state === 'live' ? 'well' : 'bad'}`} data-link={state}>
      <span aria-hidden="true">{state === 'live' ? '●' : '○'}</span>{' '}
      <span>{isHosted.value ? words.cloud : words.gateway}</span>
    </span>
  );
}

/** The farm's line to the cloud, and what waits for it; a farm that works alone has none. */
function InternetLamp() {
  const words = shellWords();
  const told = sync.value;
  if (isHosted.value || told === null || told.state === 'unpaired') return null;
  const since = told.last_sync_at === null ? null : now.value - Date.parse(told.last_sync_at);
  const waiting = told.pending_changes ?? 0;
  const isDown = told.state === 'offline';
  return (
    <a class={isDown ? 'lamp' : 'lamp well'} href="/sistema/sincronia" data-internet={told.state}>
      <span aria-hidden="true">{isDown ? '○' : '●'}</span>{' '}
      <span>{isDown ? words.internetDown(since === null ? null : age(since)) : words.internet}</span>
      {waiting === 0 ? null : <span title={words.toSend(figure(waiting))}>⇅ {figure(waiting)}</span>}
    </a>
  );
}

/** Hosted instance: of when the farm's data is, because the farm goes on while its line is down. */
export function FarmStamp() {
  const words = shellWords();
  const word = farmWord.value;
  if (word === null) return null;
  const at = lastWordAt(word);
  return (
    <p class="farm-stamp" data-word={farmWordAge.value}>
      {words.hosted(clockTime(at), age(now.value - at))}
      {farmWordAge.value === 'fresh' ? null : <strong> · {words.farmSilent}</strong>}
    </p>
  );
}

const ALL = 'all';

function FarmChoice() {
  const words = shellWords();
  const [, go] = useLocation();
  return (
    <select
      class="lamp farm-choice"
      aria-label={words.chooseFarm}
      value={farm.value?.id}
      onChange={(event) => {
        const { value } = event.currentTarget;
        if (value !== ALL) return chooseFarm(value);
        // the list goes back to the farm that is looked at
        event.currentTarget.value = farm.value?.id ?? '';
        go('/fazendas');
      }}
    >
      {farms.value.map(({ id, name }) => (
        <option key={id} value={id} selected={id === farm.value?.id}>
          {name}
        </option>
      ))}
      <option value={ALL}>{words.allFarms}</option>
    </select>
  );
}

/** Across the page while nothing comes from the gateway. */
export function BlindBanner() {
  const words = shellWords();
  if (link.value !== 'lost') return null;
  // drawn anew every second
  void now.value;
  const since = blindSince.value === null ? 12_000 : performance.now() - blindSince.value;
  return (
    <div class="blind-banner" role="alert">
      {isHosted.value ? words.cloudLost(age(since)) : words.gatewayLost(age(since))}
    </div>
  );
}

/** Across the page while the disk takes nothing: what is shown is true, and would not outlive a power cut. */
export function DiskBanner() {
  const words = shellWords();
  if (disk.value !== 'full') return null;
  return (
    <div class="blind-banner" role="alert" data-disk="full">
      {words.diskFull}
    </div>
  );
}

/** Who is signed in at this station, what they were told, and the way out. Phones have it under "more". */
function AccountLamp() {
  const words = shellWords();
  const [isOpen, setOpen] = useState(false);
  const person = user.value;
  if (person === null) return null;
  const close = () => setOpen(false);
  return (
    <>
      {unread.value === 0 ? null : (
        <Link href="/notificacoes" class="lamp wide-only">
          {words.unread(unread.value)}
        </Link>
      )}
      <button
        type="button"
        class="lamp wide-only"
        aria-haspopup="dialog"
        aria-label={words.accountOf(person.name)}
        onClick={() => setOpen(true)}
      >
        <Icon name="user" size={18} /> {person.name.split(' ')[0]}
      </button>
      {isOpen ? (
        <Dialog
          title={person.name}
          onClose={close}
          actions={
            <>
              <Button big onClick={() => void signOut()}>
                {words.signOut}
              </Button>
              <span class="grow" />
              <Button big autofocus onClick={close}>
                {componentWords().close}
              </Button>
            </>
          }
        >
          <p class="muted">
            {person.email}
            {farm.value === null ? '' : ` · ${words.role[farm.value.role]} · ${farm.value.name}`}
          </p>
          <Link class="button" href="/sistema/preferencias" onClick={close}>
            {words.preferences}
          </Link>
          <Link class="button" href="/notificacoes" onClick={close}>
            {words.notifications}
          </Link>
          <Link class="button" href="/painel" onClick={close}>
            {words.panel}
          </Link>
        </Dialog>
      ) : null}
    </>
  );
}

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
const openSearch = (): void => {
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
