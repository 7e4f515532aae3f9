import { describe, expect, it } from 'vitest';
import { describeOnPostgres } from '#test/postgres.ts';
import { FIRST_VERSION, packageOf, TODAY, whyNoVersion } from '../../scripts/versions/version-package.ts';
import { startTwoVersions, type TwoVersions } from './two-versions.ts';

// A program of an older version beside today's, each started from its own files: at rest both sides hold the same, and
// nothing that anybody wrote on either is gone. `npm run soak -- --versions` takes more versions.

/** Minutes each: only the long campaign has them. */
const VERSIONS = process.env['VERSIONS']?.split(',') ?? [];
const NAMED = VERSIONS.length > 0 ? VERSIONS : [FIRST_VERSION];
/**
 * A gateway looks twice a minute whether a comparison is due; one that finds something under way is put off by five
 * minutes, and fields that an older program did not know are filled in by it. A machine that is busy elsewhere is late.
 */
const BY_THEN = { timeout: 480_000, interval: 500 };

const atRest = async (farm: TwoVersions): Promise<void> => {
  await farm.settle();
  // what is kept aside often tells why something differs
  const leftOver = async () => [...(await farm.keptAside()), ...(await farm.differences())];
  await expect.poll(leftOver, BY_THEN).toEqual([]);
};

for (const commit of NAMED) {
  const why = VERSIONS.length === 0 ? 'npm run soak -- --versions' : whyNoVersion(commit);
  const title = `version ${commit} beside today's${why === null ? '' : ` (not looked at: ${why})`}`;
  (why === null ? describeOnPostgres : describe.skip)(title, () => {
    it('as the gateway of a farm, until it is upgraded', { timeout: 900_000 }, async () => {
      const farm = await startTwoVersions({ gateway: packageOf(commit), hosted: [TODAY] });
      try {
        const [hosted] = farm.hosted;
        if (hosted === undefined) throw new Error('no process');
        await farm.write('gateway', { make: 1 });
        await farm.settle();
        await farm.write(hosted, { make: 2, edit: [1] });
        await farm.settle();
        await farm.write('gateway', { make: 3, edit: [1, 2] });
        await farm.settle();
        await farm.upgrade(farm.gateway, TODAY);
        await atRest(farm);
      } finally {
        await farm.close();
      }
    });

    it('as the hosted instance, until it is upgraded', { timeout: 900_000 }, async () => {
      const farm = await startTwoVersions({ gateway: TODAY, hosted: [packageOf(commit)] });
      try {
        const [hosted] = farm.hosted;
        if (hosted === undefined) throw new Error('no process');
        await farm.write('gateway', { make: 1 });
        await farm.settle();
        await farm.write('gateway', { edit: [1] });
        await farm.write(hosted, { make: 2, edit: [1] });
        await farm.settle();
        await farm.upgrade(hosted, TODAY);
        await atRest(farm);
        await farm.write('gateway', { edit: [1, 2] });
        await atRest(farm);
      } finally {
        await farm.close();
      }
    });

    it('as one of two processes of the hosted instance, upgraded one after the other', {
      timeout: 900_000,
    }, async () => {
      const old = packageOf(commit);
      const farm = await startTwoVersions({ gateway: TODAY, hosted: [old, old] });
      try {
        const [first, second] = farm.hosted;
        if (first === undefined || second === undefined) throw new Error('no process');
        await farm.write('gateway', { make: 1 });
        await farm.settle();
        await farm.upgrade(second, TODAY);
        // today's schema under a process that does not know of it
        await farm.write('gateway', { edit: [1] });
        await farm.settle();
        await farm.write(first, { edit: [1] });
        await farm.settle();
        await farm.leadTo(second);
        await farm.write('gateway', { make: 3, edit: [1] });
        await farm.settle();
        await farm.leadTo(first);
        await farm.write('gateway', { edit: [1, 3] });
        await farm.settle();
        await farm.leadTo(second);
        await farm.upgrade(first, TODAY);
        await atRest(farm);
      } finally {
        await farm.close();
      }
    });
  });
}
