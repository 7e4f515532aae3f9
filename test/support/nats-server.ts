import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { lastingPort } from './lasting-port.ts';

/** Debian's package nats-server. Without it tests of several processes that speak through it are skipped. */
export const NATS = ['/usr/sbin/nats-server', '/usr/bin/nats-server'].find((file) => existsSync(file));

export type NatsServer = Awaited<ReturnType<typeof startNats>>;

/** A server of its own, with one account. Its address names the account; `bare` does not. */
export async function startNats() {
  const port = await lastingPort();
  const monitor = await lastingPort();
  const account = { user: 'farm', password: 'agua-salobra' };
  let child: ChildProcess | null = null;

  async function start(): Promise<void> {
    const listen = ['-a', '127.0.0.1', '-p', `${port}`, '-m', `${monitor}`];
    child = spawn(NATS ?? '', [...listen, '--user', account.user, '--pass', account.password], {
      stdio: 'ignore',
    });
    while (!(await takes(port)) || !(await takes(monitor))) await pause(20);
  }

  async function stop(): Promise<void> {
    if (child === null) return;
    const ended = new Promise((resolve) => child?.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
    child = null;
  }

  await start();
  return {
    port,
    url: `nats://${account.user}:${account.password}@127.0.0.1:${port}`,
    bare: `nats://127.0.0.1:${port}`,
    /** What its connections listen to, by connection. */
    async subscriptions(): Promise<string[][]> {
      const answer = await fetch(`http://127.0.0.1:${monitor}/connz?subs=1`);
      const { connections } = (await answer.json()) as { connections: { subscriptions_list?: string[] }[] };
      return connections.map(({ subscriptions_list = [] }) => subscriptions_list);
    },
    start,
    stop,
  };
}

function takes(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
