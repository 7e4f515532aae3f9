import { computed, effect, signal } from '@preact/signals';
import type { WaterField } from '#contract/resources/water-quality.ts';
import {
  type Draft,
  draftFrom,
  draftText,
  putBack,
  without,
  withoutEntries,
  withSure,
  withTyped,
} from '../state/water-draft.ts';
import { newUuid } from './api.ts';
import { serverNow } from './clock.ts';
import { farm } from './farm-store.ts';
import { foundAtStart } from './outbox.ts';
import { userId } from './session.ts';

// The round that is being typed on this device, of this person on this farm. The sheet and the single steps show the
// same, and so do the tabs of one browser: each reads what is kept before it changes its own cells of it.

const PREFIX = 'round ';
const place = computed(() =>
  userId.value === null || farm.value === null ? null : `${PREFIX}${userId.value} ${farm.value.id}`,
);

export const waterDraft = signal<Draft>(new Map());

/** False: this browser did not keep the last change, so that what is shown is more than what is kept. */
let isKept = true;

function read(at: string): Draft {
  try {
    return draftFrom(localStorage.getItem(at), serverNow());
  } catch {
    // a browser that keeps nothing
    return new Map();
  }
}

/** The round as it stands now, with what another tab typed or sent a moment ago. */
export function readWater(): Draft {
  const at = place.peek();
  if (at !== null && isKept) waterDraft.value = read(at);
  return waterDraft.peek();
}

function keep(change: (draft: Draft) => Draft): void {
  const draft = change(readWater());
  waterDraft.value = draft;
  const at = place.peek();
  if (at === null) return;
  try {
    if (draft.size === 0) localStorage.removeItem(at);
    else localStorage.setItem(at, draftText(draft));
    isKept = true;
  } catch {
    // it lives as long as the page
    isKept = false;
  }
}

/** Where the entries that an earlier visit left were taken out: what is taken back later stands there again. */
const cleared = new Set<string>();

effect(() => {
  const at = place.value;
  const found = foundAtStart.value;
  isKept = true;
  waterDraft.value = at === null ? new Map() : read(at);
  if (at === null || found.size === 0 || cleared.has(at)) return;
  cleared.add(at);
  keep((draft) => withoutEntries(draft, found));
});

addEventListener('storage', ({ key }) => {
  if (key === null || key === place.peek()) readWater();
});

/** Day and time of the readings by the farm's clock, where they are typed later than they were taken; null: now. */
export type RoundTime = { day: string; time: string };
export const roundTime = signal<RoundTime | null>(null);

/** An hour that nobody typed at for so long belonged to another round: the next one is taken now. */
const HOUR_KEPT_MS = 30 * 60_000;
const hourAt = (at: string) => `hour ${at}`;

effect(() => {
  const at = place.value;
  roundTime.value = at === null ? null : keptHour(at);
});

function keptHour(at: string): RoundTime | null {
  try {
    const { day, time, touched } = JSON.parse(localStorage.getItem(hourAt(at)) ?? '{}') as Partial<
      RoundTime & { touched: number }
    >;
    const isFresh = touched !== undefined && serverNow() - touched < HOUR_KEPT_MS;
    return isFresh && day !== undefined && time !== undefined ? { day, time } : null;
  } catch {
    return null;
  }
}

export function chooseRoundTime(chosen: RoundTime | null): void {
  roundTime.value = chosen;
  const at = place.peek();
  if (at === null) return;
  try {
    if (chosen === null) localStorage.removeItem(hourAt(at));
    else localStorage.setItem(hourAt(at), JSON.stringify({ ...chosen, touched: serverNow() }));
  } catch {
    // it lives as long as the page
  }
}

/** The hour still counts where the round is opened again, and while it is typed at. */
export function keepRoundTime(): void {
  const at = place.peek();
  if (at === null || roundTime.peek() === null) return;
  chooseRoundTime(keptHour(at));
}

export const typeWater = (pondId: string, field: WaterField, text: string): void =>
  keep((draft) => withTyped(draft, { pondId, field, text, id: newUuid(), now: serverNow() }));
export const sureOfWater = (pondId: string, field: WaterField): void =>
  keep((draft) => withSure(draft, pondId, field));
/** Takes away what was sent, as far as it stands there as it was sent. */
export const clearWater = (sent: Draft): void => keep((draft) => without(draft, sent));
export const putWaterBack = (taken: Draft): void => keep((draft) => putBack(draft, taken, newUuid));
