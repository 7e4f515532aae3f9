import { alert } from '#contract/resources/alerts.ts';
import type { AlertType } from '#contract/words.ts';
import { onTables, type RowListener, rowsOf } from '#core/changes.ts';
import type { AlertQueries, OpenAlert } from './ports.ts';

/** The program's own ACTIVE alerts of some types in memory, so that a look at a thousand controllers asks nothing. */
export type OpenAlerts = {
  /** Reads them once. */
  load: () => Promise<void>;
  /** Follows every committed unit: a person may have resolved one, or deleted what it is about. */
  follow: RowListener;
  of: (type: AlertType, thingId: string) => OpenAlert | null;
};

/** `thingOf` names what an alert of these types is about: the control point, or the farm. */
export function createOpenAlerts(deps: {
  queries: Pick<AlertQueries, 'openOfTypes'>;
  types: readonly AlertType[];
  thingOf: (row: OpenAlert) => string | null;
}): OpenAlerts {
  const openByKey = new Map<string, OpenAlert>();
  const endedWhileLoading = new Set<string>();
  let loading: Promise<void> | null = null;
  let isLoaded = false;
  const keyOf = (type: AlertType, thing: string | null) => `${type} ${thing}`;

  function keep(row: OpenAlert): void {
    openByKey.set(keyOf(row.type, deps.thingOf(row)), row);
  }

  async function read(): Promise<void> {
    for (const row of await deps.queries.openOfTypes(deps.types)) {
      if (!endedWhileLoading.has(row.id)) keep(row);
    }
    endedWhileLoading.clear();
    isLoaded = true;
  }

  return {
    load() {
      loading ??= read().catch((error: unknown) => {
        loading = null;
        throw error;
      });
      return loading;
    },
    follow: onTables([alert], (committed) => {
      for (const { after, hidden } of rowsOf(committed, alert)) {
        if (after.source !== 'automatic' || !deps.types.includes(after.type)) continue;
        if (after.status === 'ACTIVE' && !hidden) {
          keep(after);
          continue;
        }
        if (loading !== null && !isLoaded) endedWhileLoading.add(after.id);
        const key = keyOf(after.type, deps.thingOf(after));
        if (openByKey.get(key)?.id === after.id) openByKey.delete(key);
      }
    }),
    of: (type, thingId) => openByKey.get(keyOf(type, thingId)) ?? null,
  };
}
