import { createHash, randomBytes } from 'node:crypto';
import type { DeviceConfig, HeartbeatFields } from '#contract/mqtt/messages.ts';
import { type FirmwareDesired, otaProgress } from '#contract/mqtt/ota.ts';
import type { SwitchState } from '#contract/words.ts';
import type { GatewaySide } from './gateway-side.ts';
import { type Check, demand, type Observed, Skipped } from './report.ts';

export type ControllerCheck = Check<GatewaySide>;

// What holds whichever way a controller speaks: its rhythm, levels and versions.

export const HEARTBEAT_S = 4;
const SETTLES_WITHIN_S = 20;

/** Any heartbeat that passes the test. */
export function heartbeatWhere(
  test: (body: HeartbeatFields) => boolean,
): (seen: Observed) => HeartbeatFields | null {
  return (seen) => (seen.kind === 'heartbeat' && test(seen.body) ? seen.body : null);
}

/** Gives the next level of the epoch. */
export function giveLevel(side: GatewaySide, target: SwitchState): void {
  const level = side.level();
  side.setLevel({ ...level, version: level.version + 1, target });
}

/** The same, and waits until a heartbeat tells that it is applied. */
export async function applyLevel(side: GatewaySide, target: SwitchState): Promise<void> {
  const since = side.mark();
  giveLevel(side, target);
  await demandApplied(side, since);
}

/** Changes the configuration and waits as long as a controller that polls needs to take it. */
export async function configure(side: GatewaySide, change: Partial<DeviceConfig>): Promise<void> {
  side.setConfig(change);
  await side.sleep(HEARTBEAT_S * 2.5);
}

export async function demandApplied(
  side: GatewaySide,
  since: number,
  withinS = SETTLES_WITHIN_S,
): Promise<void> {
  const { version, epoch, target } = side.level();
  await side.until(
    `a heartbeat with ${target} and version ${epoch}/${version}`,
    since,
    withinS,
    heartbeatWhere(
      (body) => body.current_status === target && body.version === version && body.epoch === epoch,
    ),
  );
}

/** The first heartbeat since then that tells this state. */
export function changed(
  side: GatewaySide,
  status: SwitchState,
  since: number,
  withinS: number,
): Promise<Observed> {
  return side.until(`a heartbeat with ${status}`, since, withinS, (seen) =>
    seen.kind === 'heartbeat' && seen.body.current_status === status ? seen : null,
  );
}

/** Watches heartbeats for a while: none may say anything else. */
export async function demandStays(side: GatewaySide, target: SwitchState, seconds: number): Promise<void> {
  const from = side.observed.length;
  await side.sleep(seconds);
  const other = side.observed
    .slice(from)
    .find((seen) => seen.kind === 'heartbeat' && seen.body.current_status !== target);
  demand(other === undefined, `the relay left ${target}`);
}

export const rhythmChecks: readonly ControllerCheck[] = [
  {
    id: 'heartbeat.rhythm',
    clause: '6.1',
    title: 'heartbeats follow heartbeat_s within a tenth (and half a second)',
    run: async (side) => {
      side.setConfig({ heartbeat_s: HEARTBEAT_S });
      // The first beat after the change may still belong to the old rhythm.
      await side.until(
        'a heartbeat',
        side.mark(),
        70,
        heartbeatWhere(() => true),
      );
      await side.sleep(HEARTBEAT_S * 1.5);
      const from = side.mark();
      await side.sleep(HEARTBEAT_S * 5);
      const beats = side.observed.slice(from).filter(({ kind }) => kind === 'heartbeat');
      demand(beats.length >= 3, `${beats.length} heartbeats in ${HEARTBEAT_S * 5} s`);
      for (const [index, beat] of beats.slice(1).entries()) {
        const gapS = (beat.atMs - (beats[index]?.atMs ?? 0)) / 1000;
        demand(gapS <= HEARTBEAT_S * 1.1 + 0.5, `a gap of ${gapS.toFixed(1)} s`);
        demand(gapS >= HEARTBEAT_S * 0.9 - 0.5, `a gap of ${gapS.toFixed(1)} s`);
      }
    },
  },
];

/** A controller's clock is set to whole seconds, and heartbeats take a way. */
const CLOCK_OFF_BY_S = 5;

export const levelChecks: readonly ControllerCheck[] = [
  {
    id: 'clock.taken',
    clause: '4.9',
    title: 'it takes the time of the gateway: sent_at of its heartbeats follows it',
    run: async (side) => {
      side.publishTime();
      await side.sleep(HEARTBEAT_S * 1.5);
      const since = side.mark();
      const told = await side.until(
        'a heartbeat',
        since,
        HEARTBEAT_S * 3,
        heartbeatWhere(() => true),
      );
      if (told.sent_at === undefined) throw new Skipped('its heartbeats carry no sent_at');
      const offS = Math.abs(told.sent_at - side.clock.unixMs() / 1000);
      demand(offS <= CLOCK_OFF_BY_S, `sent_at is ${offS.toFixed(0)} s off`);
    },
  },
  {
    id: 'level.applied',
    clause: '5.3',
    title: 'a level is applied, and the heartbeat tells its epoch and version',
    run: async (side) => {
      await applyLevel(side, 'ON');
      await applyLevel(side, 'OFF');
      await applyLevel(side, 'ON');
    },
  },
  {
    id: 'level.equal',
    clause: '5.2',
    title: 'an equal version again leaves the relay where it is',
    needs: ['level.applied'],
    run: async (side) => {
      side.setLevel(side.level());
      await demandStays(side, side.level().target, HEARTBEAT_S * 1.5);
    },
  },
  {
    id: 'level.lower',
    clause: '5.1',
    title: 'a lower version of the same epoch is ignored',
    needs: ['level.applied'],
    run: async (side) => {
      await applyLevel(side, 'ON');
      const { epoch, version } = side.level();
      side.sendStrayLevel({ epoch, version: version - 1, target: 'OFF' });
      await demandStays(side, 'ON', HEARTBEAT_S * 2.5);
      await demandApplied(side, side.mark());
    },
  },
  {
    id: 'level.epoch',
    clause: '5.4',
    title: 'a new epoch is accepted whatever its version',
    needs: ['level.applied'],
    run: async (side) => {
      const { version } = side.level();
      const since = side.mark();
      side.setLevel({ epoch: 'restored', version: 1, target: 'OFF' });
      try {
        await demandApplied(side, since);
      } catch (error) {
        // one that takes it for an old level is judged by the other checks all the same
        side.setLevel({ ...side.level(), version: version + 1 });
        throw error;
      }
    },
  },
  {
    id: 'level.fields',
    clause: '1.4',
    title: 'fields it does not know keep it from nothing',
    needs: ['level.applied'],
    run: async (side) => {
      side.setExtra({ colour: 'blue', advice: { depth_m: 1.2 } });
      await applyLevel(side, 'ON');
      await applyLevel(side, 'OFF');
    },
  },
];

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
