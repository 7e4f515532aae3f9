import { useEffect, useRef, useState } from 'preact/hooks';
import { arrangeWords } from '#words/wall.ts';
import { faultText } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { toast } from '../../components/toast.tsx';
import { keepFarmConsole } from '../../data/farm-console.ts';
import { isBlind } from '../../data/live.ts';

import { type Arrangement, columnsOf, movedTo, type Place, rowsOf, wallOf } from '../../state/wall-places.ts';

const STEPS: Readonly<Record<string, Place>> = {
  ArrowLeft: { column: -1, row: 0 },
  ArrowRight: { column: 1, row: 0 },
  ArrowUp: { column: 0, row: -1 },
  ArrowDown: { column: 0, row: 1 },
};

/** Ponds are put where they lie at the farm: dragged, pressed one after the other, or moved with the arrow keys. */
export function ArrangeWall({
  farmId,
  ponds,
  arranged,
  isArranged,
  onClose,
}: {
  farmId: string;
  ponds: readonly { pond_id: string; cod: string }[];
  arranged: Arrangement;
  isArranged: boolean;
  onClose: () => void;
}) {
  const words = arrangeWords();
  const [places, setPlaces] = useState(arranged);
  const [held, setHeld] = useState<string | null>(null);
  const [said, setSaid] = useState('');
  const move = (pondId: string, to: Place) => {
    const next = movedTo(places, pondId, to);
    setPlaces(next);
    const at = next.get(pondId);
    if (at !== undefined) setSaid(words.at(codOf(ponds, pondId), at.column + 1, at.row + 1));
  };
  const keep = async (wall: ReturnType<typeof wallOf>) => {
    try {
      await keepFarmConsole(farmId, { wall });
      onClose();
    } catch (error) {
      toast(faultText(error));
    }
  };
  return (
    <section class="card stack arrange" aria-label={words.title}>
      <h2>{words.title}</h2>
      <p class="muted">{words.how}</p>
      <Places
        {...{ ponds, places, held }}
        onPress={(pondId, place) => {
          if (held === null) return setHeld(pondId);
          if (held !== pondId) move(held, place);
          setHeld(null);
        }}
        onDrag={setHeld}
        onDrop={(place) => {
          if (held !== null) move(held, place);
          setHeld(null);
        }}
        onStep={(pondId, step) => {
          const from = places.get(pondId);
          if (from !== undefined)
            move(pondId, { column: from.column + step.column, row: from.row + step.row });
        }}
      />
      <p class="visually-hidden" role="status">
        {said}
      </p>
      <div class="row">
        <Button big onClick={onClose}>
          {words.cancel}
        </Button>
        <WorkButton big look="main" disabled={isBlind.value} work={() => keep(wallOf(places))}>
          {words.keep}
        </WorkButton>
        {isArranged ? (
          <WorkButton big look="quiet" disabled={isBlind.value} work={() => keep([])}>
            {words.forget}
          </WorkButton>
        ) : null}
      </div>
    </section>
  );
}

const codOf = (ponds: readonly { pond_id: string; cod: string }[], pondId: string): string =>
  ponds.find(({ pond_id }) => pond_id === pondId)?.cod ?? '';

/** One column and one row more than there are, so that it can grow. */
function Places({
  ponds,
  places,
  held,
  onPress,
  onDrag,
  onDrop,
  onStep,
}: {
  ponds: readonly { pond_id: string; cod: string }[];
  places: Arrangement;
  held: string | null;
  onPress: (pondId: string | null, place: Place) => void;
  onDrag: (pondId: string) => void;
  onDrop: (place: Place) => void;
  onStep: (pondId: string, step: Place) => void;
}) {
  const words = arrangeWords();
  const grid = useRef<HTMLUListElement>(null);
  const stepped = useRef<string | null>(null);
  // a pond keeps the focus when a key moved it
  useEffect(() => {
    if (stepped.current === null) return;
    grid.current?.querySelector<HTMLElement>(`[data-arranged="${stepped.current}"]`)?.focus();
    stepped.current = null;
  }, [places]);
  const standing = new Map(ponds.map(({ pond_id, cod }) => [keyOf(places.get(pond_id)), { pond_id, cod }]));
  const columns = Math.min(100, columnsOf(places) + 1);
  const rows = Math.min(100, rowsOf(places) + 1);
  const cells = Array.from({ length: columns * rows }, (_, index) => ({
    column: index % columns,
    row: Math.floor(index / columns),
  }));
  return (
    <ul class="arrange-grid" style={{ '--columns': columns }} ref={grid}>
      {cells.map((place) => {
        const pond = standing.get(keyOf(place));
        const [column, row] = [place.column + 1, place.row + 1];
        return (
          <li
            key={keyOf(place)}
            onDragOver={(event) => event.preventDefault()}
            onDrop={(event) => {
              event.preventDefault();
              onDrop(place);
            }}
          >
            <button
              type="button"
              class="button"
              data-arranged={pond?.pond_id}
              data-empty={pond === undefined}
              disabled={pond === undefined && held === null}
              draggable={pond !== undefined}
              aria-pressed={pond === undefined ? undefined : held === pond.pond_id}
              aria-label={pond === undefined ? words.free(column, row) : words.at(pond.cod, column, row)}
              onClick={() => onPress(pond?.pond_id ?? null, place)}
              onDragStart={(event) => {
                if (pond === undefined) return;
                // without data some browsers drag nothing
                event.dataTransfer?.setData('text/plain', pond.cod);
                onDrag(pond.pond_id);
              }}
              onKeyDown={(event) => {
                const step = STEPS[event.key];
                if (step === undefined || pond === undefined) return;
                event.preventDefault();
                stepped.current = pond.pond_id;
                onStep(pond.pond_id, step);
              }}
            >
              {pond?.cod ?? ''}
            </button>
          </li>
        );
      })}
    </ul>
  );
}

const keyOf = (place: Place | undefined): string =>
  place === undefined ? '' : `${place.column} ${place.row}`;
