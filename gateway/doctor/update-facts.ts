import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { updateFactsOf } from '#adapters/sql/update-facts.ts';
import type { UpdateFacts } from '#features/doctor/ports.ts';
import { type Config, databaseFile } from '../config.ts';
import { readState, updateFolder } from '../update/update-folder.ts';

/** How far an update of the program is, by its own notes; null for an instance that does not update itself. */
export async function updateFacts(
  config: Pick<Config, 'role' | 'data' | 'databaseUrl'>,
): Promise<UpdateFacts | null> {
  if (config.role !== 'gateway' || config.databaseUrl !== null) return null;
  const { step, last } = await readState(config.data);
  const noted = await stat(join(updateFolder(config.data), 'state.json')).catch(() => null);
  return {
    ...(step.at === 'rest' ? { step: 'rest', version: '' } : { step: step.at, version: step.version }),
    since: noted === null ? null : noted.mtimeMs,
    waitsFor: step.at === 'staged' ? updateFactsOf(databaseFile(config)).oxygenAlarms : [],
    last: last === null ? null : { ...last, at: Date.parse(last.at) },
  };
}
