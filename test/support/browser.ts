import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';

// A real browser, spoken to by its own protocol: a few words of it are all that pages without scripts need.

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Path of a browser on this machine, or null. */
export function browserPath(): string | null {
  const named = process.env['CHROMIUM'];
  return [...(named === undefined ? [] : [named]), ...PLACES].find((path) => existsSync(path)) ?? null;
}

type Answer = { id?: number; result?: Record<string, unknown>; error?: { message: string } };

/** A browser with one page. */
export async function startBrowser(path: string) {
  const profile = mkdtempSync(join(tmpdir(), 'browser-'));
  const child = spawn(
    path,
    [
      '--headless=new',
      // inside a container there is no other sandbox to be had
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--no-first-run',
      '--remote-debugging-port=0',
      `--user-data-dir=${profile}`,
      'about:blank',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const address = await debuggingAddress(child.stderr);
  const [page] = (await (await fetch(`http://${address}/json`)).json()) as { webSocketDebuggerUrl: string }[];
  if (page === undefined) throw new Error('the browser has no page');
  const socket = new WebSocket(page.webSocketDebuggerUrl);
  await once(socket, 'open');
  const waiting = new Map<number, (answer: Answer) => void>();
  const faults: string[] = [];
  let asked = 0;
  socket.on('message', (data: Buffer) => {
    const message = JSON.parse(data.toString()) as Answer & {
      method?: string;
      params?: { entry?: { text: string } };
    };
    if (message.id !== undefined) waiting.get(message.id)?.(message);
    // what the page's policy refused, and other complaints
    if (message.method === 'Log.entryAdded') faults.push(message.params?.entry?.text ?? '');
  });

  function say(method: string, params: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    asked += 1;
    const id = asked;
    const { promise, resolve, reject } = Promise.withResolvers<Record<string, unknown>>();
    waiting.set(id, ({ result, error }) => {
      waiting.delete(id);
      if (error === undefined) resolve(result ?? {});
      else reject(new Error(`${method}: ${error.message}`));
    });
    socket.send(JSON.stringify({ id, method, params }));
    return promise;
  }

  /** Value of an expression in the page. */
  async function look(expression: string): Promise<unknown> {
    const { result } = await say('Runtime.evaluate', { expression, returnByValue: true });
    return (result as { value?: unknown }).value;
  }

  /** Until an expression is true in the page, whichever page that is by then. */
  async function until(expression: string): Promise<void> {
    for (let tries = 0; tries < 200; tries += 1) {
      if ((await look(expression).catch(() => false)) === true) return;
      await pause(50);
    }
    throw new Error(`never true: ${expression}; at ${String(await look('location.href'))}`);
  }

  await say('Page.enable');
  await say('Log.enable');
  return {
    look,
    until,
    faults,
    async open(url: string): Promise<void> {
      await say('Page.navigate', { url });
      await until(`document.readyState === 'complete' && location.href !== 'about:blank'`);
    },
    /** Types over what stands in a field, key by key as a person. */
    async type(selector: string, text: string): Promise<void> {
      await look(`document.querySelector(${JSON.stringify(selector)}).select()`);
      await say('Input.insertText', { text });
    },
    /** A click of the mouse in the middle of the thing. */
    async click(selector: string): Promise<void> {
      const at = (await look(`(() => { const thing = document.querySelector(${JSON.stringify(selector)});
        thing.scrollIntoView({ block: 'center' }); const box = thing.getBoundingClientRect();
        return { x: box.x + box.width / 2, y: box.y + box.height / 2 }; })()`)) as { x: number; y: number };
      for (const type of ['mousePressed', 'mouseReleased'])
        await say('Input.dispatchMouseEvent', { type, ...at, button: 'left', clickCount: 1 });
    },
    async close(): Promise<void> {
      const gone = once(child, 'exit');
      child.kill();
      await gone;
      socket.close();
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function debuggingAddress(stderr: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: stderr })) {
    const [, address] = /DevTools listening on ws:\/\/([^/]+)\//.exec(line) ?? [];
    if (address === undefined) continue;
    stderr.resume();
    return address;
  }
  throw new Error('the browser did not start');
}
