import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseSync } from 'vite';
import { expect, it } from 'vitest';
import { rarerFault } from '../../desktop/console/components/rarer-faults.ts';
import { plainSentence } from '../../desktop/console/i18n/plain-sentence.ts';

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

/** The keys of the sentences of one language in the console's first list. */
function keysOf(language: string): string[] {
  const file = 'desktop/console/components/fault-words.ts';
  let keys: string[] = [];
  const nameOf = (node: Node) => String((node['key'] as Node)['name'] ?? (node['key'] as Node)['value']);
  const walk = (node: unknown): void => {
    if (Array.isArray(node)) {
      node.forEach(walk);
      return;
    }
    if (typeof node !== 'object' || node === null) return;
    const at = node as Node;
    const value = at['value'] as Node | undefined;
    if (at.type === 'Property' && nameOf(at) === language)
      keys = ((value?.['properties'] ?? []) as Node[]).map(nameOf);
    Object.values(at).forEach(walk);
  };
  walk(parseSync(file, readFileSync(file, 'utf8')).program);
  return keys;
}

it('every refusal of the interface has its sentence in each language', () => {
  const files = execFileSync('git', ['ls-files', 'gateway'], { encoding: 'utf8' })
    .split('\n')
    .filter((file) => /^gateway\/(adapters|app|core|features|store|sync)\/.*\.ts$/.test(file));
  const codes = new Set(files.flatMap(codesOf).filter((code) => !TO_PROGRAMS.test(code)));
  expect(codes.size).toBeGreaterThan(200);
  const [portuguese, english] = [keysOf('pt-BR'), keysOf('en')];
  const silent = [...codes].filter(
    (code) => !portuguese.includes(code) && rarerFault('pt-BR', code) === null,
  );
  expect(silent.sort()).toEqual([]);
  expect(english).toEqual(portuguese);
});

it.each([
  [
    'Your plan does not include access tokens (api_access); a larger one does',
    'Your plan does not include access tokens; a larger one does',
  ],
  ['Para desligar já, peça que valha agora (apply_now).', 'Para desligar já, peça que valha agora.'],
  ['quantity_kg: must be more than 0', 'Quantity: must be more than 0'],
  ['rows[3].feed_date: must not be before start_date', 'Feed date: must not be before start_date'],
  ['Controller CP-1 (V-01, V-02) stays on (4.2 mg/L)', 'Controller CP-1 (V-01, V-02) stays on (4.2 mg/L)'],
  ['CP-1 (tanque_norte) stays on', 'CP-1 (tanque_norte) stays on'],
])('a person reads “%s” without the names that programs use', (said, read) => {
  expect(plainSentence(said)).toBe(read);
});

it('no sentence of the interface reaches people with another name in brackets', () => {
  const sentences = execFileSync(
    'git',
    ['grep', '-hE', String.raw`[a-z] \([a-z]+_[a-z_]+\)`, '--', 'gateway/features'],
    {
      encoding: 'utf8',
    },
  )
    .split('\n')
    // words for people: a quoted line that is no comment and no call
    .filter((line) => /^\s*(\w+: )?['`]|AppError\(|message: |detail: /.test(line));
  expect(sentences.length).toBeGreaterThan(4);
  const left = sentences.flatMap((line) => plainSentence(line).match(/ \([a-z]+_[a-z_]+\)/g) ?? []);
  expect(left).toEqual([]);
});
