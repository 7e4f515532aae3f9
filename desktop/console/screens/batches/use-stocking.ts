import { useState } from 'preact/hooks';
import { stockingWords } from '#words/production.ts';
import { useCount, useFigure } from '../../components/figure-field.tsx';
import type { Batch } from '../../data/batches.ts';
import { now } from '../../data/clock.ts';
import { useFaults } from '../../data/corrections.ts';
import type { Pond } from '../../data/places.ts';
import { asTyped, isoDay } from '../../i18n/format.ts';
import { daysBetween, densityOf, doubtsOf, proposedCode } from '../../state/stocking.ts';
import { addDays } from '../../state/week-outlook.ts';

type Given = {
  ponds: readonly Pond[];
  occupied: ReadonlySet<string>;
  first: Pond | undefined;
  known: readonly Batch[];
};

const USUAL = { species: 'Litopenaeus vannamei', weightG: 0.003, survival: 85, days: 100 } as const;

/** What a new batch begins with: as the newest one had it. */
function usualOf(last: Batch | undefined) {
  const harvestAt = last?.expected_harvest_date ?? null;
  const days =
    last === undefined || harvestAt === null ? null : daysBetween(last.start_date, isoDay(harvestAt));
  return {
    words: {
      species: last?.species ?? USUAL.species,
      lineage: last?.lineage ?? '',
      larva_origin: last?.larva_origin ?? '',
    },
    weightG: last?.initial_avg_weight ?? USUAL.weightG,
    survival: last?.survival_rate_at_stocking ?? USUAL.survival,
    days: days !== null && days > 0 ? days : USUAL.days,
  };
}

/** The form of a stocking: every field, what follows from them, and what is wrong or unlikely. */
export function useStocking({ ponds, occupied, first, known }: Given) {
  const told = stockingWords();
  const last = known.toSorted((a, b) => b.start_date.localeCompare(a.start_date))[0];
  const [usual] = useState(() => usualOf(last));
  const today = isoDay(now.value);
  const [pondId, setPondId] = useState(first?.id ?? '');
  const [typedCode, setCode] = useState<string | null>(null);
  const [words, setWords] = useState(usual.words);
  const [start, setStart] = useState(today);
  const [typedHarvest, setHarvest] = useState<string | null>(null);
  const [notes, setNotes] = useState('');
  const [isReviewing, setReviewing] = useState(false);
  const count = useCount();
  const weight = useFigure(asTyped(usual.weightG), { most: 1_000 });
  const survival = useFigure(asTyped(usual.survival), { most: 100 });
  const typedDensity = useFigure();
  const faults = useFaults();
  const pond = ponds.find(({ id }) => id === pondId);
  const taken = new Set(known.map(({ batch_code }) => batch_code));
  const code = typedCode ?? (pond === undefined || start === '' ? '' : proposedCode(pond.cod, start, taken));
  const harvest = typedHarvest ?? (start === '' ? '' : addDays(start, usual.days));
  const hasArea = pond !== undefined && pond.size_m2 !== null && pond.size_m2 > 0;
  const density = hasArea ? densityOf(count.value, pond.size_m2) : typedDensity.value;
  const days = start === '' || harvest === '' ? null : daysBetween(start, harvest);
  const codeFault = taken.has(code.trim()) ? told.codeTaken : faults.at('batch_code');
  const startFault =
    start !== '' && daysBetween(today, start) > 1 ? told.startAhead : faults.at('start_date');
  const harvestFault = days !== null && days <= 0 ? told.harvestBefore : faults.at('expected_harvest_date');
  const isRight =
    pond !== undefined &&
    code.trim() !== '' &&
    !taken.has(code.trim()) &&
    Object.values(words).every((word) => word.trim() !== '') &&
    count.isRight &&
    weight.isRight &&
    survival.isRight &&
    density !== null &&
    density > 0 &&
    start !== '' &&
    startFault === null &&
    (days === null || days > 0);
  return {
    pond,
    setPondId,
    code,
    setCode,
    codeFault,
    words,
    setWord: (field: keyof typeof words, text: string) => setWords({ ...words, [field]: text }),
    count,
    weight,
    survival,
    typedDensity,
    density,
    start,
    setStart,
    startFault,
    harvest,
    setHarvest,
    harvestFault,
    days,
    notes,
    setNotes,
    isReviewing,
    setReviewing,
    faults,
    isRight,
    doubts: doubtsOf({
      pondType: pond?.pond_type ?? null,
      isOccupied: pond !== undefined && occupied.has(pond.id),
      density,
      weightG: weight.value,
      survivalPercent: survival.value,
      days,
    }),
    body: () => ({
      pond_id: pondId,
      batch_code: code.trim(),
      species: words.species.trim(),
      lineage: words.lineage.trim(),
      larva_origin: words.larva_origin.trim(),
      start_date: start,
      ...(harvest === '' ? {} : { expected_harvest_date: harvest }),
      initial_count: count.value,
      initial_avg_weight: weight.value,
      initial_density: density,
      estimated_survival_rate: survival.value,
      ...(notes.trim() === '' ? {} : { notes: notes.trim() }),
    }),
  };
}
