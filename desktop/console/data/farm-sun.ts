import { computed, signal } from '@preact/signals';
import { clockTime, instantAt, isoDay } from '../i18n/format.ts';
import { isDarkAt, nightOf, type Place } from '../state/farm-night.ts';
import { soon } from './clock.ts';
import { farm } from './farm-store.ts';

// Where the sun sets is told with the farm, and kept by this station: the next page need not wait for it to be dark.

const PLACE = 'farm-place';
const place = signal(keptPlace());

function keptPlace(): Place {
  const [lat = null, lng = null] = localStorage.getItem(PLACE)?.split(' ') ?? [];
  return { lat, lng };
}

farm.subscribe((shown) => {
  if (shown === null) return;
  // an older process of an instance that is upgraded tells none
  place.value = { lat: shown.lat ?? null, lng: shown.lng ?? null };
  localStorage.setItem(PLACE, `${place.value.lat} ${place.value.lng}`);
});

/** Whether it is dark at the farm; tells something new twice a day. */
export const isFarmNight = computed(() =>
  isDarkAt(place.value, soon.value, Number(clockTime(soon.value).slice(0, 2))),
);

/** Whether the sun is known, or only the farm's clock. */
export const hasFarmSun = computed(() => nightOf(place.value, soon.value) !== null);

/** When night begins and ends at the farm, ms of a day in UTC. */
export function farmNightHours(): { dusk: number; dawn: number } {
  const at = soon.value;
  const today = isoDay(at);
  const sun = nightOf(place.value, at);
  const ofDay = (instant: number) => Math.round(instant) % 86_400_000;
  return {
    dusk: ofDay(sun?.duskMs ?? Date.parse(instantAt(today, '18:00'))),
    dawn: ofDay(sun?.dawnMs ?? Date.parse(instantAt(today, '06:00'))),
  };
}
