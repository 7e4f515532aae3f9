import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { utils, write } from '@e965/xlsx';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RealFarm, startFarm } from './a-farm.ts';

// What costs the sender little must not cost the loop much: heartbeats and orders wait behind it. Processor time is
// looked at, which a busy machine does not change: of the whole, and of the longest that health waited meanwhile.

const MIB = 1_048_576;
const nested = (deep: number) => `${'['.repeat(deep)}${']'.repeat(deep)}`;

describe('a body that is made to hold the loop', () => {
  let farm: RealFarm;
  beforeAll(async () => {
    farm = await startFarm();
  });
  afterAll(() => farm.close());

  /** Sends bodies whose last byte comes together; answers their statuses, and the processor time that they took, ms. */
  async function together(count: number, path: string, body: string, headers: Record<string, string> = {}) {
    const told: Promise<number>[] = [];
    const ends: (() => void)[] = [];
    for (let n = 0; n < count; n += 1) {
      const socket = connect(farm.ports.http, '127.0.0.1');
      const lines = Object.entries({
        Host: 'localhost',
        'Content-Type': 'application/json',
        'Content-Length': String(body.length),
        Connection: 'close',
        ...headers,
      }).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.write(`POST /api/v1${path} HTTP/1.1\r\n${lines.join('')}\r\n${body.slice(0, -1)}`);
      ends.push(() => void socket.write(body.slice(-1)));
      told.push(
        new Promise((resolve) => {
          let text = '';
          socket.on('data', (chunk) => {
            text += chunk.toString('latin1');
          });
          socket.on('error', () => undefined);
          socket.on('close', () => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0)));
        }),
      );
    }
    await pause(300);
    const before = farm.cpuMs();
    for (const end of ends) end();
    const statuses = await Promise.all(told);
    return { statuses: [...new Set(statuses)], cpuMs: farm.cpuMs() - before };
  }

  async function upload(file: string | Uint8Array<ArrayBuffer>) {
    const before = farm.cpuMs();
    const sent = fetch(`${farm.http}/api/v1/imports/feeding?farm_id=${farm.farmId}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${farm.token}`, 'Content-Type': 'text/csv' },
      body: file,
    });
    let longestCpuMs = 0;
    let isOver = false;
    const looks = (async () => {
      while (!isOver) {
        const asked = farm.cpuMs();
        await farm.call('GET', '/healthz');
        longestCpuMs = Math.max(longestCpuMs, farm.cpuMs() - asked);
      }
    })();
    const answer = await sent;
    isOver = true;
    await looks;
    const body: unknown = await answer.json();
    return {
      status: answer.status,
      body,
      cpuMs: farm.cpuMs() - before,
      longestCpuMs,
    };
  }

  it('of somebody who proved nothing is refused before it is read', async () => {
    for (const path of ['/devices/heartbeat', '/auth/login', '/ponds/']) {
      const { statuses, cpuMs } = await together(40, path, nested(MIB / 2));
      // of those that hang up on what is not wanted the answer may be lost
      expect(statuses.filter((status) => status !== 0 && status !== 413 && status !== 401)).toEqual([]);
      expect(cpuMs).toBeLessThan(1_000);
    }
    const answer = await farm.call('POST', '/devices/heartbeat', { body: { device_id: 'x'.repeat(17_000) } });
    expect(answer).toMatchObject({ status: 413, body: { code: 'BODY_TOO_LARGE' } });
  });

  it('that is nested is refused by its bytes, from whoever it comes', async () => {
    const anonymous = await together(40, '/devices/heartbeat', nested(8_000));
    expect(anonymous.statuses).toEqual([400]);
    expect(anonymous.cpuMs).toBeLessThan(1_000);
    const known = await together(20, '/ponds/', nested(500_000), { Authorization: `Bearer ${farm.token}` });
    expect(known.statuses).toEqual([400]);
    expect(known.cpuMs).toBeLessThan(2_000);
  });

  it.each([
    ['of quotes', `pond,date\n"${'""'.repeat(3.5 * MIB)}"`],
    ['of separators', `pond,date\n${','.repeat(7 * MIB)}`],
    ['of empty lines', `pond,date\n${'\n'.repeat(7 * MIB)}`],
    ['of one long cell', `pond,date\n${'a'.repeat(7 * MIB)}`],
    ['of a header without end', ','.repeat(7 * MIB)],
    ['of quoted commas in a header', '",'.repeat(3.5 * MIB)],
    ['of one cell of digits', `batch,date\n${'1'.repeat(7 * MIB)}`],
  ])('that is a table %s is refused in a moment, and the box is there meanwhile', async (_what, text) => {
    const { status, body, cpuMs, longestCpuMs } = await upload(text);
    expect({ status, body }).toMatchObject({ status: 422, body: { code: 'NOT_A_TABLE' } });
    // to receive and decode seven megabytes is most of it
    expect(cpuMs).toBeLessThan(800);
    expect(longestCpuMs).toBeLessThan(500);
  });

  it('that is a table of figures without end is read in turn with everything else', async () => {
    const figure = '1'.repeat(30_000);
    const rows = Array.from({ length: 60 }, () => `${figure},${figure} kg,<${figure},${figure}`);
    const { status, body, longestCpuMs } = await upload(
      `batch,date,feed_type,quantity_kg\n${rows.join('\n')}`,
    );
    expect({ status, body }).toMatchObject({ status: 200, body: { to_import: 0 } });
    expect(longestCpuMs).toBeLessThan(500);
    const heads = Array.from({ length: 900 }, (_, n) => `OD (mg/L) ${n % 24}:${n % 60}`).join(',');
    const wide = await upload(`${heads}\n`.repeat(200));
    expect(wide.status).toBe(422);
    expect(wide.longestCpuMs).toBeLessThan(500);
  });

  it('that is a workbook of many rows is read beside, and the box is there meanwhile', async () => {
    const rows = Array.from({ length: 2_000 }, (_, n) => ['L-0', '2026-01-13', '35 %', n + 0.5]);
    const book = utils.book_new();
    utils.book_append_sheet(
      book,
      utils.aoa_to_sheet([['batch', 'date', 'feed_type', 'quantity_kg'], ...rows]),
      'Feed',
    );
    const file = new Uint8Array(
      write(book, { type: 'array', bookType: 'xlsx', compression: true }) as ArrayBuffer,
    );
    const { status, body, longestCpuMs } = await upload(file);
    // no such batch, told of every row
    expect({ status, body }).toMatchObject({ status: 200, body: { rows: 2_000, errors_total: 2_000 } });
    expect(longestCpuMs).toBeLessThan(500);
  });
});
