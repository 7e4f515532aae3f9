import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MUTANTS } from '../../scripts/sync/mutants.ts';
import { ORDER_MUTANTS } from '../../scripts/sync/order-mutants.ts';

const sources = globSync('gateway/**/*.ts', { exclude: ['gateway/dist'] });

test.each([...MUTANTS, ...ORDER_MUTANTS])(
  'the rule that is broken stands in the source: $name',
  ({ edits }) => {
    for (const { file, from } of edits) {
      const [source, ...others] = sources.filter((one) => `/${one}`.endsWith(`/${file}`));
      expect([source, others]).toEqual([expect.any(String), []]);
      expect(readFileSync(source ?? '', 'utf8')).toContain(from);
    }
  },
);
