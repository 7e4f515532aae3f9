import { readFileSync } from 'node:fs';
import { arch, cpus, hostname } from 'node:os';

/** This box as a person would tell it from another one: its name, its model, its kind of processor. */
export function hardwareOf(): string {
  const model = boardModel() ?? cpus()[0]?.model.trim() ?? 'unknown model';
  return `${hostname()}, ${model}, ${arch()}`.slice(0, 200);
}

/** Small boards say what they are; other machines have no such file. */
function boardModel(): string | null {
  try {
    return readFileSync('/proc/device-tree/model', 'utf8').replaceAll('\0', '').trim() || null;
  } catch {
    return null;
  }
}
