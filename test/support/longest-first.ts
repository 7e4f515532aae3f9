import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files known to take long, longest first: what starts last must be short, or one worker is busy with it while the
 * others have nothing left to do. A file that is not named here starts after them, in the order the runner would choose.
 */
const LONG: readonly string[] = [
  'test/packaging/deb.test.ts',
  'test/soak/campaign.test.ts',
  'test/real/clock-step.test.ts',
  'test/real/kill-while-temporary.test.ts',
  'test/real/remote-orders.test.ts',
  'test/console/technician-farm.browser.test.ts',
  'test/console/every-screen.browser.test.ts',
  'test/permissions.test.ts',
  'test/contract-fuzz.test.ts',
  'test/console/no-slip.browser.test.ts',
  'test/e2e/sync-link.test.ts',
  'test/scripts/demo.test.ts',
  'test/console/entries.browser.test.ts',
  'test/features/production/exports/exports.test.ts',
  'test/console/at-the-ponds.browser.test.ts',
  'test/bench/flash-board.test.ts',
  'test/update/launcher.test.ts',
  'test/features/alarms/delivery/delivery.test.ts',
  'test/e2e/oxygen-night.test.ts',
  'test/e2e/sync-killed.test.ts',
  'test/console/slow-motor.browser.test.ts',
  'test/features/people/account-data/account-data.test.ts',
  'test/sync/comparison.test.ts',
  'test/firmware-sim/conformance-bad-gateways.test.ts',
  'test/firmware-sim/conformance-bad-controllers.test.ts',
  'test/firmware-sim/conformance-controller.test.ts',
  'test/faults/storage.test.ts',
  'test/console/quiet-wall.browser.test.ts',
  'test/scripts/bench.test.ts',
  'test/e2e/main-job.test.ts',
  'test/console/bench.browser.test.ts',
  'test/boot/boot-ladder.test.ts',
  'test/desktop/package.test.ts',
  'test/features/alarms/notifications/channels.test.ts',
  'test/features/production/water-quality/water-quality-alerts.test.ts',
  'test/features/production/feeding/feeding-records.test.ts',
  'test/console/silent-farm.browser.test.ts',
  'test/console/alarm-answers.browser.test.ts',
  'test/e2e/broker-restart.test.ts',
  'test/console/keys-alone.browser.test.ts',
  'test/console/technician-devices.browser.test.ts',
  'test/console/charts.browser.test.ts',
  'test/console/calm-wall.browser.test.ts',
  'test/console/push.browser.test.ts',
  'test/backup/dead-gateway.test.ts',
  'test/firmware-sim/fleet.test.ts',
  'test/features/alarms/notifications/arrived-news.test.ts',
  'test/firmware-sim/over-tls.test.ts',
  'test/sync/hosted-protocol.test.ts',
  'test/setup.test.ts',
  'test/features/equipment/firmware/rollouts.test.ts',
  'test/firmware-sim/cli.test.ts',
  'test/features/people/subscriptions/billing-never-stops-aeration.test.ts',
  'test/console/broken-line.browser.test.ts',
  'test/console/wall-panel.browser.test.ts',
  'test/features/alarms/alerts/finish-episodes.test.ts',
  'test/features/people/payments/stripe.test.ts',
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
