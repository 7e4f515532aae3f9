import { readdir, readFile, readlink } from 'node:fs/promises';
import { connect } from 'node:net';

const WITHIN_MS = 1_000;
const LISTENING = '0A';

/** Whether something answers on a port of this machine. */
export function isAnswering(port: number, host: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ port, host });
  const end = (answers: boolean) => {
    socket.destroy();
    resolve(answers);
  };
  socket.setTimeout(WITHIN_MS, () => end(false));
  socket.once('connect', () => end(true));
  socket.once('error', () => end(false));
  return promise;
}

/** Name and number of the program that listens on a port; null where the machine does not tell (other systems, rights). */
export async function ownerOfPort(port: number): Promise<string | null> {
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8').catch(() => '')),
  );
  const sockets = new Set(tables.flatMap((table) => socketsIn(table, port)));
  if (sockets.size === 0) return null;
  for (const pid of (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))) {
    if (!(await holds(pid, sockets))) continue;
    const name = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '?');
    return `${name.trim()} (${pid})`;
  }
  return null;
}

/** Numbers of the sockets that listen on a port, in a table of the kernel. */
export function socketsIn(table: string, port: number): string[] {
  const wanted = port.toString(16).toUpperCase().padStart(4, '0');
  return table.split('\n').flatMap((line) => {
    const fields = line.trim().split(/\s+/);
    const isIt = fields[1]?.split(':')[1] === wanted && fields[3] === LISTENING;
    const socket = fields[9];
    return isIt && socket !== undefined ? [socket] : [];
  });
}

async function holds(pid: string, sockets: ReadonlySet<string>): Promise<boolean> {
  for (const handle of await readdir(`/proc/${pid}/fd`).catch(() => [])) {
    const target = await readlink(`/proc/${pid}/fd/${handle}`).catch(() => '');
    const socket = /^socket:\[(\d+)\]$/.exec(target)?.[1];
    if (socket !== undefined && sockets.has(socket)) return true;
  }
  return false;
}
