import { readBoard } from './board-facts.ts';
import type { JobContext, JobOf, JobResult } from './job.ts';
import { withBoard } from './open-board.ts';

/** Which chip is at the port, and what it holds. Writes nothing. Throws BenchTrouble. */
export async function detectBoard(job: JobOf<'detect'>, context: JobContext): Promise<JobResult> {
  return withBoard(job, context, async (board, facts) => (await readBoard(board, facts, context)).shown);
}
