import { readFileSync } from 'node:fs';
import { archOf, readPublicKeys } from '#operations/update/package-file.ts';
import { stageUpdate } from '#operations/update/stage-update.ts';
import { readState, writeState } from '#operations/update/update-folder.ts';
import { switched } from '#operations/update/update-state.ts';

// An update in a process of its own whose power is cut at the named step.

const [data = '', keys = '', from = '', cutAt = ''] = process.argv.slice(2);
const cut = (step: string) => {
  if (step.startsWith(cutAt)) process.kill(process.pid, 'SIGKILL');
};
await stageUpdate(
  {
    data,
    keys: readPublicKeys(readFileSync(keys, 'utf8')),
    arch: archOf(process.arch),
    runningVersion: '1.0.0',
    now: Date.now,
    print: cut,
    databaseFacts: () => ({ applied: [], oxygenAlarms: [] }),
    databaseBytes: async () => 0,
    hosted: () => Promise.reject(new Error('there is none')),
    snapshot: async () => cut('snapshot taken'),
    rehearse: async () => {
      cut('rehearsed');
      return 5;
    },
  },
  { from, allowOlder: false },
);
cut('staged');
const next = switched(await readState(data));
if (next !== null) await writeState(data, next);
cut('switched');
