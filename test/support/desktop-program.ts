import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildDesktop } from '../../desktop/build.mjs';

type Done = {
  badge: number;
  tooltips: string[];
  notices: { title: string; body: string }[];
  questions: { title: string; detail: string; buttons: string[] }[];
  opened: string[];
  quit: boolean;
  fullscreen: boolean | null;
  preferences: Record<string, unknown>;
  flashed: number;
  shown: number;
  awake: Record<string, string>;
  loaded: string[];
};

const runner = fileURLToPath(new URL('./fake-electron.mjs', import.meta.url));

/** The program around the console, built as it is packed, in a folder of its own: `root` is where the sources would be. */
export async function builtDesktop(): Promise<{ root: string; folder: string; remove: () => void }> {
  const root = mkdtempSync(path.join(tmpdir(), 'desktop-'));
  const folder = path.join(root, 'desktop/dist');
  await buildDesktop(folder);
  return { root, folder, remove: () => rmSync(root, { recursive: true, force: true }) };
}

/** Starts it, with the settings it would have kept, on a free port of this machine. */
export async function startDesktop(folder: string, settings: object, argv: readonly string[] = []) {
  const userData = mkdtempSync(path.join(tmpdir(), 'desktop-user-'));
  writeFileSync(path.join(userData, 'settings.json'), JSON.stringify({ doorPort: 0, ...settings }));
  const child = fork(runner, [folder, userData, ...argv], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  const said: string[] = [];
  child.stderr?.setEncoding('utf8').on('data', (text: string) => said.push(text));
  const ask = asker(child, said);
  await ask.ready;
  return {
    ask: ask.ask,
    done: () => ask.ask<Done>('done'),
    userData,
    async stop() {
      child.disconnect();
      await new Promise<void>((resolve) => child.once('exit', () => resolve()));
      rmSync(userData, { recursive: true, force: true });
    },
  };
}

function asker(child: ChildProcess, said: readonly string[]) {
  const waiting = new Map<number, (message: { answer?: unknown; error?: string }) => void>();
  let last = 0;
  let isReady: () => void = () => undefined;
  const ready = new Promise<void>((resolve, reject) => {
    isReady = resolve;
    child.once('exit', (code) => reject(new Error(`the program ended with ${code}: ${said.join('')}`)));
  });
  child.on('message', (message: { id: number | 'ready'; answer?: unknown; error?: string }) => {
    if (message.id === 'ready') return isReady();
    waiting.get(message.id)?.(message);
    waiting.delete(message.id);
  });
  return {
    ready,
    ask<Answer>(command: string, argument?: unknown): Promise<Answer> {
      last += 1;
      const id = last;
      return new Promise((resolve, reject) => {
        waiting.set(id, ({ answer, error }) => {
          if (error !== undefined) reject(new Error(error));
          // the runner answers what the command's name says
          else resolve(answer as Answer);
        });
        child.send({ id, command, argument });
      });
    },
  };
}
