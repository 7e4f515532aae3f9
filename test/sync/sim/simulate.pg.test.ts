import { beforeAll, expect, it } from 'vitest';
import { MIGRATED } from '#test/databases.ts';
import { describeOnPostgres } from '#test/postgres.ts';
import { ALL_FAULTS, type Fault } from './faults.ts';
import { createPostgresReplica } from './postgres-replica.ts';
import { simulate } from './simulate.ts';
import { freshImage } from './sqlite-replica.ts';

// The same with the hosted instance on a real PostgreSQL. SYNC_PG_SEEDS says how many seeds.

const FROM = Number(process.env['SYNC_SEED'] ?? 1);
const SEEDS = Number(process.env['SYNC_PG_SEEDS'] ?? 1);

const { 'hosted goes back to an older image': _, 'hosted fails over': __, ...WITHOUT_COPIES } = ALL_FAULTS;

let image: Buffer;
beforeAll(() => {
  image = freshImage();
});

async function failedOf(faults: Partial<Record<Fault, number>>, everyStep: number): Promise<unknown[]> {
  const failed: unknown[] = [];
  for (let seed = FROM; seed < FROM + SEEDS; seed += 1) {
    const hostedReplica = await createPostgresReplica(MIGRATED);
    const { violations } = await simulate({ seed, image, hostedReplica, faults, hostedImages: everyStep });
    if (violations.length > 0) failed.push({ again: `SYNC_SEED=${seed}`, violations });
  }
  return failed;
}

describeOnPostgres('a farm whose hosted instance lives on PostgreSQL', () => {
  it('comes to one end on both sides whatever fails', { timeout: 300_000 }, async () => {
    expect(await failedOf(WITHOUT_COPIES, 0)).toEqual([]);
  });

  it('comes to one end though the hosted instance loses its last commits', { timeout: 300_000 }, async () => {
    expect(await failedOf({ 'hosted fails over': 3, 'line gets rough': 1 }, 0.05)).toEqual([]);
  });
});
