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

// The round that is being typed on this device, of this person on this farm. The sheet and the single steps show the same.

const PREFIX = 'round ';
const place = computed(() =>
  userId.value === null || farm.value === null ? null : `${PREFIX}${userId.value} ${farm.value.id}`,
);

export const waterDraft = signal<Draft>(new Map());

effect(() => {
  const at = place.value;
  const found = at === null ? new Map() : draftFrom(localStorage.getItem(at), serverNow());
  waterDraft.value = withoutEntries(found, foundAtStart.value);
});

function keep(draft: Draft): void {
  waterDraft.value = draft;
  const at = place.value;
  if (at === null) return;
  try {
    if (draft.size === 0) localStorage.removeItem(at);
    else localStorage.setItem(at, draftText(draft));
  } catch {
    // a browser that keeps nothing: it lives as long as the page
  }
}

export const typeWater = (pondId: string, field: WaterField, text: string): void =>
  keep(withTyped(waterDraft.value, { pondId, field, text, id: newUuid(), now: serverNow() }));
export const sureOfWater = (pondId: string, field: WaterField): void =>
  keep(withSure(waterDraft.value, pondId, field));
/** Takes away what was sent, as far as it stands there as it was sent. */
export const clearWater = (sent: Draft): void => keep(without(waterDraft.value, sent));
export const putWaterBack = (taken: Draft): void => keep(putBack(waterDraft.value, taken));
