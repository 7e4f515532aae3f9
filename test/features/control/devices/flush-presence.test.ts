import { describe, expect, it } from 'vitest';
import type { Change } from '#core/changes.ts';
import { StorageUnavailable } from '#core/errors.ts';
import type { ControlView } from '#features/control/control-view.ts';
import { flushPresence } from '#features/control/devices/flush-presence.ts';
import { createViewIndex } from '#features/control/devices/view-index.ts';

function farm(points: number) {
  const views = createViewIndex();
  for (let n = 0; n < points; n += 1) views.keep(pointHeardAt(n, 1_000));
  const commits: string[][] = [];
  const disk = { isFull: false, meanwhile: () => undefined as void };
  const commit = async ({ changes }: { changes: readonly Change[] }) => {
    disk.meanwhile();
    if (disk.isFull) throw new StorageUnavailable('full', null);
    commits.push(changes.map((change) => ('row' in change ? change.row.id : change.id)));
    return { rows: [] };
  };
  return { views, commits, disk, flush: () => flushPresence({ commit, views }) };
}

/** What is not named here does not count for a flush. */
const pointHeardAt = (n: number, lastReportAt: number | null) =>
  ({
    row: { id: `point-${n}`, device_id: `aer-${n}`, farm_id: 'farm' },
    mqttId: `aer-${n}`,
    ponds: [],
    schedules: [],
    keys: [],
    presence: { lastReportAt, consumption: 4 },
  }) as unknown as ControlView;

describe('what controllers said is flushed', () => {
  it('without looking at those that said nothing', async () => {
    const { views, commits, flush } = farm(5_000);
    views.all = () => {
      throw new Error('a hosted instance has too many to look at each');
    };
    await flush();
    views.unflushed.add('point-7');
    await flush();
    await flush();
    expect(commits).toEqual([['point-7']]);
  });

  it('in slices that let others come in between', async () => {
    const { views, commits, flush } = farm(4_500);
    for (const { row } of views.all()) views.unflushed.add(row.id);
    await flush();
    expect(commits.map(({ length }) => length)).toEqual([2_000, 2_000, 500]);
  });

  it('again after a disk that did not take it, with what was heard meanwhile', async () => {
    const { views, commits, disk, flush } = farm(10);
    views.unflushed.add('point-1');
    disk.isFull = true;
    disk.meanwhile = () => void views.unflushed.add('point-2');
    await expect(flush()).rejects.toThrow(StorageUnavailable);
    disk.isFull = false;
    disk.meanwhile = () => undefined;
    await flush();
    expect(commits.flat().toSorted()).toEqual(['point-1', 'point-2']);
  });

  it('and nothing of a control point that is gone or was never heard', async () => {
    const { views, commits, flush } = farm(3);
    views.keep(pointHeardAt(9, null));
    for (const id of ['point-0', 'point-9', 'point-2']) views.unflushed.add(id);
    views.drop('point-0');
    await flush();
    expect(commits).toEqual([['point-2']]);
  });
});
