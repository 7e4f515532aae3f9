import { signal } from '@preact/signals';
import { get } from './api.ts';
import { type Alert, controlPoints, farms } from './farm-store.ts';
import type { Pond } from './places.ts';

// Where an alarm is, for who tells of it outside the pages of the console. The stream names ponds by their id alone.

const codes = signal<ReadonlyMap<string, string | null>>(new Map());
const asked = new Set<string>();

/** The pond's code, else the control point's, else the farm's name; null: it is on its way. Asked anew when it has come. */
export function alarmPlace({
  pond_id,
  control_point_id,
  farm_id,
}: Pick<Alert, 'pond_id' | 'control_point_id' | 'farm_id'>): string | null {
  const code = pond_id === null ? null : codes.value.get(pond_id);
  if (pond_id !== null && code === undefined) {
    ask(pond_id);
    return null;
  }
  return (
    code ??
    controlPoints.value.get(control_point_id ?? '')?.cod ??
    farms.value.find(({ id }) => id === farm_id)?.name ??
    ''
  );
}

function ask(pondId: string): void {
  if (asked.has(pondId)) return;
  asked.add(pondId);
  void get<Pond>(`/ponds/${pondId}`)
    .then(({ cod }) => cod)
    // an alarm is told with what is known of its place
    .catch(() => null)
    .then((cod) => {
      codes.value = new Map(codes.value).set(pondId, cod);
    });
}
