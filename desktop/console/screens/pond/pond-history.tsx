import { useState } from 'preact/hooks';
import type { MeasurementAnswer, MeasurementJournal, WaterField } from '#contract/resources/water-quality.ts';
import { ammoniaTwin } from '../../components/ammonia.tsx';
import { Answer, Empty } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { RowActions } from '../../components/row-actions.tsx';
import { waterWords } from '../../components/water-words.ts';
import { componentWords } from '../../components/words.ts';
import { isLeaving } from '../../data/corrections.ts';
import { mayCorrect, mayRecord } from '../../data/farm-store.ts';
import type { Pond } from '../../data/places.ts';
import { useGet } from '../../data/query.ts';
import { WATER } from '../../data/water.ts';
import { asTyped, dayAndTime, figure, percent } from '../../i18n/format.ts';
import { CorrectionStory } from './correction-story.tsx';
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

const pathOf = (id: string) => `/water-quality/${id}`;

/** Every measurement, newest first; a slip is corrected or deleted where it stands. */
export function PondHistory({ pond }: { pond: Pond }) {
  const words = pondWords();
  const names = waterWords().short;
  const more = componentWords().more;
  const [limit, setLimit] = useState(PAGE);
  const journal = useGet<MeasurementJournal>(`/water-quality/pond/${pond.id}`, { limit });
  return (
    <>
      <h2>{words.measured}</h2>
      <Answer
        of={journal}
        isEmpty={({ measurements }) => measurements.length === 0}
        empty={<Empty text={words.noMeasurements} />}
      >
        {({ measurements }) => (
          <>
            <div class="table-frame" tabIndex={0} role="region" aria-label={words.measured}>
              <table class="table blocks">
                <thead>
                  <tr>
                    <th scope="col">{words.when}</th>
                    {COLUMNS.map((field) => (
                      <th key={field} scope="col" class="number">
                        {names[field]}
                      </th>
                    ))}
                    <th scope="col">{words.notes}</th>
                    {mayRecord.value ? (
                      <th scope="col" class="acts">
                        <span class="visually-hidden">{words.actions}</span>
                      </th>
                    ) : null}
                  </tr>
                </thead>
                <tbody>
                  {measurements
                    .filter(({ id }) => !isLeaving(pathOf(id)))
                    .map((row) => (
                      <tr key={row.id}>
                        <td>
                          {dayAndTime(row.measurement_date)}{' '}
                          <span class="muted small">{words.source[row.source]}</span>
                          <CorrectionStory row={row} />
                        </td>
                        {COLUMNS.map((field) => (
                          <td
                            key={field}
                            class="number"
                            data-label={names[field]}
                            data-none={row[field] === null}
                          >
                            {figure(row[field], WATER[field].decimals)}
                            {field === 'dissolved_oxygen' && row.oxygen_saturation_percent !== null ? (
                              <div class="muted small">{percent(row.oxygen_saturation_percent)}</div>
                            ) : null}
                            {field === 'ammonia' && row.ammonia_as !== null ? (
                              <div class="muted small">{ammoniaTwin(row.ammonia_as)}</div>
                            ) : null}
                          </td>
                        ))}
                        <td>{row.notes}</td>
                        {mayRecord.value ? (
                          <td class="acts">{mayCorrect(row) ? <Actions row={row} /> : null}</td>
                        ) : null}
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
    </>
  );
}

function Actions({ row }: { row: MeasurementAnswer }) {
  const words = pondWords();
  return (
    <RowActions
      path={pathOf(row.id)}
      label={words.theMeasurement(dayAndTime(row.measurement_date))}
      touches={['ponds', 'water-quality', 'dashboard', 'alerts', 'logs']}
      fields={[
        { name: 'measurement_date', label: words.when, kind: 'moment', first: row.measurement_date },
        ...COLUMNS.map((field) => ({
          name: field,
          label: waterWords().name[field],
          kind: 'figure' as const,
          ...(WATER[field].unit === '' ? {} : { unit: WATER[field].unit }),
          first: asTyped(row[field]),
          isOptional: true,
        })),
        { name: 'notes', label: words.notes, kind: 'text', first: row.notes ?? '', isOptional: true },
      ]}
    />
  );
}
