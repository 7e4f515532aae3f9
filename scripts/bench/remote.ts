import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

// Calls to functions of another process: the load must not share a thread with what it measures.

export type Handlers = Readonly<Record<string, (input: never) => Promise<unknown>>>;

export type Remote<H extends Handlers> = {
  call: <Name extends keyof H & string>(
    name: Name,
    input: Parameters<H[Name]>[0],
  ) => Promise<Awaited<ReturnType<H[Name]>>>;
  stop: () => Promise<void>;
};

type Question = { id: number; name: string; input: unknown };
type Reply = { id: number; answer?: unknown; error?: string };

/** In the other process: answers the calls of the one that started it. */
export function answerCalls(handlers: Handlers): void {
  process.on('message', (message) => {
    // only startRemote writes to this channel
    const { id, name, input } = message as Question;
    const handler = handlers[name];
    const work = handler === undefined ? Promise.reject(new Error(`no ${name}`)) : handler(input as never);
    work.then(
      (answer) => process.send?.({ id, answer } satisfies Reply),
      (error: unknown) => {
        const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
        process.send?.({ id, error: text } satisfies Reply);
      },
    );
  });
  process.on('disconnect', () => process.exit(0));
}

/** Starts a file that calls `answerCalls`. */
export function startRemote<H extends Handlers>(file: URL): Remote<H> {
  const child = fork(file, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const waiting = new Map<number, { resolve: (answer: unknown) => void; reject: (error: Error) => void }>();
  let count = 0;
  child.on('message', (message) => {
    // only answerCalls writes to this channel
    const { id, answer, error } = message as Reply;
    const call = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) call?.resolve(answer);
    else call?.reject(new Error(error));
  });
  child.once('exit', (code, signal) => {
    for (const { reject } of waiting.values())
      reject(new Error(`the load process ended (${code ?? signal})`));
  });
  return {
    call: (name, input) =>
      new Promise((resolve, reject) => {
        count += 1;
        // the type of the handlers says what this name answers
        waiting.set(count, { resolve: resolve as (answer: unknown) => void, reject });
        child.send({ id: count, name, input } satisfies Question);
      }),
    stop: () => stopped(child),
  };
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

export async function stopAll(remotes: readonly { stop: () => Promise<void> }[]): Promise<void> {
  await Promise.all(remotes.map((remote) => remote.stop()));
}
