import { deviceMark } from '#contract/resources/local-tables.ts';
import { type Change, purge, put } from '#core/changes.ts';
import type { DeviceMark, MarkQueries } from './ports.ts';

/** Of each kind: people make them, and thousands of boards are nobody's farm. */
const MOST_KEPT = 1_000;

export const markOfName = (deviceId: string): string => `name:${deviceId}`;
export const markOfMac = (mac: string): string => `mac:${mac}`;

/** The mark an entry of the queue is known by. */
export const markOfEntry = (id: string): string => (/^mac:[0-9a-f]{12}$/.test(id) ? id : markOfName(id));

/** Changes that set a mark; the oldest of its kind make room. */
export async function setMark(
  deps: { queries: Pick<MarkQueries, 'marksBeyond'> },
  mark: DeviceMark,
): Promise<Change[]> {
  const oldest = await deps.queries.marksBeyond(mark.mark, MOST_KEPT - 1);
  return [...oldest.filter((id) => id !== mark.id).map((id) => purge(deviceMark, id)), put(deviceMark, mark)];
}
