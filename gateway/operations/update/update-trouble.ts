/** Why an update is not carried out; nothing of the running program was changed. The message is for people. */
export type RefusalCode =
  | 'NOT_MANAGED'
  | 'NOT_PAIRED'
  | 'NOT_FOUND'
  | 'INSECURE_SOURCE'
  | 'NOT_REACHABLE'
  | 'UNSIGNED'
  | 'DAMAGED'
  | 'FOREIGN'
  | 'OLDER'
  | 'SAME'
  | 'NOT_REVERSIBLE'
  | 'DISK_SHORT'
  | 'OXYGEN_ALARM'
  | 'ALREADY_RUNNING'
  | 'REHEARSAL_FAILED';

export class UpdateRefused extends Error {
  readonly code: RefusalCode;

  constructor(code: RefusalCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = 'UpdateRefused';
    this.code = code;
  }
}

/** Of what a program that fell said, the line for people: the error, which stands above the places in its code. */
export function troubleIn(stderr: string): string {
  const lines = stderr.trim().split('\n');
  return lines.find((line) => /^(?:Uncaught )?\w*Error\b/.test(line)) ?? lines.at(-1) ?? '';
}
