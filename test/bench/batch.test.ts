import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { csvText } from '#core/csv-text.ts';
import { inEach } from '#core/each-language.ts';
import { type BatchWish, openBatchRecord, readRows, runBatch } from '../../gateway/bench/batch-run.ts';
import type { BenchJobInput, JobResult, Progress } from '../../gateway/bench/job.ts';
import type { Point } from '../../gateway/bench/provision-gateway.ts';
import { BenchTrouble } from '../../gateway/bench/trouble.ts';

const points: Point[] = ['CP-1', 'CP-2', 'CP-3'].map((cod, n) => ({
  id: `00000000-0000-4000-8000-00000000000${n}`,
  farm_id: '00000000-0000-4000-8000-000000000009',
  cod,
  device_id: `aer-${n + 1}`,
  locked_out: false,
}));
const wish: BatchWish = {
  wifi: null,
  waitS: 90,
  selfTest: { min_current_ma: null },
  bundle: '/firmware/1.2.0',
  trust: { firmware_keys: null, allow_unsigned: true },
  baud: undefined,
  most: 100,
};

describe('a batch of boards', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'batch-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** A technician who plugs these boards in, one after the other, and pulls each when told to. */
  async function bench(boards: { mac: string; fault?: BenchTrouble }[], most = 100) {
    const queue = [...boards];
    let inPort = queue.shift();
    let ms = 0;
    const jobs: string[] = [];
    const labelled: string[] = [];
    const noted: string[] = [];
    const told: Progress[] = [];
    const run = async (job: BenchJobInput): Promise<JobResult> => {
      jobs.push(job.kind);
      if (inPort?.fault !== undefined && job.kind === 'flash') throw inPort.fault;
      ms += 2_000;
      return job.kind === 'self_test'
        ? { motor_current_ma: 3_000 }
        : { mac: inPort?.mac, chip: 'ESP32', firmware_version: '1.2.0', has_claim: true };
    };
    const record = await openBatchRecord(folder);
    const stop = new AbortController();
    const outcome = await runBatch(
      {
        run,
        record,
        gateway: {
          issue: async (of) => ({
            keyId: `key-${of.cod}`,
            identity: anIdentity(of.device_id),
            labelledMac: null,
          }),
          keepLabel: async ({ cod }, { mac }) => void noted.push(`${cod} ${mac}`),
          isUsed: async () => true,
        },
        label: async ({ cod }) => void labelled.push(cod),
        freePorts: async () => (inPort === undefined ? [] : ['/dev/ttyUSB0']),
        pause: async () => {
          // the board was pulled, and the next one is put in
          inPort = inPort === undefined ? queue.shift() : undefined;
          if (inPort === undefined && queue.length === 0) stop.abort();
          ms += 500;
        },
        language: 'en',
        monotonic: () => ms,
        now: () => Date.UTC(2026, 2, 2, 12) + ms,
      },
      points,
      { ...wish, most },
      { tell: (progress) => void told.push(progress), signal: stop.signal },
    );
    return { outcome, jobs, labelled, noted, told };
  }

  it('gives each board its control point, proves it, labels it and writes it down', async () => {
    const { outcome, jobs, labelled, noted } = await bench([{ mac: 'm1' }, { mac: 'm2' }, { mac: 'm3' }]);
    expect(outcome).toEqual({ done: 3, failed: 0, left: 0 });
    expect(jobs.slice(0, 4)).toEqual(['detect', 'flash', 'provision', 'self_test']);
    expect(labelled).toEqual(['CP-1', 'CP-2', 'CP-3']);
    expect(noted).toEqual(['CP-1 m1', 'CP-2 m2', 'CP-3 m3']);
    const [head, first] = readFileSync(join(folder, 'results.csv'), 'utf8').split('\r\n');
    expect(head).toBe(
      'at,control_point,device_id,mac,chip,firmware_version,result,message,motor_current_ma,seconds',
    );
    expect(first).toBe('2026-03-02T12:00:08.000Z,CP-1,aer-1,m1,ESP32,1.2.0,ok,,3000,8');
  });

  it('writes down why a board failed, and gives its control point to the next board', async () => {
    const fault = new BenchTrouble('FLASH_FAULT', {
      message: inEach('bloco 3, recusado', 'block 3, not taken', 'bloque 3, rechazado'),
      next: inEach('use outra "placa"', 'take another "board"', 'use otra "placa"'),
    });
    const { outcome, labelled } = await bench([{ mac: 'bad', fault }, { mac: 'good' }], 2);
    expect(outcome).toEqual({ done: 1, failed: 1, left: 2 });
    expect(labelled).toEqual(['CP-1']);
    const rows = readRows(readFileSync(join(folder, 'results.csv'), 'utf8'));
    expect(rows.slice(1).map((row) => [row[1], row[3], row[6], row[7]])).toEqual([
      ['CP-1', 'bad', 'FLASH_FAULT', 'block 3, not taken. Next: take another "board"'],
      ['CP-1', 'good', 'ok', ''],
    ]);
  });

  it('goes on where it was broken off, and makes no board two control points', async () => {
    await bench([{ mac: 'm1' }], 1);
    const { outcome, told, labelled } = await bench([{ mac: 'm1' }, { mac: 'm2' }], 1);
    expect(outcome).toEqual({ done: 1, failed: 0, left: 1 });
    expect(labelled).toEqual(['CP-2']);
    expect(told.map(({ message }) => message.en)).toContain('this board is aer-1 already; take the next one');
  });

  it('reads back whatever it writes down', () => {
    const csv = csvText({ separator: 'comma', bom: '0' });
    const cell = fc.string({
      maxLength: 12,
      unit: fc.constantFrom('a', '"', ',', '\r\n', '=', "'", ';', ' ', '-', 'ã'),
    });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constant('x'), cell, cell, fc.constant('y')), { maxLength: 5 }),
        (rows) => {
          // a cell that a person began with an apostrophe before a formula sign is the one thing that is not the same
          fc.pre(rows.flat().every((one) => !/^'[=+\-@\t\r]/.test(one)));
          expect(readRows(rows.map((row) => csv.row(row)).join(''))).toEqual(rows);
        },
      ),
      { numRuns: 300 },
    );
  });
});

function anIdentity(device_id: string) {
  return {
    device_id,
    mqtt_id: device_id,
    key: 'k',
    gw_host: '10.0.0.5',
    gw_http: 8080,
    gw_mqtt: 1883,
    gw_mqtts: 0,
    gw_pin: null,
    cp: null,
    fail_safe: null,
    claim: 'K7QX9M2P4RTWAAAA',
  };
}
