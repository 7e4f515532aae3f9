import type { Figures, Finding } from './finding.ts';

const HEADS = [
  'measure',
  'who',
  'per s',
  'CPU µs',
  'p50 ms',
  'p99 ms',
  'RSS MB',
  'counted',
  'ratio',
  'must',
  '',
];

/** The findings for a terminal: two lines each, the subject and its baseline. */
export function tableOf(findings: readonly Finding[]): string {
  const rows = findings.flatMap(({ measure, subject, baseline, must, isMet, ...ratios }) => [
    [measure, ...cellsOf(subject), ratiosOf(ratios), must, isMet ? 'met' : 'MISSED'],
    ['', ...cellsOf(baseline), '', '', ''],
  ]);
  const lines = [HEADS, ...rows];
  const widths = HEADS.map((_head, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => {
          const isNumber = column >= 2 && column <= 6;
          return isNumber ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0);
        })
        .join('  ')
        .trimEnd(),
    )
    .concat(findings.flatMap(({ measure, notes }) => (notes ?? []).map((note) => `${measure}: ${note}`)))
    .join('\n');
}

function ratiosOf({
  ratio,
  ratioOf,
  cpuRatio,
  spread,
}: Pick<Finding, 'ratio' | 'ratioOf' | 'cpuRatio' | 'spread'>): string {
  const range = spread === null ? '' : ` [${spread.map((end) => shown(end, 2)).join('–')}]`;
  const cpu = cpuRatio === null ? '' : `, CPU × ${shown(cpuRatio, 2)}`;
  return `${ratioOf} × ${shown(ratio, 2)}${range}${cpu}`;
}

function cellsOf({ name, perS, cpuUs, p50Ms, p99Ms, rssMb, counted = '' }: Figures): string[] {
  return [name, shown(perS, 0), shown(cpuUs, 1), shown(p50Ms, 2), shown(p99Ms, 2), shown(rssMb, 0), counted];
}

function shown(value: number | null, digits: number): string {
  return value === null || Number.isNaN(value) ? '–' : value.toFixed(digits);
}
