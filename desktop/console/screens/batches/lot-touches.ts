import { BATCH_TOUCHES } from '../../data/batches.ts';

/** Kinds of questions that rest on lots of harvests. */
export const LOT_TOUCHES = [...BATCH_TOUCHES, 'harvest-lots', 'farms', 'logs'];
