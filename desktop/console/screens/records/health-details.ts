import type { RecordAnswer } from '#contract/resources/farm-records.ts';
import {
  DISEASES,
  LAB_UNITS,
  METHODS,
  RESULTS,
  SAMPLES,
  SEVERITIES,
  SIGNS,
} from '#contract/resources/health-records.ts';
import { healthWords } from '#words/health.ts';
import { recordsWords } from '#words/records.ts';
import type { CorrectedField } from '../../components/correction-dialog.tsx';
import { asTyped, percent, plainDay } from '../../i18n/format.ts';

type Finding = Pick<
  RecordAnswer,
  | 'kind'
  | 'amount'
  | 'signs'
  | 'affected_percent'
  | 'severity'
  | 'disease'
  | 'disease_name'
  | 'sample'
  | 'method'
  | 'result'
  | 'result_on'
  | 'report_number'
>;

/** What was seen, or what a laboratory found, in words; of other records nothing. A disease that nobody tested is suspected. */
export function findingsIn(record: Finding): string[] {
  const words = healthWords();
  const { disease, disease_name: name, severity, signs, affected_percent: share } = record;
  const called = [disease === null ? '' : words.diseases[disease], name ?? ''].filter(Boolean).join(', ');
  const { result, result_on: day, report_number: report, sample, method } = record;
  if (record.kind === 'DISEASE')
    return [
      (signs ?? []).map((each) => words.signNames[each]).join(', '),
      share === null ? '' : words.of(percent(share, 1)),
      severity === null ? '' : words.severities[severity],
      called === '' ? words.unknownDisease : words.isSuspected(called),
    ].filter((part) => part !== '');
  if (record.kind !== 'LAB') return [];
  const told = result === null ? (record.amount === null ? words.awaited : '') : words.results[result];
  return [
    [called, told].filter(Boolean).join(': '),
    method === null ? '' : words.methods[method],
    sample === null ? '' : words.samples[sample],
    day === null ? '' : words.came(plainDay(day)),
    report === null ? '' : words.report(report),
  ].filter((part) => part !== '');
}

/** What may be corrected of such a record, its time aside. */
export function healthFieldsOf(record: RecordAnswer): CorrectedField[] {
  const words = healthWords();
  const line = (
    name: 'text' | 'responsible' | 'source' | 'disease_name' | 'report_number',
    label: string,
  ): CorrectedField => ({ name, label, kind: 'text', first: record[name] ?? '', isOptional: true });
  const choice = (
    name: 'severity' | 'disease' | 'sample' | 'method' | 'result' | 'unit',
    label: string,
    options: readonly { value: string; label: string }[],
    none?: string,
  ): CorrectedField => ({
    name,
    label,
    kind: 'choice',
    first: record[name] ?? '',
    isOptional: none !== undefined,
    options: [...(none === undefined ? [] : [{ value: '', label: none }]), ...options],
  });
  const { units, unit } = recordsWords();
  if (record.kind === 'DISEASE')
    return [
      {
        name: 'signs',
        label: words.signs,
        kind: 'choices',
        first: (record.signs ?? []).join(' '),
        options: namedOf(SIGNS, words.signNames),
      },
      {
        name: 'affected_percent',
        label: words.affected,
        kind: 'figure',
        unit: '%',
        first: asTyped(record.affected_percent),
        isOptional: true,
      },
      choice('severity', words.severity, namedOf(SEVERITIES, words.severities), words.notKnown),
      choice('disease', words.suspected, namedOf(DISEASES, words.diseases), words.notKnown),
      line('disease_name', words.name),
      line('text', words.seenBesides),
      line('responsible', words.seenBy),
    ];
  return [
    { ...line('source', words.laboratory), isOptional: false },
    choice('sample', words.sample, namedOf(SAMPLES, words.samples)),
    choice('method', words.method, namedOf(METHODS, words.methods)),
    choice('disease', words.lookedFor, namedOf(DISEASES, words.diseases)),
    line('disease_name', words.name),
    choice('result', words.result, namedOf(RESULTS, words.results), words.notYet),
    {
      name: 'amount',
      label: words.figure,
      kind: 'figure',
      first: asTyped(record.amount),
      isOptional: true,
    },
    choice('unit', unit, namedOf(LAB_UNITS, units), '–'),
    {
      name: 'result_on',
      label: words.resultOn,
      kind: 'day',
      first: record.result_on ?? '',
      isOptional: true,
    },
    line('report_number', words.reportNumber),
    line('text', words.remark),
    line('responsible', words.takenBy),
  ];
}

/** A list of the interface with its words, as a field for a choice takes it. */
export const namedOf = <Name extends string>(
  names: readonly Name[],
  words: Readonly<Record<Name, string>>,
): { value: Name; label: string }[] => names.map((value) => ({ value, label: words[value] }));
