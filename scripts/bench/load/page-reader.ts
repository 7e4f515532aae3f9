import { Agent, request } from 'node:http';
import { answerCalls } from '../remote.ts';

// One person who reads one answer after another over a connection that stays open.

export type Page = { base: string; path: string; token: string };

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

const handlers = {
  /** Reads each page so many times; milliseconds until the last byte was there. */
  async read({ pages, times }: { pages: readonly Page[]; times: number }): Promise<number[][]> {
    const tookMs: number[][] = pages.map(() => []);
    for (let n = 0; n < times; n += 1)
      for (const [index, page] of pages.entries()) tookMs[index]?.push(await readOne(page));
    return tookMs;
  },
};
export type PageReader = typeof handlers;
answerCalls(handlers);

function readOne({ base, path, token }: Page): Promise<number> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const asked = request(
      `${base}${path}`,
      { agent, headers: { authorization: `Bearer ${token}` } },
      (answer) => {
        answer.resume();
        answer.once('error', reject);
        answer.once('end', () => {
          if (answer.statusCode === 200) resolve(performance.now() - startedAt);
          else reject(new Error(`${path} was answered ${answer.statusCode}`));
        });
      },
    );
    asked.once('error', reject);
    asked.end();
  });
}
