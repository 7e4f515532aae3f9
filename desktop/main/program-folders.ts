import { existsSync } from 'node:fs';
import path from 'node:path';
import type { App } from 'electron';

export type ProgramFolders = ReturnType<typeof programFolders>;

/** Where things lie, packed and while developing. */
export function programFolders(
  app: Pick<App, 'isPackaged' | 'getAppPath'>,
  resources = process.resourcesPath,
) {
  const code = app.getAppPath();
  // the gateway stands beside the archive: it runs on a Node of its own, which does not read archives
  const program = app.isPackaged ? path.join(resources, 'gateway') : path.resolve(code, '../..');
  const isWindows = process.platform === 'win32';
  const name = isWindows ? 'node.exe' : 'node';
  const platform = `node-${isWindows ? 'win' : process.platform}-${process.arch}`;
  const node = app.isPackaged
    ? path.join(program, 'bin', name)
    : path.join(program, 'node_modules', platform, 'bin', name);
  return { code, shell: path.join(code, 'shell'), program, node };
}

/** Whether a gateway came with this program: there are packages that only watch. */
export const canBeBox = ({ program, node }: Pick<ProgramFolders, 'program' | 'node'>): boolean =>
  existsSync(node) && existsSync(path.join(program, 'gateway/dist/main.js'));
