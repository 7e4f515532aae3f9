import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { paletteWords } from '#words/palette.ts';
import { Awaited } from '../../components/answer.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { codeOf } from '../../components/simulated.tsx';
import { useBatches } from '../../data/batches.ts';
import { farm, farmControlPoints, isOwner, mayManage } from '../../data/farm-store.ts';
import { people } from '../../data/people.ts';
import { usePonds } from '../../data/places.ts';
import { useGet } from '../../data/query.ts';
import { calendarDay } from '../../i18n/format.ts';
import { guideAddress } from '../../i18n/language.ts';
import { found, type Place } from '../../state/palette.ts';
import { partsFor } from '../system/part-list.tsx';
import '../../styles/system.css';

/** Fewer letters are in every note. */
const LETTERS_OF_A_NOTE = 3;
const MOST_NOTES = 500;
const LONGEST_NOTE = 80;

/** What somebody wrote down on the farm, asked for once it can be meant. */
function useNotes(typed: string, codeOfPond: (id: string | null) => string | null) {
  const words = paletteWords();
  const { batches } = useBatches();
  const known = farm.value;
  const isMeant = known !== null && typed.trim().length >= LETTERS_OF_A_NOTE;
  const told = useGet(isMeant ? `/farms/${known.id}/records` : null, {
    limit: MOST_NOTES,
    except: 'FEED_TRAYS',
  });
  const places = (told.data ?? []).flatMap(
    ({ kind, text, product, pond_id, batch_id, control_point_id, happened_at }) => {
      const said = [product, text].filter(Boolean).join(': ');
      const cod = codeOfPond(pond_id);
      const batch = batches.find(({ id }) => id === batch_id)?.batch_code;
      const href =
        cod !== null
          ? `/viveiros/${encodeURIComponent(cod)}/historico`
          : batch !== undefined
            ? `/lotes/${encodeURIComponent(batch)}`
            : control_point_id !== null
              ? `/aeracao/${control_point_id}`
              : null;
      if (said === '' || href === null) return [];
      const name = said.length > LONGEST_NOTE ? `${said.slice(0, LONGEST_NOTE)}…` : said;
      const hint = [words.records[kind] ?? kind, cod ?? batch, calendarDay(happened_at)];
      return [{ href, name, hint: hint.filter(Boolean).join(' · ') }];
    },
  );
  return { places, questions: isMeant ? [told] : [] };
}

function usePlaces(typed: string) {
  const words = paletteWords();
  const { ponds, ...knownPonds } = usePonds();
  const { batches, ...knownBatches } = useBatches();
  const screens = Object.entries(words.screens)
    .filter(([href]) => href !== '/importar' || mayManage.value)
    .map(([href, name]) => ({ href, name, hint: words.screen }));
  const settings = Object.entries(words.settings).flatMap(([href, names]) =>
    names.map((name) => ({ href, name, hint: words.setting })),
  );
  const guide = Object.entries(words.guidePages).map(([page, name]) => ({
    href: guideAddress().replace('index.html', `${page}.html`),
    name,
    hint: words.helpPage,
  }));
  const notes = useNotes(typed, (id) => ponds.find((pond) => pond.id === id)?.cod ?? null);
  const parts = partsFor().flatMap((group) => group.parts);
  const places: readonly Place[] = [
    ...ponds.map(({ cod }) => ({
      href: `/viveiros/${encodeURIComponent(cod)}`,
      name: cod,
      hint: words.pond,
    })),
    // what whoever comes in the morning asks of a pond
    ...ponds.map(({ cod }) => ({
      href: `/viveiros/${encodeURIComponent(cod)}/agua?periodo=24h`,
      name: `${cod} · ${words.lastNight}`,
      hint: words.pond,
    })),
    ...(isOwner.value
      ? [...people.value].map(([id, name]) => ({ href: `/sistema/usuarios#${id}`, name, hint: words.person }))
      : []),
    ...farmControlPoints.value.map((point) => ({
      href: `/aeracao/${point.id}`,
      name: codeOf(point),
      hint: point.is_siren ? words.siren : words.point,
    })),
    ...batches.map(({ batch_code, pond_id }) => ({
      href: `/lotes/${encodeURIComponent(batch_code)}`,
      name: batch_code,
      hint: words.batch(ponds.find(({ id }) => id === pond_id)?.cod ?? ''),
    })),
    ...screens,
    ...parts,
    ...settings,
    ...notes.places,
    ...guide,
  ];
  const questions = farm.value === null ? [] : [knownPonds, knownBatches, ...notes.questions];
  return { places, awaited: questions.filter(({ data }) => data === undefined) };
}

/** Any pond, batch or screen by a few letters. */
export function Palette({ onClose }: { onClose: () => void }) {
  const words = paletteWords();
  const [, go] = useLocation();
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState(0);
  const { places, awaited } = usePlaces(typed);
  // with nothing typed the screens are what can be meant
  const shown =
    typed.trim() === ''
      ? places.filter(({ hint }) => hint === words.screen).slice(0, 12)
      : found(places, typed);
  const open = (place: Place | undefined) => {
    if (place === undefined) return;
    onClose();
    // the guide is no page of the console
    if (place.hint === words.helpPage) globalThis.open(place.href, '_blank', 'noopener');
    else go(place.href);
  };
  const onKey = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      setChosen((chosen + step + shown.length) % Math.max(shown.length, 1));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      open(shown[chosen]);
    }
  };
  return (
    <Dialog title={words.title} onClose={onClose}>
      <input
        class="input"
        type="text"
        role="combobox"
        autoFocus
        autoComplete="off"
        spellcheck={false}
        aria-label={words.title}
        aria-expanded="true"
        aria-controls="palette-places"
        aria-activedescendant={shown[chosen] === undefined ? undefined : `palette-${chosen}`}
        value={typed}
        onInput={(event) => {
          setTyped(event.currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={onKey}
      />
      <p class="muted small">{words.hint}</p>
      <div id="palette-places" role="listbox" aria-label={words.title} class="palette">
        {shown.map((place, index) => (
          <div
            key={`${place.href} ${place.name} ${place.hint}`}
            id={`palette-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            onClick={() => open(place)}
          >
            <strong>{place.name}</strong> <span class="muted small">{place.hint}</span>
          </div>
        ))}
      </div>
      {shown.length > 0 ? null : awaited.length > 0 ? (
        <Awaited of={awaited} />
      ) : (
        <p role="status">{words.none}</p>
      )}
    </Dialog>
  );
}
