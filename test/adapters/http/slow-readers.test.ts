import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { joinFarm, startApp } from '#test/app.ts';
import { sendFile } from '#test/import-file.ts';
import { aStockedFarm } from '#test/stocked-farm.ts';

/** Longer than a right is taken for granted while an answer leaves. */
const A_WHILE_MS = 1_200;

const waterFile = (rows: number): string =>
  Array.from({ length: rows }, (_, n) => {
    const at = new Date(Date.UTC(2025, 1, 1) + n * 60_000).toISOString();
    const [, year, month, day, time] = /^(\d+)-(\d+)-(\d+)T(\d+:\d+)/.exec(at) ?? [];
    return `V-1;${day}/${month}/${year};${time};${4 + (n % 30) / 10}`.replaceAll('.', ',');
  })
    .toSpliced(0, 0, 'viveiro;data;hora;od')
    .join('\n');

describe('a long list that is read slowly', () => {
  it.each([
    ['ends with the right of its reader', true],
    ['comes whole to who may still read it', false],
  ])('%s', async (_what, isPutOut) => {
    const app = await startApp();
    try {
      const farm = await aStockedFarm(app);
      const reader = await app.signUp();
      await joinFarm(app, farm, reader, 'MANAGER');
      const sent = await sendFile(app, farm, 'measurements', {
        file: waterFile(16_000),
        query: '&dry_run=false',
      });
      expect(sent).toMatchObject({ status: 200, body: { imported: 16_000 } });
      const socket = connect(Number(new URL(app.base).port), '127.0.0.1');
      let last = '';
      socket.on('error', () => undefined);
      socket.write(
        [
          `GET /api/v1/water-quality/pond/${farm.ponds[0]?.id}?days=3650 HTTP/1.1`,
          'Host: 127.0.0.1',
          'Connection: close',
          `Authorization: Bearer ${reader.token}`,
          '\r\n',
        ].join('\r\n'),
      );
      await once(socket, 'readable');
      const path = `/farms/${farm.farmId}/members/${reader.user.id}`;
      if (isPutOut) expect((await app.call('DELETE', path, { token: farm.token })).status).toBeLessThan(300);
      await pause(A_WHILE_MS);
      const closed = once(socket, 'close');
      socket.on('data', (bytes) => {
        last = bytes.toString('latin1').slice(-7);
      });
      await closed;
      // what comes in chunks and is whole ends with an empty one
      expect(last.endsWith('0\r\n\r\n')).toBe(!isPutOut);
    } finally {
      await app.close();
    }
  });
});
