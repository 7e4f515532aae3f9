import type { ParseArgsConfig } from 'node:util';
import type { InEach } from '#core/each-language.ts';
import type { Language } from '#core/notifying.ts';
import type { Progress } from './job.ts';

/** What a command prints at its end: a sentence for people, or the value as one line of JSON. */
export type Told = { sentence: InEach; value: Readonly<Record<string, unknown>> };

export type Values = Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;

/** What a command may do with the world around it. */
export type Terminal = {
  environment: Readonly<Record<string, string | undefined>>;
  isJson: boolean;
  /** Of what people read. */
  language: Language;
  /** To the standard output; with --json only JSON lines belong there. */
  print: (line: string) => void;
  /** Questions and warnings, to the standard error. */
  warn: (line: string) => void;
  /** Progress of a job: a line that renews itself, or JSON lines on the standard error. */
  tell: (progress: Progress) => void;
  /** Set off by Ctrl-C. */
  signal: AbortSignal;
  now: () => number;
};

export type BenchCommand = {
  /** One line for the list of commands. */
  summary: string;
  /** All its options, for `<command> --help`; ends with a line break. */
  help: string;
  options: NonNullable<ParseArgsConfig['options']>;
  run: (values: Values, terminal: Terminal) => Promise<Told>;
};

export type BenchCommands = Readonly<Record<string, BenchCommand>>;

/** The text of an option, or undefined where it was not given. */
export function textOf(values: Values, name: string): string | undefined {
  const value = values[name];
  return typeof value === 'string' ? value : undefined;
}

export const text = { type: 'string' } as const;
export const flag = { type: 'boolean' } as const;
