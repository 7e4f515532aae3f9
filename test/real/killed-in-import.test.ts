import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readStrictCsv } from '#test/read-csv.ts';
import { type Json, type RealFarm, startFarm } from './a-farm.ts';
import { until } from './started-gateway.ts';

// A long file is written in slices while people go on writing down what they see; the power goes in the middle of a slice.

const KILLS = Number(process.env['KILLS'] ?? 4);
const ROWS = 2_000;

describe('a box that is killed in the middle of an import', () => {
  let farm: RealFarm;
  let pond: Json;
  beforeAll(async () => {
    farm = await startFarm();
    const { pond_id } = await farm.point();
    pond = await farm.get(`/ponds/${pond_id}`);
  });
  afterAll(() => farm?.close());

  const fileOf = (round: number) =>
    ['viveiro;data;hora;od']
      .concat(
        Array.from({ length: ROWS }, (_, n) => {
          const day = String((round % 28) + 1).padStart(2, '0');
          const minute = Math.floor((n * 1_440) / ROWS);
          const at = [Math.floor(minute / 60), minute % 60, n % 60].map((each) =>
            String(each).padStart(2, '0'),
          );
          return `${String(pond['cod'])};2025-0${1 + Math.floor(round / 28)}-${day};${at.join(':')};${5 + (n % 9) / 10}`;
        }),
      )
      .join('\n');
  const bring = (file: string) =>
    fetch(`${farm.http}/api/v1/imports/measurements?farm_id=${farm.farmId}&dry_run=false&background=true`, {
      method: 'POST',
      body: file,
      headers: { Authorization: `Bearer ${farm.token}`, 'Content-Type': 'text/csv' },
    });
  const waterOf = async () => {
    const { body } = await farm.ask('GET', `/exports/water-quality/csv?pond_id=${String(pond['id'])}`);
    return readStrictCsv(String(body)).slice(1);
  };

  it(`keeps every note that was acknowledged, and each row of the file once when it is sent again (${KILLS} kills)`, async () => {
    const noted: string[] = [];
    let isUp = true;
    const writeDown = async () => {
      while (isUp) {
        try {
          const { status, body } = await farm.ask('POST', `/ponds/${String(pond['id'])}/records`, {
            kind: 'NOTE',
            text: 'Água verde',
          });
          if (status === 201) noted.push(String((body as Json)['id']));
        } catch {
          // the line broke with the box
        }
      }
    };
    let halves = 0;
    for (let round = 0; round < KILLS; round += 1) {
      const file = fileOf(round);
      isUp = true;
      const writing = writeDown();
      const sent = await bring(file);
      expect(sent.status).toBe(202);
      // at any moment, and every other time when its first rows are there, however slow the machine is
      if (round % 2 === 0) await pause(20 + ((round * 397) % 1_000));
      else await until(waterOf, (rows) => rows.length > round * ROWS);
      isUp = false;
      await farm.kill();
      await writing;
      await farm.start();
      const before = (await waterOf()).length - round * ROWS;
      expect(before).toBeGreaterThanOrEqual(0);
      if (before > 0 && before < ROWS) halves += 1;
      expect((await bring(file)).status).toBe(202);
      const again = await until(
        async () => (await farm.list(`/imports/?farm_id=${farm.farmId}`))[0] ?? {},
        ({ state }) => !/CHECKING|IMPORTING/.test(String(state)),
      );
      expect(again, JSON.stringify(again)).toMatchObject({ state: 'DONE' });
      const rows = await waterOf();
      expect(rows).toHaveLength((round + 1) * ROWS);
    }
    const kept = new Set<string>();
    for (const id of noted) {
      const { status } = await farm.ask('GET', `/records/${id}`);
      if (status === 200) kept.add(id);
    }
    expect([noted.length > KILLS, kept.size]).toEqual([true, noted.length]);
    // at least one of them died in the middle
    expect(halves).toBeGreaterThan(0);
  });
});
