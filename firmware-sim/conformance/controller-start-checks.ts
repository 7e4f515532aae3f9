import { deviceTopic } from '#contract/mqtt/topics.ts';
import { fitsBackOff } from './back-off.ts';
import {
  applyLevel,
  type ControllerCheck,
  changed,
  configure,
  demandApplied,
  demandStays,
  HEARTBEAT_S,
} from './controller-level-checks.ts';
import { reportIn, resultOf, returned } from './controller-seen.ts';
import type { GatewaySide } from './gateway-side.ts';
import { demand, type Observed } from './report.ts';

// What a controller does at a start, and what it trusts: over MQTT, where it can be told to restart.

const ANSWERS_WITHIN_S = 5;
const RETURNS_WITHIN_S = 100;
const REST_S = 6;
const SLOT_S = 6;

export const startChecks: readonly ControllerCheck[] = [
  {
    id: 'start.answered',
    clause: '4.8',
    title: 'told to reboot it answers first, and comes back with another boot_id',
    needs: ['mqtt.command'],
    run: async (side) => {
      const before = bootIds(side.observed).at(-1);
      const { place } = await reboot(side, 'conformance-reboot-1');
      const session = await returned(side, place);
      const after = await side.until('a heartbeat', session.place, ANSWERS_WITHIN_S * 2, (seen) =>
        seen.kind === 'heartbeat' ? (seen.body.boot_id ?? 'none') : null,
      );
      demand(after !== 'none' && after !== before, `boot_id ${before ?? 'none'} became ${after}`);
    },
  },
  {
    id: 'start.slot',
    clause: '6.4',
    title: 'after a start a motor that ran rests for min_off_s, then waits for its slot of start_delay_s',
    needs: ['start.answered', 'rest.off'],
    run: async (side) => {
      await configure(side, { fail_safe: 'OFF', lost_s: 120, min_off_s: REST_S, start_delay_s: SLOT_S });
      await applyLevel(side, 'ON');
      const told = await reboot(side, 'conformance-reboot-2');
      const session = await returned(side, told.place);
      const on = await changed(side, 'ON', session.place, RETURNS_WITHIN_S);
      // its answer came before the start
      const waitedS = (on.atMs - told.atMs) / 1000;
      demand(waitedS >= REST_S + SLOT_S, `it started ${waitedS.toFixed(1)} s after it was told to restart`);
    },
  },
  {
    id: 'start.remembers',
    clause: '5.5',
    title: 'over a start it keeps the level it accepted: a lower version is stale afterwards, too',
    needs: ['start.answered', 'level.stale'],
    run: async (side) => {
      await configure(side, { fail_safe: 'HOLD', lost_s: 120 });
      await applyLevel(side, 'OFF');
      const { epoch, version } = side.level();
      side.forgetLevel();
      const { place } = await reboot(side, 'conformance-reboot-3');
      await returned(side, place);
      const since = side.mark();
      side.sendStrayLevel({ epoch, version: version - 1, target: 'ON' });
      const isAnswer = reportIn({ epoch, version: version - 1 });
      const { ack } = await side.until('shadow/reported', since, ANSWERS_WITHIN_S, isAnswer);
      demand(ack === 'stale', `ack ${ack}`);
    },
  },
];

export const trustChecks: readonly ControllerCheck[] = [
  {
    id: 'mqtt.foreign',
    clause: '9.3',
    title: 'a level on a topic that is not its own moves nothing',
    needs: ['level.applied'],
    run: async (side) => {
      await applyLevel(side, 'OFF');
      const { epoch, version } = side.level();
      const level = { epoch, version: version + 100, target: 'ON' } as const;
      const { mqtt_id } = side.identity;
      const shadow = deviceTopic(mqtt_id, 'shadow/desired');
      for (const topic of [deviceTopic(`${mqtt_id}x`, 'shadow/desired'), `${shadow}/now`, 'shadow/desired'])
        side.pushForeign(topic, level);
      try {
        await demandStays(side, 'OFF', HEARTBEAT_S * 2);
      } finally {
        // also for one that took it: it takes what is told now for newer
        side.setLevel({ epoch, version: level.version + 100, target: 'OFF' });
      }
      await demandApplied(side, side.mark());
    },
  },
  {
    id: 'mqtt.refused',
    clause: '2.4',
    title: 'refused with its key it goes on trying with its back-off, and comes in when the key is repaired',
    needs: ['mqtt.back-off'],
    run: async (side) => {
      const kicked = side.mark();
      const kickedMs = side.clock.nowMs();
      side.setRefusing(true);
      side.kick();
      const isTry = (seen: Observed) => (seen.kind === 'refused' ? seen : null);
      const first = await side.until('it tries', kicked, RETURNS_WITHIN_S, isTry);
      const second = await side.until('it tries again', first.place + 1, RETURNS_WITHIN_S, isTry);
      side.setRefusing(false);
      await returned(side, second.place);
      const gaps = [first.atMs - kickedMs, second.atMs - first.atMs].map((gapMs) => gapMs / 1000);
      const told = gaps.map((gapS) => `${gapS.toFixed(1)} s`).join(', then ');
      demand(fitsBackOff(gaps), `it waited ${told}`);
    },
  },
];

/** Tells it to restart; its answer, before which it has not. */
export async function reboot(side: GatewaySide, correlation: string): Promise<Observed> {
  const since = side.mark();
  side.command(correlation, 'reboot');
  return side.until(`res/${correlation}`, since, ANSWERS_WITHIN_S, resultOf(correlation));
}

const bootIds = (observed: readonly Observed[]): string[] =>
  observed.flatMap((seen) => (seen.kind === 'heartbeat' ? (seen.body.boot_id ?? []) : []));
