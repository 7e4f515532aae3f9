import type { DoctorReport, FindingSeverity } from '#contract/resources/system-doctor.ts';

const MARKS: Readonly<Record<'pt-BR' | 'en', Readonly<Record<FindingSeverity, string>>>> = {
  'pt-BR': { ok: 'bem  ', note: 'nota ', warn: 'VEJA ', bad: 'RUIM ' },
  en: { ok: 'ok   ', note: 'note ', warn: 'WARN ', bad: 'BAD  ' },
};

/** A report as people read it in a terminal. */
export function reportText(report: DoctorReport, language: 'pt-BR' | 'en'): string {
  const title = `${report.role} ${report.version}  ${report.made_at}`;
  const lines = report.findings.flatMap(({ id, severity, sentence, next_step: next }) => [
    `${MARKS[language][severity]} ${sentence[language]}  [${id}]`,
    ...(next === null ? [] : [`       → ${next[language]}`]),
  ]);
  return [title, ...lines].join('\n');
}
