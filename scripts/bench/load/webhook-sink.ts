import { Agent, request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { answerCalls } from '../remote.ts';

// The other end of ten thousand webhooks, and the least a program can do to call them. In life it is on other machines:
// it takes what comes with no more work than counting needs.

const seen = new Set<string>();
const waiting: { count: number; release: () => void }[] = [];
const state = { repeats: 0, body: '{}' };

const TAKEN = 'HTTP/1.1 204 No Content\r\n\r\n';

const server = createServer((socket) => {
  let held = '';
  // a caller that goes away
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => {
    held += chunk.toString('latin1');
    for (;;) {
      const end = held.indexOf('\r\n\r\n') + 4;
      const head = held.slice(0, Math.max(0, end));
      const whole = end + Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (end < 4 || held.length < whole) return;
      take(/webhook-id: (\S+)/i.exec(head)?.[1] ?? '', held.slice(end, whole));
      held = held.slice(whole);
      socket.write(TAKEN);
    }
  });
});

function take(id: string, body: string): void {
  if (seen.has(id)) state.repeats += 1;
  seen.add(id);
  state.body = body;
  for (const { count, release } of waiting) if (seen.size >= count) release();
}

const handlers = {
  async listen(_input: undefined): Promise<{ url: string }> {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    // a server that listens on a port has an address with one
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  },

  /** Resolves when so many different ones came since the last time; answers how many came twice. */
  async wait({ count }: { count: number }): Promise<{ repeats: number }> {
    if (seen.size < count) await new Promise<void>((release) => waiting.push({ count, release }));
    const { repeats } = state;
    seen.clear();
    waiting.length = 0;
    state.repeats = 0;
    return { repeats };
  },

  /** Posts the body of the last one so often to another sink; answers how long it took. */
  async post({ url, count, parallel, body }: { url: string; count: number; parallel: number; body: string }) {
    const agent = new Agent({ keepAlive: true, maxSockets: parallel });
    const startedAt = performance.now();
    const state = { next: 0 };
    const lane = async () => {
      while (state.next < count) {
        state.next += 1;
        await postOnce(url, agent, { id: String(state.next), body: Buffer.from(body) });
      }
    };
    await Promise.all(Array.from({ length: parallel }, lane));
    agent.destroy();
    return performance.now() - startedAt;
  },

  async lastBody(_input: undefined): Promise<string> {
    return Buffer.from(state.body, 'latin1').toString('utf8');
  },
};

function postOnce(url: string, agent: Agent, { id, body }: { id: string; body: Buffer }): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'webhook-id': id, 'content-type': 'application/json', 'content-length': body.length };
    const asked = request(url, { method: 'POST', agent, headers }, (response) => {
      response.resume().once('end', resolve);
    });
    asked.once('error', reject);
    asked.end(body);
  });
}

export type WebhookSink = typeof handlers;
answerCalls(handlers);
