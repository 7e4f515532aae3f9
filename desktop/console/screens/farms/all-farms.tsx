import { useQueries } from '@tanstack/preact-query';
import { Link, useLocation } from 'wouter-preact';
import type { PondCards } from '#contract/resources/pond-cards.ts';
import { farmsWords } from '#words/farms.ts';
import { Button } from '../../components/button.tsx';
import { type Column, RecordTable } from '../../components/record-table.tsx';
import { PriorityMark } from '../../components/value.tsx';
import { standing } from '../../data/alarms.ts';
import { get } from '../../data/api.ts';
import { now, soon } from '../../data/clock.ts';
import { chooseFarm, controlPoints, type Farm, farms, presence } from '../../data/farm-store.ts';
import { isBlind } from '../../data/live.ts';
import { age, clockTime, figure, quantity } from '../../i18n/format.ts';

import { controlFactsOf, freshnessOf, isHeard, isNight } from '../../state/freshness.ts';

type Lowest = { cod: string; value: number; at: number } | null;
type Air = { on: number; of: number; unheard: number };
type Line = {
  farm: Farm;
  /** Most urgent first. */
  alarms: typeof standing.value;
  /** null: not known yet. */
  cards: PondCards | null;
  lowest: Lowest;
  unmeasured: number;
  air: Air;
};

/** Every farm of the reader in one table, for owners and consultants: who has several looks where it burns first. */
export function AllFarms() {
  const words = farmsWords();
  const [, go] = useLocation();
  const cardsOf = useCards(farms.value.map(({ id }) => id));
  const lines = farms.value.map((farm) => lineOf(farm, cardsOf.get(farm.id) ?? null));
  const open = ({ id }: Farm, to: string) => {
    chooseFarm(id);
    go(to);
  };
  const columns: Column<Line>[] = [
    {
      name: words.farm,
      of: ({ farm }) => (
        <Button look="quiet" onClick={() => open(farm, '/')}>
          {farm.name}
        </Button>
      ),
      raw: ({ farm }) => farm.name,
    },
    {
      name: words.alarms,
      of: ({ alarms: [first], alarms }) =>
        first === undefined ? (
          <span class="muted">{words.calm}</span>
        ) : (
          <Link href="/alarmes" class="row nowrap">
            <PriorityMark priority={first.priority} /> {figure(alarms.length)}
          </Link>
        ),
      // critical ones first, then many before few
      raw: ({ alarms: [first], alarms }) =>
        first === undefined ? null : first.priority * 1_000 - alarms.length,
    },
    {
      name: words.oxygen,
      isNumber: true,
      of: ({ lowest, unmeasured, cards }) => (
        <>
          {lowest === null ? '—' : quantity(lowest.value, 1, 'mg/L')}
          {lowest === null ? null : (
            <span class="muted small block">
              {lowest.cod} · {age(now.value - lowest.at)}
            </span>
          )}
          {cards === null || unmeasured === 0 ? null : (
            <span class="small block">{words.unmeasured(unmeasured)}</span>
          )}
        </>
      ),
      raw: ({ lowest }) => lowest?.value ?? null,
    },
    {
      name: words.air,
      isNumber: true,
      of: ({ air }) => (
        <>
          {isBlind.value ? '—' : `${figure(air.on)} / ${figure(air.of)}`}
          {air.unheard === 0 ? null : <span class="small block">{words.unheard(air.unheard)}</span>}
        </>
      ),
      raw: ({ air }) => (isBlind.value ? null : air.on),
    },
    {
      name: words.ponds,
      isNumber: true,
      of: ({ cards }) =>
        cards === null ? '—' : `${figure(cards.summary.active_ponds)} / ${figure(cards.summary.total_ponds)}`,
      raw: ({ cards }) => cards?.summary.active_ponds ?? null,
    },
    {
      name: words.biomass,
      isNumber: true,
      of: ({ cards }) => quantity(cards?.summary.total_biomass_kg, 0, 'kg'),
      raw: ({ cards }) => cards?.summary.total_biomass_kg ?? null,
    },
  ];
  return (
    <div class="page">
      <h1>{words.title}</h1>
      <p class="muted">{words.intro}</p>
      <RecordTable<Line>
        label={words.title}
        address="fazendas"
        rows={lines}
        keyOf={({ farm }) => farm.id}
        columns={columns}
      />
    </div>
  );
}

function useCards(farmIds: readonly string[]): ReadonlyMap<string, PondCards> {
  const answers = useQueries({
    queries: farmIds.map((farm_id) => ({
      queryKey: ['ponds', '/ponds/summary-cards', { farm_id }],
      queryFn: ({ signal }: { signal: AbortSignal }) => get('/ponds/summary-cards', { farm_id }, signal),
    })),
  });
  return new Map(
    farmIds.flatMap((id, index) => {
      const cards = answers[index]?.data;
      return cards === undefined ? [] : [[id, cards] as const];
    }),
  );
}

function lineOf(farm: Farm, cards: PondCards | null): Line {
  const stocked = (cards?.ponds ?? []).filter(({ status }) => status === 'ACTIVE');
  const kind = isNight(Number(clockTime(soon.value).slice(0, 2))) ? 'oxygenByNight' : 'oxygenByDay';
  const readings = stocked.flatMap(({ cod, water_quality: water }) => {
    const at = Date.parse(water?.last_measurement ?? '');
    const value = water?.dissolved_oxygen ?? null;
    // what is too old to act on is not how the farm is now
    return value === null || freshnessOf(kind, soon.value - at) === 'stale' ? [] : [{ cod, value, at }];
  });
  const points = [...controlPoints.value.values()]
    .filter(({ farm_id, is_siren }) => farm_id === farm.id && !is_siren)
    .map((point) =>
      controlFactsOf(point, presence.value.get(point.id), { now: now.value, isBlind: isBlind.value }),
    );
  const heard = points.filter(isHeard);
  return {
    farm,
    alarms: standing.value
      .filter(({ newest }) => newest.farm_id === farm.id)
      .toSorted((a, b) => a.priority - b.priority),
    cards,
    lowest: readings.toSorted((a, b) => a.value - b.value)[0] ?? null,
    unmeasured: stocked.length - readings.length,
    air: {
      on: heard.filter(({ reported }) => reported === 'ON').length,
      of: points.length,
      unheard: points.length - heard.length,
    },
  };
}
