/// <reference types="vite/types/importMeta.d.ts" />
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseSync } from 'vite';
import { expect, it } from 'vitest';
import type { Language } from '../../desktop/console/i18n/catalogue.ts';

// Whatever the interface refuses is told to people in their language. English has its own sentence in each answer.

/** Said to programs: other instances, controllers, the command line, what pays. */
const TO_PROGRAMS = /^(SYNC_(?!NOT)|UPDATE_(BUSY|NONE)|UNREADABLE_EVENT|VALIDATION_ERROR|INVALID$)/;
const REFUSALS = new Set(['conflict', 'conflicts', 'invalidField', 'forbidden', 'AppError']);
const CODE = /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$|^[A-Z]{4,}$/;

type Node = { type?: string; [key: string]: unknown };

/** Codes that stand in a refusal: `code: 'X'`, or a word given to one of the makers of errors. */
function codesOf(file: string): string[] {
  const found: string[] = [];
  const put = (node: Node | undefined): void => {
    if (node?.type === 'Literal' && typeof node['value'] === 'string' && CODE.test(node['value']))
      found.push(node['value']);
    if (node?.type === 'ConditionalExpression') {
      put(node['consequent'] as Node);
      put(node['alternate'] as Node);
    }
  };
  const walk = (node: unknown): void => {
    if (Array.isArray(node)) {
      node.forEach(walk);
      return;
    }
    if (typeof node !== 'object' || node === null) return;
    const at = node as Node;
    if (at.type === 'Property' && (at['key'] as Node)['name'] === 'code') put(at['value'] as Node);
    const callee = at['callee'] as Node | undefined;
    if (/^(Call|New)Expression$/.test(at.type ?? '') && REFUSALS.has(String(callee?.['name'])))
      (at['arguments'] as Node[]).forEach(put);
    Object.values(at).forEach(walk);
  };
  walk(parseSync(file, readFileSync(file, 'utf8')).program);
  return found;
}

/** The words of every language, by folder. */
const CATALOGUE = import.meta.glob<Record<string, unknown>>('../../desktop/console/words/*/*.ts', {
  eager: true,
});
const LANGUAGES = [...new Set(Object.keys(CATALOGUE).map((file) => file.split('/').at(-2) ?? ''))];

type Sentences = Readonly<Record<string, string>>;
type Fields = Readonly<Record<'checks' | 'fields', Sentences>>;

/** What one language says to refusals: from the start, seldom, and of one field. */
function saidIn(language: string) {
  const of = (area: string, name: string) =>
    CATALOGUE[`../../desktop/console/words/${language}/${area}.ts`]?.[name];
  return {
    first: (of('faults', 'faults') as () => Sentences)(),
    rarer: (of('rarer-faults', 'rarerFaults') as () => Sentences)(),
    ofFields: (of('rarer-faults', 'fieldFaults') as () => Fields)(),
    isOfInterface: (of('language', 'spoken') as Language).isOfInterface,
  };
}

it('every refusal of the interface has its sentence in each language', () => {
  const files = execFileSync('git', ['ls-files', 'gateway'], { encoding: 'utf8' })
    .split('\n')
    .filter((file) => /^gateway\/(adapters|app|core|features|store|sync)\/.*\.ts$/.test(file));
  const codes = new Set(files.flatMap(codesOf).filter((code) => !TO_PROGRAMS.test(code)));
  expect(codes.size).toBeGreaterThan(200);
  const portuguese = saidIn('pt-BR');
  for (const language of LANGUAGES) {
    const { first, rarer, isOfInterface } = saidIn(language);
    const silent = [...codes].filter((code) => !(code in first) && !(code in rarer) && !isOfInterface);
    expect(silent.sort(), language).toEqual([]);
    expect(Object.keys(first), language).toEqual(Object.keys(portuguese.first));
  }
});

it('what is wrong with a field is told in each language', () => {
  const { checks, fields } = saidIn('pt-BR').ofFields;
  for (const { ofFields, language } of LANGUAGES.map((spoken) => ({ ...saidIn(spoken), language: spoken }))) {
    if (saidIn(language).isOfInterface) continue;
    expect(Object.keys(ofFields.checks).sort(), language).toEqual(Object.keys(checks).sort());
    expect(Object.keys(ofFields.fields).sort(), language).toEqual(Object.keys(fields).sort());
  }
});
