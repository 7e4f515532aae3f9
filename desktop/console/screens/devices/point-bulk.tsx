import { useQueries } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import type * as z from 'zod';
import type { controlPointSettings } from '#contract/resources/control-points.ts';
import type { ScheduleAnswer } from '#contract/resources/schedules.ts';
import { pointWords } from '#words/aeration.ts';
import { bulkWords } from '#words/tables.ts';
import { Awaited } from '../../components/answer.tsx';
import { BulkDialog, type BulkStep } from '../../components/bulk-dialog.tsx';
import { DecimalField, SelectField, TextField } from '../../components/field.tsx';
import { del, get, post, put } from '../../data/api.ts';
import { type ControlPoint, farmControlPoints } from '../../data/farm-store.ts';
import { type Schedule, schedulesAt, useSchedules } from '../../data/schedules.ts';
import { figure, readCount, readDecimal } from '../../i18n/format.ts';

type Settings = z.infer<typeof controlPointSettings>;

const FAIL_SAFES = ['SCHEDULE', 'ON', 'OFF', 'HOLD'] as const;
const COUNTS = ['min_on_s', 'min_off_s'] as const;
const OXYGEN = ['do_on', 'do_off', 'do_emergency'] as const;
const FIELDS = ['fail_safe', ...COUNTS, 'start_group', ...OXYGEN, 'schedules'] as const;
type Field = (typeof FIELDS)[number];
const isCount = (field: Field): boolean => COUNTS.some((one) => one === field);

/**
 * One setting of several control points, or the schedules of one of them for the others. A lock-out is not among them: it stops a
 * motor, and that is asked for motor by motor.
 */
export function PointBulk({ points, onClose }: { points: readonly ControlPoint[]; onClose: () => void }) {
  const words = bulkWords();
  const settings = useSettings(points);
  const schedules = useSchedules();
  const [field, setField] = useState<Field>('fail_safe');
  const [failSafe, setFailSafe] = useState<Settings['fail_safe']>('SCHEDULE');
  const [typed, setTyped] = useState('');
  const [from, setFrom] = useState('');
  const names = useNames();
  const all = schedules.data ?? new Map<string, readonly Schedule[]>();
  const givers = farmControlPoints.value.filter(({ id }) => schedulesAt(all, id).length > 0);
  const giver = givers.find(({ id }) => id === from) ?? givers[0];
  const value = valueOf(field, typed, failSafe);
  const isReady =
    field === 'schedules'
      ? giver !== undefined
      : field === 'fail_safe' || value === null || typeof value === 'string' || value >= 0;
  const steps = (): readonly BulkStep[] =>
    field === 'schedules'
      ? points.flatMap((point) =>
          giver === undefined || giver.id === point.id
            ? []
            : copyStep(point, schedulesAt(all, giver.id), schedulesAt(all, point.id)),
        )
      : points.flatMap((point) => settingStep(point, settings.of(point.id), { field, value }));
  const isKnown = settings.isKnown && schedules.isSuccess;
  return (
    <BulkDialog
      count={points.length}
      touches={['control-points', 'devices']}
      steps={isKnown && isReady ? steps() : []}
      isReady={isReady && isKnown}
      onClose={onClose}
    >
      {isKnown ? null : <Awaited of={[...settings.answers, schedules]} />}
      <div class="form-grid">
        <SelectField
          label={words.field}
          value={field}
          options={FIELDS.map((one) => ({ value: one, label: names[one] }))}
          onChange={(event) => {
            setField(FIELDS.find((one) => one === event.currentTarget.value) ?? field);
            setTyped('');
          }}
        />
        {field === 'fail_safe' ? (
          <SelectField
            label={names.fail_safe}
            value={failSafe}
            options={FAIL_SAFES.map((one) => ({ value: one, label: pointWords().failSafes[one] }))}
            onChange={(event) =>
              setFailSafe(FAIL_SAFES.find((one) => one === event.currentTarget.value) ?? failSafe)
            }
          />
        ) : field === 'schedules' ? (
          givers.length === 0 ? (
            <p class="note">{words.noTemplate}</p>
          ) : (
            <SelectField
              label={words.template}
              hint={words.templateHint}
              value={giver?.id ?? ''}
              options={givers.map(({ id, cod }) => ({
                value: id,
                label: `${cod} · ${words.schedules(schedulesAt(all, id).length)}`,
              }))}
              onChange={(event) => setFrom(event.currentTarget.value)}
            />
          )
        ) : field === 'start_group' ? (
          <TextField
            label={names.start_group}
            value={typed}
            maxLength={255}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        ) : (
          <DecimalField
            label={names[field]}
            unit={isCount(field) ? 's' : 'mg/L'}
            inputMode={isCount(field) ? 'numeric' : 'decimal'}
            value={typed}
            fault={isReady ? null : pointWords().badFigure}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        )}
      </div>
    </BulkDialog>
  );
}

function useNames(): Record<Field, string> {
  const words = pointWords();
  return {
    fail_safe: words.failSafe,
    min_on_s: words.minOn,
    min_off_s: words.minOff,
    start_group: words.startGroup,
    do_on: words.doOn,
    do_off: words.doOff,
    do_emergency: words.doEmergency,
    schedules: bulkWords().template,
  };
}

function useSettings(points: readonly ControlPoint[]) {
  const answers = useQueries({
    queries: points.map(({ id }) => {
      const path = `/control-points/${id}/settings` as const;
      return {
        queryKey: ['control-points', path, {}],
        queryFn: ({ signal }: { signal: AbortSignal }) => get(path, {}, signal),
      };
    }),
  });
  return {
    answers,
    isKnown: answers.every(({ isSuccess }) => isSuccess),
    of: (id: string) => answers[points.findIndex((point) => point.id === id)]?.data,
  };
}

function valueOf(field: Field, typed: string, failSafe: Settings['fail_safe']): string | number | null {
  if (field === 'fail_safe') return failSafe;
  if (field === 'start_group') return typed.trim() === '' ? null : typed.trim();
  if (isCount(field)) return readCount(typed) ?? 0;
  return readDecimal(typed);
}

function settingStep(
  point: ControlPoint,
  known: Settings | undefined,
  { field, value }: { field: Exclude<Field, 'schedules'>; value: string | number | null },
): BulkStep[] {
  if (known === undefined || known[field] === value) return [];
  const path = `/control-points/${point.id}/settings` as const;
  const was = known[field];
  return [
    {
      id: point.id,
      label: point.cod,
      from: settingText(field, was),
      to: settingText(field, value),
      run: async () => {
        await put(path, { [field]: value });
        return () => put(path, { [field]: was });
      },
    },
  ];
}

function settingText(field: Field, value: string | number | null): string {
  if (value === null) return bulkWords().empty;
  if (field === 'fail_safe') return pointWords().failSafes[value as Settings['fail_safe']];
  if (typeof value === 'string') return value;
  return isCount(field) ? `${figure(value)} s` : `${figure(value, 1)} mg/L`;
}

type Fields = Omit<ScheduleAnswer, 'id' | 'control_point_id' | 'created_at' | 'updated_at' | 'next_event_at'>;
const fieldsOf = ({
  action,
  start_time,
  end_time,
  repeat_pattern,
  days_of_week,
  is_active,
  description,
}: Schedule): Fields => ({
  action,
  start_time,
  end_time,
  repeat_pattern,
  days_of_week,
  is_active,
  description,
});
const sameAs = (one: Schedule) => JSON.stringify(fieldsOf(one));

/** The schedules of another one that it does not have yet. */
function copyStep(point: ControlPoint, wanted: readonly Schedule[], own: readonly Schedule[]): BulkStep[] {
  const words = bulkWords();
  const there = new Set(own.map(sameAs));
  const missing = wanted.filter((schedule) => !there.has(sameAs(schedule)));
  if (missing.length === 0) return [];
  return [
    {
      id: point.id,
      label: point.cod,
      from: words.schedules(own.length),
      to: words.schedules(own.length + missing.length),
      run: () => copy(point.id, missing),
    },
  ];
}

/** All of them or none: what came before one that was refused is taken back. */
async function copy(pointId: string, missing: readonly Schedule[]): Promise<() => Promise<unknown>> {
  const made: string[] = [];
  const takeBack = async () => {
    for (const id of made.splice(0)) await del(`/schedules/${id}`);
  };
  try {
    for (const schedule of missing) {
      const { id } = await post(`/control-points/${pointId}/schedules`, fieldsOf(schedule));
      made.push(id);
    }
  } catch (error) {
    await takeBack();
    throw error;
  }
  return takeBack;
}
