import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSendThread } from '#adapters/delivery/send-thread/send-thread.ts';
import { newVapidKeys } from '#adapters/delivery/vapid-keys.ts';
import type { Outgoing } from '#features/alarms/delivery/ports.ts';

describe('messages are posted from a thread of their own', () => {
  const heard: string[] = [];
  const held: (() => void)[] = [];
  const server = createServer((request, response) => {
    heard.push(String(request.headers['webhook-id']));
    if (request.url === '/never') held.push(() => response.end());
    else response.writeHead(204).end();
  });
  const data = {
    role: 'gateway' as const,
    inside: [{ address: '127.0.0.1', bits: 32, family: 'ipv4' as const }],
    channelSecret: 'a secret of this test',
    vapid: newVapidKeys(),
    contact: 'mailto:farm@farm.example',
  };
  const goes = new AbortController().signal;
  const unexpected = (error: unknown) => {
    throw error;
  };
  const ownWorker = (given: unknown) =>
    new Worker(new URL('../../gateway/adapters/delivery/send-thread/worker.ts', import.meta.url), {
      workerData: given,
    });
  let base = '';
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    for (const end of held) end();
    server.closeAllConnections();
    server.close();
  });
  const message = (id: string, path = '/'): Outgoing => ({
    id,
    purpose: 'NOTICE',
    address: `${base}${path}`,
    keys: { generation: '1' },
    channelId: 'channel',
    title: 'Oxigênio baixo',
    text: ['Viveiro V1'],
    language: 'pt-BR',
    isCritical: true,
    at: Date.now(),
    notification: null,
  });

  it('hundreds at once, each answered by what became of it', async () => {
    const thread = createSendThread(data, { died: unexpected });
    const send = thread.sendOf('WEBHOOK');
    const ids = Array.from({ length: 300 }, (_, n) => `many-${n}`);
    const outcomes = await Promise.all(ids.map((id) => send(message(id), goes)));
    expect(new Set(outcomes.map(({ is }) => is))).toEqual(new Set(['sent']));
    expect(heard.filter((id) => id.startsWith('many-')).toSorted()).toEqual(ids.toSorted());
    await thread.close();
  });

  it('what a thread that dies had under way comes again after a rest, counts as no attempt, and is said once', async () => {
    const deaths: unknown[] = [];
    const started: string[] = [];
    const clock = { ms: 5_000 };
    const thread = createSendThread(data, {
      died: (error) => deaths.push(error),
      restMs: 300,
      monotonic: () => clock.ms,
      startWorker(given) {
        started.push('one');
        return started.length === 1
          ? new Worker('setTimeout(() => process.exit(3), 20)', { eval: true })
          : ownWorker(given);
      },
    });
    const send = thread.sendOf('WEBHOOK');
    const had = await Promise.all([send(message('lost-1'), goes), send(message('lost-2'), goes)]);
    expect(had).toEqual(
      Array(2).fill({
        is: 'later',
        of: 'all',
        why: expect.stringMatching(/error of this instance/) as unknown,
        afterMs: 300,
      }),
    );
    expect(deaths.map(String)).toEqual(['Error: the sending thread ended with 3']);
    expect(await send(message('soon'), goes)).toMatchObject({ is: 'later' });
    clock.ms += 299;
    expect(await send(message('too soon'), goes)).toMatchObject({ is: 'later' });
    expect(started).toHaveLength(1);
    clock.ms += 1;
    expect(await send(message('next'), goes)).toEqual({ is: 'sent' });
    expect(deaths).toHaveLength(1);
    await thread.close();
  });

  it('a thread that answers no more gives its messages back', async () => {
    const deaths: unknown[] = [];
    const thread = createSendThread(data, {
      died: (error) => deaths.push(error),
      answerWithinMs: 60,
      startWorker: () =>
        new Worker('require("node:worker_threads").parentPort.on("message", () => undefined)', {
          eval: true,
        }),
    });
    expect(await thread.sendOf('WEBHOOK')(message('unheard'), goes)).toMatchObject({ is: 'later' });
    expect(deaths.map(String)).toEqual(['Error: the sending thread answers no more']);
    await thread.close();
  });

  it('a message that was under way whenever the thread died uses up its own attempts', async () => {
    const thread = createSendThread(data, {
      died: () => undefined,
      restMs: 0,
      startWorker: () => new Worker('process.exit(3)', { eval: true }),
    });
    const outcomes: string[] = [];
    for (let n = 0; n < 4; n += 1)
      outcomes.push((await thread.sendOf('WEBHOOK')(message('poison'), goes)).is);
    expect(outcomes).toEqual(['later', 'later', 'retry', 'later']);
    await thread.close();
  });

  it('a stop of the program waits for no answer', async () => {
    const thread = createSendThread(data, { died: unexpected });
    const stopping = new AbortController();
    const send = thread.sendOf('WEBHOOK');
    const waiting = send(message('slow', '/never'), stopping.signal);
    await expect.poll(() => heard).toContain('slow');
    stopping.abort(new Error('the program stops'));
    await expect(waiting).rejects.toThrow('the program stops');
    await expect(send(message('late'), stopping.signal)).rejects.toThrow('the program stops');
    await thread.close();
  });

  it('a message that cannot be made is a fault of its own', async () => {
    const thread = createSendThread(
      { ...data, vapid: { publicKey: '', privateKey: '' } },
      { died: unexpected },
    );
    const push = { ...message('push'), keys: { p256dh: 'no key', auth: 'none' } };
    expect(await thread.sendOf('WEB_PUSH')(push, goes)).toMatchObject({ is: 'refused' });
    expect(await thread.sendOf('WEBHOOK')(message('after'), goes)).toEqual({ is: 'sent' });
    await thread.close();
  });
});
