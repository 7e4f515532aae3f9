import { computed } from '@preact/signals';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { componentWords } from '#words/components.ts';
import { shellWords } from '#words/shell.ts';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Icon } from '../components/icon.tsx';
import { now } from '../data/clock.ts';
import { chooseFarm, clockQuality, disk, farm, farms, sync, unread } from '../data/farm-store.ts';
import { farmWord, farmWordAge, isHosted } from '../data/instance.ts';
import { blindSince, link } from '../data/live.ts';
import { pending } from '../data/outbox.ts';
import { signOut, user } from '../data/session.ts';
import { density } from '../data/theme.ts';
import { age, clockTime, figure } from '../i18n/format.ts';
import { lastWordAt } from '../state/farm-word.ts';
import { SoundLamp, SoundTestLamp } from './alarm-strip.tsx';
import { openSearch } from './commands.tsx';

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
    <span class={`lamp ${state === 'live' ? '' : 'bad'}`} data-link={state}>
      <span aria-hidden="true">{state === 'live' ? '●' : '○'}</span>{' '}
      {isHosted.value ? words.cloud : words.gateway}
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
    <a class="lamp" href="/sistema/sincronia" data-internet={told.state}>
      <span aria-hidden="true">{isDown ? '○' : '●'}</span>{' '}
      {isDown ? words.internetDown(age(since)) : words.internet}
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

function FarmChoice() {
  const words = shellWords();
  return (
    <select
      class="lamp farm-choice"
      aria-label={words.chooseFarm}
      value={farm.value?.id}
      onChange={(event) => chooseFarm(event.currentTarget.value)}
    >
      {farms.value.map(({ id, name }) => (
        <option key={id} value={id} selected={id === farm.value?.id}>
          {name}
        </option>
      ))}
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
