import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A disk of its own of so many megabytes, that somebody else fills. null where nothing may be mounted: such tests are
 * skipped.
 */
export function mountSmallDisk(megabytes: number) {
  const folder = mkdtempSync(join(tmpdir(), 'small-disk-'));
  const size = `size=${megabytes}m`;
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', size, 'tmpfs', folder]).status !== 0) {
    rmSync(folder, { recursive: true, force: true });
    return null;
  }
  return {
    data: join(folder, 'data'),
    /** To the last byte, whatever is freed meanwhile. */
    fill(): void {
      for (const bytes of [8_388_608, 65_536, 4_096, 512]) {
        for (let n = 0; n < 4_096; n += 1) {
          const file = join(folder, `filling-${bytes}-${Date.now()}-${n}`);
          try {
            writeFileSync(file, Buffer.alloc(bytes));
          } catch {
            rmSync(file, { force: true });
            break;
          }
        }
      }
    },
    free: () => void spawnSync('sh', ['-c', `rm -f ${folder}/filling-*`]),
    unmount(): void {
      spawnSync('umount', ['-l', folder]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
