import { describe, expect, it } from 'vitest';
import { makePlan, type Plan } from '../../scripts/soak/plan.ts';

const options = { seed: 11, kills: 1_000, rounds: 1, isShort: false } as const;
const killsOf = ({ steps }: Plan) =>
  steps.reduce((sum, step) => sum + (step.kind === 'kills' ? step.kills.length : 0), 0);

describe('the plan of a campaign', () => {
  it('is the same for the same seed, and another for another', () => {
    expect(makePlan(options)).toEqual(makePlan(options));
    expect(makePlan({ ...options, seed: 12 })).not.toEqual(makePlan(options));
  });

  it('has every kill it was asked for, spread between all other faults', () => {
    const plan = makePlan(options);
    expect(killsOf(plan)).toBe(1_000);
    expect(new Set(plan.steps.map(({ kind }) => kind))).toEqual(
      new Set([
        'calm',
        'kills',
        'graceful_restarts',
        'loss',
        'half_open',
        'locked',
        'disk_full',
        'fsync_fails',
        'clock_step',
        'clock_1970',
        'clock_far',
        'power_cut',
      ]),
    );
  });

  it('is plain data', () => {
    const plan = makePlan(options);
    expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
  });

  it('leaves out what a machine cannot do', () => {
    const plan = makePlan({ ...options, without: ['fsync_fails'] });
    expect(plan.steps.map(({ kind }) => kind)).not.toContain('fsync_fails');
    expect(killsOf(plan)).toBe(1_000);
  });
});
