import type { CampaignResult } from './campaign.ts';
import type { Violation } from './history.ts';
import type { Plan } from './plan.ts';

export type Report = CampaignResult & { seed: number; command: string; at: string; plan: Plan };

/** The report for people. */
export function textOf({ seed, command, counts, steps, violations, logLines, realS }: Report): string {
  const skipped = steps.flatMap(({ step, notes }) => notes.map((note) => `  ${step.kind}: ${note}`));
  return [
    `fault campaign, seed ${seed}, ${realS} s`,
    `again: ${command}`,
    '',
    ...Object.entries(counts).map(([name, count]) => `  ${name.replaceAll('_', ' ').padEnd(28)} ${count}`),
    '',
    'what the program said (warnings and errors):',
    ...Object.entries(logLines)
      .sort(([, a], [, b]) => b - a)
      .slice(0, 25)
      .map(([line, times]) => `  ${String(times).padStart(6)}  ${line}`),
    ...(skipped.length > 0 ? ['', 'notes:', ...new Set(skipped)] : []),
    '',
    ...(violations.length === 0 ? ['no violation'] : ['VIOLATIONS', ...byRule(violations)]),
    '',
  ].join('\n');
}

function byRule(violations: readonly Violation[]): string[] {
  const rules = Map.groupBy(violations, ({ rule }) => rule);
  return [...rules].flatMap(([rule, found]) => [
    `  ${rule}: ${found.length}`,
    ...found
      .slice(0, 3)
      .map(({ what, context }) => `    ${what}\n      ${JSON.stringify(context)?.slice(0, 1_500)}`),
  ]);
}
