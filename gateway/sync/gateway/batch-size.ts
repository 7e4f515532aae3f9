import type { SyncLane } from '#contract/sync/wire.ts';
import { BATCH, TUNING } from './tuning.ts';

/** How much one push carries at most. */
export type BatchSize = { rows: number; bytes: number };

export const firstBatch = (lane: SyncLane): BatchSize => ({
  rows: BATCH[lane].rows.from,
  bytes: BATCH[lane].bytes.from,
});

/** Grows by steps while requests are quick, shrinks by a quarter when they drag: a line's capacity is found, not known. */
export function afterSuccess(
  lane: SyncLane,
  size: BatchSize,
  { tookMs, wasFull }: { tookMs: number; wasFull: boolean },
): BatchSize {
  const { rows, bytes } = BATCH[lane];
  if (tookMs > TUNING.slowMs) {
    return {
      rows: Math.max(rows.least, Math.floor(size.rows * 0.75)),
      bytes: Math.max(bytes.least, Math.floor(size.bytes * 0.75)),
    };
  }
  // a batch that was not full says nothing about a larger one
  if (tookMs > TUNING.quickMs || !wasFull) return size;
  return {
    rows: Math.min(rows.most, size.rows + rows.step),
    bytes: Math.min(bytes.most, size.bytes + 65_536),
  };
}

/** After a timeout or an answer that it was too large. */
export function halved(lane: SyncLane, size: BatchSize): BatchSize {
  const { rows, bytes } = BATCH[lane];
  return {
    rows: Math.max(rows.least, Math.floor(size.rows / 2)),
    bytes: Math.max(bytes.least, Math.floor(size.bytes / 2)),
  };
}
