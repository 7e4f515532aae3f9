import path from 'node:path';
import type { App } from 'electron';

/** Where things lie, packed and while developing. */
export function programFolders(app: Pick<App, 'isPackaged' | 'getAppPath'>) {
  const code = app.getAppPath();
  // the gateway stands beside the archive: it runs on a Node of its own, which does not read archives
  const program = app.isPackaged ? path.join(process.resourcesPath, 'gateway') : path.resolve(code, '../..');
  const node = path.join(
    program,
    'node_modules',
    `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`,
    'bin',
    process.platform === 'win32' ? 'node.exe' : 'node',
  );
  return { code, shell: path.join(code, 'shell'), program, node };
}
