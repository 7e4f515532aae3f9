import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files known to take long, longest first: what starts last must be short, or one worker is busy with it while the
 * others have nothing left to do. A file that is not named here starts after them, in the order the runner would choose.
 */
const LONG: readonly string[] = [
  'test/soak/campaign.test.ts',
  'test/packaging/deb.test.ts',
  'test/permissions.test.ts',
  'test/scripts/demo.test.ts',
  'test/console/every-screen.browser.test.ts',
  'test/features/subscriptions/billing-never-stops-aeration.test.ts',
  'test/scripts/bench.test.ts',
  'test/features/alerts/finish-episodes.test.ts',
  'test/contract-fuzz.test.ts',
  'test/core/sync/any-change.test.ts',
  'test/firmware-sim/cli.test.ts',
  'test/console/technician-farm.browser.test.ts',
  'test/console/wet-hands.browser.test.ts',
  'test/console/technician-devices.browser.test.ts',
  'test/e2e/sync-link.test.ts',
  'test/sync/sim/simulate.test.ts',
  'test/features/subscriptions/limits.test.ts',
  'test/features/invitations/invitations.test.ts',
  'test/console/no-slip.browser.test.ts',
  'test/admin.test.ts',
  'test/features/commands/ordered-from-afar.test.ts',
  'test/adapters/mqtt/thousand-connections.test.ts',
  'test/firmware-sim/conformance-controller.test.ts',
  'test/sync/sim/crash-points.test.ts',
  'test/update/launcher.test.ts',
  'test/e2e/process-health.test.ts',
  'test/soak/progress.test.ts',
  'test/e2e/main-job.test.ts',
  'test/console/at-the-ponds.browser.test.ts',
  'test/console/entries.browser.test.ts',
  'test/console/keys-alone.browser.test.ts',
  'test/console/own-colours.browser.test.ts',
  'test/console/quiet-wall.browser.test.ts',
  'test/firmware-sim/fleet.test.ts',
  'test/bench/flash-board.test.ts',
  'test/features/imports/imports.test.ts',
  'test/doctor/doctor-command.test.ts',
  'test/core/sync/both-ways.test.ts',
  'test/e2e/oxygen-night.test.ts',
  'test/e2e/sync-killed.test.ts',
  'test/faults/storage.test.ts',
];
const PLACES = new Map(LONG.map((file, place) => [file, place]));

/** Starts the long files first. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const place = ({ moduleId }: TestSpecification) =>
      PLACES.get(relative(this.ctx.config.root, moduleId).replaceAll('\\', '/')) ?? LONG.length;
    return sorted.toSorted((a, b) => place(a) - place(b));
  }
}
