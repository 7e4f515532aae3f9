import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { paletteWords } from '#words/palette.ts';
import { Dialog } from '../../components/dialog.tsx';
import { codeOf } from '../../components/simulated.tsx';
import { useBatches } from '../../data/batches.ts';
import { farmControlPoints, isOwner, mayManage } from '../../data/farm-store.ts';
import { people } from '../../data/people.ts';
import { usePonds } from '../../data/places.ts';
import { found, type Place } from '../../state/palette.ts';
import { partsFor } from '../system/part-list.tsx';
import '../../styles/system.css';

function usePlaces(): readonly Place[] {
  const words = paletteWords();
  const { ponds } = usePonds();
  const { batches } = useBatches();
  const screens = Object.entries(words.screens)
    .filter(([href]) => href !== '/importar' || mayManage.value)
    .map(([href, name]) => ({ href, name, hint: words.screen }));
  const parts = partsFor().flatMap((group) => group.parts);
  return [
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
  ];
}

/** Any pond, batch or screen by a few letters. */
export function Palette({ onClose }: { onClose: () => void }) {
  const words = paletteWords();
  const [, go] = useLocation();
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState(0);
  const places = usePlaces();
  // with nothing typed the screens are what can be meant
  const shown =
    typed.trim() === ''
      ? places.filter(({ hint }) => hint === words.screen).slice(0, 12)
      : found(places, typed);
  const open = (place: Place | undefined) => {
    if (place === undefined) return;
    onClose();
    go(place.href);
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
            key={place.href}
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
      {shown.length === 0 ? <p role="status">{words.none}</p> : null}
    </Dialog>
  );
}
