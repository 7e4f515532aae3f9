import { type LogPoint, SYNC_REFUSALS } from '#contract/sync/wire.ts';
import type { Refused } from '../ports.ts';
import type { StreamRow } from './ports.ts';

// What a gateway is told when its request cannot be served; every one of them leaves everything as it was.

export const staleEpoch = (stream: Pick<StreamRow, 'epoch'>): Refused => ({
  status: 409,
  code: SYNC_REFUSALS.staleEpoch,
  detail: `The stream is in epoch ${stream.epoch}: this history was replaced; compare everything anew`,
});

export const fork = (detail: string): Refused => ({ status: 409, code: SYNC_REFUSALS.fork, detail });

export const gap = (point: LogPoint): Refused => ({
  status: 409,
  code: SYNC_REFUSALS.gap,
  detail: `Changes between ${point.seq} and these are missing; go on behind ${point.seq}`,
  in: point,
});

export const needsCore = (point: LogPoint): Refused => ({
  status: 425,
  code: SYNC_REFUSALS.needsCore,
  detail: `This history rests on rows that have not come yet; core was applied up to ${point.seq}`,
  in: point,
});

export const belowFloor = (floor: number): Refused => ({
  status: 410,
  code: SYNC_REFUSALS.floor,
  detail: `Changes before ${floor} are no longer kept; compare everything anew`,
});

export const revoked = (): Refused => ({
  status: 403,
  code: SYNC_REFUSALS.revoked,
  detail: 'This gateway was unpaired; what it does on the farm goes on',
});

export const tooNew = (schema: number): Refused => ({
  status: 426,
  code: SYNC_REFUSALS.schema,
  detail: `This instance knows changes up to schema ${schema} and could not read these; they wait for its upgrade`,
});

export const malformed = (detail: string): Refused => ({ status: 400, code: 'SYNC_MALFORMED', detail });

export const forged = (seq: number): Refused => ({
  status: 400,
  code: 'SYNC_FORGED',
  detail: `The chain of hashes does not hold at change ${seq}: it was damaged or altered on its way`,
});

export const tooMany = (most: number): Refused => ({
  status: 413,
  code: 'SYNC_TOO_MANY',
  detail: `Send at most ${most} changes of this lane at a time`,
});

/** The stream moved under the request again and again. */
export const busy = (): Refused => ({
  status: 503,
  code: 'SYNC_BUSY',
  detail: 'Others are writing to this stream now; please try again',
  retryAfterMs: 1_000,
});
