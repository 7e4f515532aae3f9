import { describe, expect, test } from 'vitest';
import { sparingLog } from '#adapters/log/json-log.ts';
import { createRefusals } from '#adapters/log/refusals.ts';
import type { Log } from '#core/kernel.ts';

type Line = { level: string; fields: Record<string, unknown>; sentence: string };

function writtenLog() {
  const lines: Line[] = [];
  const note = (level: string) => (fields: Record<string, unknown>, sentence: string) =>
    void lines.push({ level, fields, sentence });
  const log: Log = { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') };
  return { log, lines };
}

describe('what is refused', () => {
  test('is summed up by reason in one line, and the next line tells only what came after', () => {
    const { log, lines } = writtenLog();
    const refusals = createRefusals({ log }, ['mqtt', 'http']);
    for (let n = 0; n < 10_000; n++) refusals.count('mqtt', 'messages_over_rate', '192.168.1.7');
    for (let n = 0; n < 3; n++) refusals.count('http', '401 NOT_AUTHENTICATED', '192.168.1.8');
    refusals.tell();
    refusals.count('http', '413 BODY_TOO_LARGE', '192.168.1.8');
    refusals.tell();
    refusals.tell();
    expect(lines).toEqual([
      {
        level: 'warn',
        fields: {
          mqtt: { messages_over_rate: 10_000 },
          http: { '401 NOT_AUTHENTICATED': 3 },
          sources: { '192.168.1.7': 10_000, '192.168.1.8': 3 },
        },
        sentence: 'refused since the last such line',
      },
      {
        level: 'warn',
        fields: { http: { '413 BODY_TOO_LARGE': 1 }, sources: { '192.168.1.8': 1 } },
        sentence: 'refused since the last such line',
      },
    ]);
    expect(refusals.totals('http')).toEqual({ '401 NOT_AUTHENTICATED': 3, '413 BODY_TOO_LARGE': 1 });
  });

  test('takes bounded memory, whoever causes it, and the worst addresses are named', () => {
    const { log, lines } = writtenLog();
    const refusals = createRefusals({ log }, ['http']);
    for (let n = 0; n < 50; n++) refusals.count('http', '404 NOT_FOUND', 'the worst');
    for (let n = 0; n < 5_000; n++) refusals.count('http', `reason ${n}`, `address ${n}`);
    refusals.tell();
    const [line] = lines;
    expect(Object.keys(refusals.totals('http'))).toHaveLength(201);
    expect(Object.entries(line?.fields['sources'] ?? {}).slice(0, 2)).toEqual([
      ['others', 4_501],
      ['the worst', 50],
    ]);
    expect(JSON.stringify(line).length).toBeLessThan(8_000);
  });
});

describe('a sentence of the log', () => {
  test('is said twenty times a minute; the next one after that tells how many were left out', () => {
    const { log, lines } = writtenLog();
    const clock = { now: 0 };
    const sparing = sparingLog(log, () => clock.now);
    for (let n = 0; n < 1_000; n++) sparing.warn({ n }, 'a door is stuck');
    sparing.error({}, 'something else');
    clock.now = 60_000;
    sparing.warn({ n: 1_000 }, 'a door is stuck');
    sparing.warn({ n: 1_001 }, 'a door is stuck');
    expect(lines.filter(({ sentence }) => sentence === 'a door is stuck')).toHaveLength(22);
    expect(lines.at(-2)?.fields).toEqual({ n: 1_000, unsaid: 980 });
    expect(lines.at(-1)?.fields).toEqual({ n: 1_001 });
    expect(lines.some(({ sentence }) => sentence === 'something else')).toBe(true);
  });
});
