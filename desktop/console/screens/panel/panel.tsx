import '../../styles/panel.css';
import { computed } from '@preact/signals';
import { useEffect, useLayoutEffect } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { panelWords } from '#words/wall.ts';
import { Fault } from '../../components/answer.tsx';
import { PriorityMark } from '../../components/value.tsx';
import { now, soon } from '../../data/clock.ts';
import { useFarmConsole } from '../../data/farm-console.ts';
import { farm, isKnown } from '../../data/farm-store.ts';
import { farmWordAge } from '../../data/instance.ts';
import { link } from '../../data/live.ts';
import { usePondCards, usePonds } from '../../data/places.ts';
import { expiresAt, isRemembered, isSignedIn } from '../../data/session.ts';
import { isPanel } from '../../data/theme.ts';
import { age, clockTime, dayAndTime, shortDay } from '../../i18n/format.ts';
import { SoundLamp, SoundTestLamp } from '../../shell/alarm-strip.tsx';
import { Boundary } from '../../shell/shell.tsx';
import { isWatchOver } from '../../shell/sound.ts';
import { BlindBanner, DiskBanner, FarmStamp } from '../../shell/status-strip.tsx';
import { byCod } from '../../state/code-order.ts';
import { columnsOf, type Placed, placesOf, rowsOf } from '../../state/wall-places.ts';
import { SignInForm } from '../sign-in/sign-in.tsx';
import { lastSeen, PanelAlarms, PanelTile } from './panel-tile.tsx';

const WARN_MS = 3 * 86_400_000;
/** Seen from afar, tiles are wider than high. */
const WIDE = 1.5;

const farmTime = computed(() => clockTime(now.value));

/** The farm on the wall: read from three metres, touched by nobody. */
export function Panel() {
  usePanelLook();
  const words = panelWords();
  if (!isSignedIn()) return <SignedOut />;
  return (
    <div class="panel" data-link={link.value} data-word={farmWordAge.value}>
      <header>
        <div class="panel-head">
          <h1>{farm.value?.name ?? words.waiting}</h1>
          <SoundLamp />
          <SoundTestLamp />
          <span class="grow" />
          <Link href="/" class="panel-leave">
            {words.leave}
          </Link>
          <Clock />
        </div>
        <FarmStamp />
        <BlindBanner />
        <DiskBanner />
        <SessionWarning />
      </header>
      <main class="panel-body">
        <Boundary>
          <PanelAlarms />
        </Boundary>
        <Boundary>
          <Ponds />
        </Boundary>
      </main>
    </div>
  );
}

const Clock = () => <span class="panel-clock">{farmTime.value}</span>;

function Ponds() {
  const words = panelWords();
  const cards = usePondCards();
  const { ponds } = usePonds();
  const { data } = useFarmConsole(farm.value?.id ?? null);
  const shown = (cards.data?.ponds ?? []).toSorted(byCod);
  const { columns, cells } = cellsOf(shown, data?.wall ?? []);
  return (
    <section class="panel-ponds">
      <h2 class="visually-hidden">{words.ponds}</h2>
      {cards.isError && cards.data === undefined ? <Fault error={cards.error} /> : null}
      {cards.data?.ponds.length === 0 ? <p class="muted">{words.noPonds}</p> : null}
      <ul style={{ '--columns': columns }} aria-busy={!isKnown.value || cards.isPending}>
        {cells.map((card, index) =>
          card === null ? (
            <li key={index} aria-hidden="true" />
          ) : (
            <PanelTile
              key={card.pond_id}
              card={card}
              pointId={ponds.find(({ id }) => id === card.pond_id)?.control_point_id ?? null}
            />
          ),
        )}
      </ul>
    </section>
  );
}

/** Places beyond these, and tiles could not be read from afar. */
const MOST = { columns: 14, rows: 10 } as const;

/** As the ponds lie at the farm where somebody arranged them, with what is free between them; else by their code. */
function cellsOf<Card extends { pond_id: string }>(
  cards: readonly Card[],
  wall: readonly Placed[],
): { columns: number; cells: readonly (Card | null)[] } {
  const places = placesOf(
    cards.map(({ pond_id }) => pond_id),
    wall,
  );
  const [columns, rows] = [columnsOf(places), rowsOf(places)];
  if (wall.length === 0 || columns > MOST.columns || rows > MOST.rows) {
    return { columns: Math.max(3, Math.ceil(Math.sqrt(cards.length * WIDE))), cells: cards };
  }
  const cells = Array.from({ length: columns * rows }, (): Card | null => null);
  for (const card of cards) {
    const place = places.get(card.pond_id);
    if (place !== undefined) cells[place.row * columns + place.column] = card;
  }
  return { columns, cells };
}

/** Three days ahead, while there is time for somebody to come by. */
function SessionWarning() {
  const words = panelWords();
  const ends = expiresAt();
  if (ends === null) return null;
  if (!isRemembered()) return <p class="note p2">{words.fragile}</p>;
  if (ends - soon.value > WARN_MS) return null;
  return (
    <p class="note p2" role="alert">
      {words.ends(`${shortDay(ends)} ${clockTime(ends)}`)}
    </p>
  );
}

/** As a panel is looked at, as long as it is shown. */
function usePanelLook(): void {
  useLayoutEffect(() => {
    isPanel.value = true;
    return () => {
      isPanel.value = false;
    };
  }, []);
}

/** A panel whose session is over says so, and what it saw last; the form beside it is for whoever comes by. */
function SignedOut() {
  const words = panelWords();
  const seen = lastSeen();
  const hasWatched = seen !== null;
  useEffect(() => {
    isWatchOver.value = hasWatched;
    return () => {
      isWatchOver.value = false;
    };
  }, [hasWatched]);
  return (
    <main class="panel panel-out" data-link="lost">
      <section class="stack">
        <div class="panel-head">
          <h1>{seen === null ? words.alarms : words.title(seen.farm)}</h1>
          {hasWatched ? <SoundLamp /> : null}
          <span class="grow" />
          <span class="panel-clock">{clockTime(now.value)}</span>
        </div>
        {seen === null ? (
          <p>{words.signIn}</p>
        ) : (
          <>
            <p class="blind-banner" role="alert">
              {words.signedOut}
            </p>
            <h2>
              {(seen.alarms.length === 0 ? words.lastCalm : words.lastAlarms)(
                now.value - seen.at > 12 * 3_600_000 ? dayAndTime(seen.at) : clockTime(seen.at),
                age(now.value - seen.at),
              )}
            </h2>
            <ul class="panel-alarms">
              {seen.alarms.map(({ key, priority, place, text }) => (
                <li key={key} class={`panel-alarm p${priority}`}>
                  <PriorityMark priority={priority} />
                  <div>
                    <strong>{place}</strong> {text}
                  </div>
                </li>
              ))}
            </ul>
          </>
        )}
      </section>
      <SignInForm />
    </main>
  );
}
