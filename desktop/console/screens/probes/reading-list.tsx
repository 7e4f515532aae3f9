import type { ProbeParameter, ProbeReading } from '#contract/resources/probes.ts';
import { WATER } from '../../data/water.ts';
import { quantity } from '../../i18n/format.ts';
import { probeWords } from './words.ts';

const decimalsOf = (parameter: ProbeParameter): number =>
  parameter === 'oxygen_saturation' ? 0 : parameter === 'conductivity' ? 1 : WATER[parameter].decimals;

/**
 * What a probe said last. A value of the past is not shown as if it were one of now. `told`: what is said of a value
 * that is not believed.
 */
export function ReadingList({
  readings,
  isOld,
  told,
}: {
  readings: readonly ProbeReading[];
  isOld: boolean;
  told: 'quality' | 'reason';
}) {
  const words = probeWords();
  return (
    <dl class="facts" data-fresh={isOld ? 'stale' : 'fresh'}>
      {readings.map(({ parameter, unit, value, quality, reason }) => (
        <div key={parameter} data-parameter={parameter}>
          <dt>{words.parameter[parameter]}</dt>
          <dd>
            {isOld ? '—' : quantity(value, decimalsOf(parameter), unit)}
            {isOld || quality === 'good' ? null : (
              <span class="by-line muted small">
                {told === 'reason' && reason !== null ? words.reason[reason] : words.quality[quality]}
              </span>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
