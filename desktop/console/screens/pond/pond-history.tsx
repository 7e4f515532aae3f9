import { useState } from 'preact/hooks';
import type { MeasurementJournal, WaterField } from '#contract/resources/water-quality.ts';
import { Answer, Empty } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { waterWords } from '../../components/water-words.ts';
import { componentWords } from '../../components/words.ts';
import type { Pond } from '../../data/places.ts';
import { useGet } from '../../data/query.ts';
import { WATER } from '../../data/water.ts';
import { dayAndTime, figure } from '../../i18n/format.ts';
import { pondWords } from './words.ts';

const PAGE = 50;
const COLUMNS: readonly WaterField[] = [
  'dissolved_oxygen',
  'temperature',
  'ph',
  'salinity',
  'ammonia',
  'nitrite',
  'alkalinity',
  'transparency',
];

/** Every measurement, newest first, with who measured how. */
export function PondHistory({ pond }: { pond: Pond }) {
  const words = pondWords();
  const names = waterWords().short;
  const more = componentWords().more;
  const [limit, setLimit] = useState(PAGE);
  const journal = useGet<MeasurementJournal>(`/water-quality/pond/${pond.id}`, { limit });
  return (
    <Answer
      of={journal}
      isEmpty={({ measurements }) => measurements.length === 0}
      empty={<Empty text={words.noMeasurements} />}
    >
      {({ measurements }) => (
        <>
          <div class="table-frame" tabIndex={0} role="region" aria-label={words.measured}>
            <table class="table">
              <thead>
                <tr>
                  <th scope="col">{words.when}</th>
                  {COLUMNS.map((field) => (
                    <th key={field} scope="col" class="number">
                      {names[field]}
                    </th>
                  ))}
                  <th scope="col">{words.notes}</th>
                </tr>
              </thead>
              <tbody>
                {measurements.map((row) => (
                  <tr key={row.id}>
                    <td>
                      {dayAndTime(row.measurement_date)}{' '}
                      <span class="muted small">{words.source[row.source]}</span>
                    </td>
                    {COLUMNS.map((field) => (
                      <td key={field} class="number">
                        {figure(row[field], WATER[field].decimals)}
                      </td>
                    ))}
                    <td>{row.notes}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          {measurements.length < limit ? null : (
            <Button onClick={() => setLimit(limit + PAGE)}>{more}</Button>
          )}
        </>
      )}
    </Answer>
  );
}
