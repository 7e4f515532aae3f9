import { type Finding, inTurn, median } from './finding.ts';
import type { Recorder } from './load/recorder.ts';
import { startRemote } from './remote.ts';
import type { FarmUnderTest } from './seed-farm.ts';

const CASES = [
  { what: 'without an alert', oxygen: 5.6, must: 0.4 },
  { what: 'each with an alert', oxygen: 2.6, must: 0.15 },
];

/** Recording a measurement, called in the process, against a plain insert of the same row. */
export async function recordingMeasurements(
  { data, farm, size }: FarmUnderTest,
  tell: (line: string) => void,
): Promise<Finding[]> {
  const recorder = startRemote<Recorder>(new URL('load/recorder.ts', import.meta.url));
  try {
    tell('recording');
    await recorder.call('open', { data, ponds: farm.ponds });
    const findings: Finding[] = [];
    for (const { what, oxygen, must } of CASES) {
      const wanted = { count: size.times * 15, oxygen };
      const { subject, baseline } = await inTurn(
        size.rounds,
        () => recorder.call('record', wanted),
        () => recorder.call('insert', wanted),
      );
      findings.push(rateOf(what, must, { subject, baseline }));
    }
    await recorder.call('close', undefined);
    return findings;
  } finally {
    await recorder.stop();
  }
}

function rateOf(
  what: string,
  must: number,
  { subject, baseline }: { subject: number[]; baseline: number[] },
): Finding {
  const ratios = subject.map((perS, round) => perS / (baseline[round] ?? Number.NaN));
  const ratio = median(ratios);
  const rate = (name: string, perS: number[]) => ({
    name,
    perS: median(perS),
    cpuUs: null,
    p50Ms: null,
    p99Ms: null,
    rssMb: null,
  });
  return {
    measure: `measurements recorded, ${what}`,
    subject: rate('use case in the process', subject),
    baseline: rate('better-sqlite3 insert, FULL', baseline),
    ratioOf: 'rate',
    ratio,
    cpuRatio: null,
    spread: [Math.min(...ratios), Math.max(...ratios)],
    must: `≥ ${must * 100} %`,
    isMet: ratio >= must,
    rounds: subject.length,
  };
}
