import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';

// On a PC that is the box itself the program starts the gateway as a process of its own, on the Node that comes with
// it, and starts it anew when it ends. Closing the window does not end it: motors depend on it.

export type LocalGateway = {
  url: string;
  stop(): Promise<void>;
  onChange(listener: (state: LocalState) => void): void;
};
export type LocalState = 'starting' | 'running' | 'restarting' | 'stopped';

const RESTART_MS = [1_000, 2_000, 5_000, 10_000] as const;
const STOP_MS = 8_000;

export type LocalDeps = {
  /** Folder of the program: holds gateway/dist/main.js and node_modules. */
  program: string;
  node: string;
  data: string;
  httpPort: number;
  log: (line: string) => void;
  pause: (ms: number) => Promise<void>;
};

export function startLocalGateway(deps: LocalDeps): LocalGateway {
  const listeners = new Set<(state: LocalState) => void>();
  const tell = (state: LocalState) => {
    for (const listener of listeners) listener(state);
  };
  let child: ChildProcess | null = null;
  let isStopping = false;

  const run = async () => {
    for (let falls = 0; !isStopping; ) {
      tell(falls === 0 ? 'starting' : 'restarting');
      const startedAt = Date.now();
      child = start(deps);
      tell('running');
      const code = await ended(child);
      if (isStopping) break;
      deps.log(`the gateway ended with ${code ?? 'a signal'}; it is started again`);
      // one that ran for a while is not falling over and over
      falls = Date.now() - startedAt > 60_000 ? 1 : falls + 1;
      await deps.pause(RESTART_MS[Math.min(falls, RESTART_MS.length) - 1] ?? 10_000);
    }
    tell('stopped');
  };
  const running = run();
  return {
    url: `http://127.0.0.1:${deps.httpPort}/`,
    onChange: (listener) => void listeners.add(listener),
    async stop() {
      isStopping = true;
      child?.kill('SIGTERM');
      const killer = setTimeout(() => child?.kill('SIGKILL'), STOP_MS);
      await running;
      clearTimeout(killer);
    },
  };
}

function start({ program, node, data, httpPort, log }: LocalDeps): ChildProcess {
  const child = spawn(
    node,
    [
      '--max-semi-space-size=4',
      '--max-old-space-size=512',
      path.join(program, 'gateway/dist/main.js'),
      '--data',
      data,
      '--http-port',
      String(httpPort),
    ],
    { cwd: program, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true },
  );
  child.stdout.setEncoding('utf8').on('data', (text: string) => log(text.trimEnd()));
  child.stderr.setEncoding('utf8').on('data', (text: string) => log(text.trimEnd()));
  return child;
}

const ended = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve) => {
    child.once('exit', (code) => resolve(code));
    child.once('error', () => resolve(null));
  });
