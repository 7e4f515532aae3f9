import * as z from 'zod';
import { idOrNumber } from '#contract/fields.ts';

export const batchParams = z.object({ batch_id: idOrNumber });
export const atBatch = { who: 'farm', of: 'batch', at: 'params', field: 'batch_id', others: 404 } as const;
export const tag = 'Batches';
