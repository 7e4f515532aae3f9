import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/** Work that may wait says so: control gets the processor first, and when memory runs out this goes first. */
export function standBack(): void {
  setPriority(10);
  try {
    writeFileSync('/proc/self/oom_score_adj', '500');
  } catch {
    // another system than Linux
  }
}
