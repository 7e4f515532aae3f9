import { computed, signal } from '@preact/signals';
import type * as z from 'zod';
import type { ControlPointAnswer } from '#contract/resources/control-points.ts';
import type { SyncStatusAnswer } from '#contract/resources/sync-status.ts';
import type { systemIdentityAnswer } from '#contract/resources/system-identity.ts';
import { type FarmWord, wordAgeOf } from '../state/farm-word.ts';
import { get } from './api.ts';
import { now, serverNow } from './clock.ts';
import { farm, onEvent, sync } from './farm-store.ts';
import { isSignedIn } from './session.ts';

// What this console stands in front of: the gateway on the farm, or a hosted instance that a farm speaks to through its
// gateway. The instance says so itself; everything that differs asks here.

type Identity = z.infer<typeof systemIdentityAnswer>;

const identity = signal<Identity | null>(null);
/** False until the instance has said so: a gateway is the safe thing to believe. */
export const isHosted = computed(() => identity.value?.role === 'hosted');

const words = signal<ReadonlyMap<string, FarmWord>>(new Map());
/** The last word of the gateway of the farm that is shown; null: this instance hears the controllers itself. */
export const farmWord = computed(() => words.value.get(farm.value?.id ?? '') ?? null);
export const farmWordAge = computed(() =>
  farmWord.value === null ? 'fresh' : wordAgeOf(farmWord.value, now.value),
);
/** True where the gateway of a farm switches, and orders go to it from here. */
export const isFromAfar = (farmId: string): boolean => words.value.has(farmId);

const RETRY_MS = 5_000;
/** Silence is what no event tells: whether the gateway is there is looked up while the page is open. */
const LOOK_EVERY_MS = 20_000;

export function startInstance(): void {
  void ask();
  farm.subscribe(() => void look());
  onEvent(({ name }) => {
    if (name === 'snapshot') void look();
  });
  setInterval(() => void look(), LOOK_EVERY_MS);
}

async function ask(): Promise<void> {
  try {
    identity.value = await get<Identity>('/system/identity');
    await look();
  } catch {
    setTimeout(() => void ask(), RETRY_MS);
  }
}

async function look(): Promise<void> {
  const shown = farm.value;
  if (shown === null || !isSignedIn() || identity.value === null) return;
  await (isHosted.value ? lookAtFarm(shown.id) : lookAtSync()).catch(() => undefined);
}

async function lookAtFarm(farmId: string): Promise<void> {
  const [point] = await get<ControlPointAnswer[]>('/control-points/', { farm_id: farmId, limit: 1 });
  const next = new Map(words.value);
  const since = point?.gateway_silent_since;
  if (since === undefined) next.delete(farmId);
  else next.set(farmId, { silentSince: since === null ? null : Date.parse(since), knownAt: serverNow() });
  words.value = next;
}

const LAMP: Readonly<
  Record<SyncStatusAnswer['state'], 'unpaired' | 'connected' | 'catching_up' | 'offline'>
> = {
  unpaired: 'unpaired',
  connected: 'connected',
  catching_up: 'catching_up',
  comparing: 'catching_up',
  offline: 'offline',
  upgrade_needed: 'offline',
  revoked: 'offline',
  fenced: 'offline',
};

/** The stream tells of changes alone: whoever comes later asks once how it stands. */
async function lookAtSync(): Promise<void> {
  if (sync.value !== null) return;
  const { state, link, lanes } = await get<SyncStatusAnswer>('/sync/status');
  sync.value ??= {
    state: LAMP[state],
    last_sync_at: link.last_contact_at,
    pending_changes: lanes.core.waiting_rows + lanes.history.waiting_rows,
  };
}
