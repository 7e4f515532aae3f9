import { createHash, randomBytes } from 'node:crypto';
import type { FirmwareDesired } from '#contract/mqtt/ota.ts';
import { otaProgress } from '#contract/mqtt/ota.ts';
import type { ControllerCheck } from './controller-level-checks.ts';
import { demand, type Observed, Skipped } from './report.ts';

const TAKES_WITHIN_S = 10;
const REFUSES_WITHIN_S = 120;
const IMAGE_BYTES = 96 * 1024;
const SIGNATURE_BYTES = 64;

// An image that nobody signed. One that is signed would need the key of the firmware's publisher.
export const otaChecks: readonly ControllerCheck[] = [
  {
    id: 'ota.unsigned',
    clause: '11.3',
    title: 'an image without a good signature is not installed, whatever the gateway asks for',
    needs: ['level.applied'],
    run: async (side) => {
      const since = side.mark();
      const { desired, image } = anUnsignedImage();
      side.offerFirmware({ desired, image });
      const inJob = progressOf(desired.job);
      const first = await side.until('ota/progress', since, TAKES_WITHIN_S, inJob).catch(() => null);
      if (first === null) throw new Skipped('it takes no firmware over the air');
      const end = await side.until('the end of the update', since, REFUSES_WITHIN_S, (seen) => {
        const progress = inJob(seen);
        return progress === null || progress.state === 'downloading' ? null : progress;
      });
      demand(end.state === 'failed', `it told "${end.state}"`);
    },
  },
  {
    id: 'ota.key',
    clause: '11.4',
    title: 'it fetched the image with its key',
    needs: ['ota.unsigned'],
    run: async (side) => {
      const asked = side.observed.filter(
        (seen) => seen.kind === 'request' && seen.path.startsWith('/api/v1/devices/firmware/'),
      );
      if (asked.length === 0) throw new Skipped('it refused the image before it fetched it');
      const bare = asked.find((seen) => seen.kind === 'request' && !seen.hasKey);
      demand(bare === undefined, `${bare?.kind === 'request' ? bare.path : ''} came without it`);
    },
  },
];

function anUnsignedImage(): { desired: FirmwareDesired; image: Buffer } {
  const image = randomBytes(IMAGE_BYTES);
  const job = 'conformance-unsigned.1';
  return {
    image,
    desired: {
      job,
      version: '99.0.0',
      chip: 'esp32',
      path: `/api/v1/devices/firmware/${job}`,
      size: image.length,
      sha256: createHash('sha256').update(image).digest('hex'),
      sig: randomBytes(SIGNATURE_BYTES).toString('base64url'),
      older: true,
      go: true,
    },
  };
}

function progressOf(job: string) {
  return (seen: Observed) => {
    if (seen.kind !== 'message' || seen.path !== 'ota/progress') return null;
    const progress = otaProgress.safeParse(seen.body).data;
    return progress?.job === job ? progress : null;
  };
}
