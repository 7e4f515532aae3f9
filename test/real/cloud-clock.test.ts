import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeOnPostgres, freshDatabase, type TestDatabase } from '#test/postgres.ts';
import { type LinkProxy, openLinkProxy } from '../../scripts/hosted/link-proxy.ts';
import { pairGateway } from '../../scripts/hosted/pair-gateway.ts';
import { type Json, type RealFarm, startFarm } from './a-farm.ts';
import { canMoveClocks, type StartedGateway, startGateway, until } from './started-gateway.ts';

// One process of a hosted instance whose clock is years off: what is edited there and at the farm in the same moment
// stands alike on both sides all the same, while its clock is wrong and after it was set right.

const TWO_YEARS_S = 2 * 365 * 86_400;
const PONDS = 6;

describe.skipIf(!canMoveClocks)('a process of the cloud', () => {
  describeOnPostgres('whose clock is two years ahead', () => {
    let database: TestDatabase;
    let wrong: StartedGateway;
    let farm: RealFarm;
    let line: LinkProxy;
    beforeAll(async () => {
      database = await freshDatabase();
      wrong = await startGateway({
        args: ['--role', 'hosted', '--database-url', database.url, '--rate-limits', 'no'],
        clockAheadS: TWO_YEARS_S,
      });
      farm = await startFarm();
      // what one side edits is under way to the other for a while
      line = await openLinkProxy({ port: wrong.ports.http }, { roundTripMs: 300 });
    });
    afterAll(async () => {
      await farm?.close();
      await line?.close();
      await wrong?.close();
      await database?.drop();
    });

    it('is not ready, and both sides agree on what both edited, then and when its clock is right again', async () => {
      const { status, body } = await wrong.call('GET', '/readyz');
      expect({ status, clock: (body as { checks: Json }).checks['clock'] }).toMatchObject({
        status: 503,
        clock: { ok: false, detail: expect.stringContaining('apart from the clock of the database') },
      });
      const login = { email: `dona-${randomUUID()}@nuvem.example`, password: `lagoa-${randomUUID()}` };
      await wrong.call('POST', '/auth/register', { body: { ...login, name: 'Dona', role: 'OWNER' } });
      const token = async () => {
        const answer = await wrong.call('POST', '/auth/login', { body: login });
        return String((answer.body as Json)['access_token']);
      };
      // a plan of the cloud allows fewer
      const ponds: string[] = [];
      for (let n = 0; n < PONDS; n += 1) ponds.push((await farm.point()).pond_id);
      const before = await token();
      await pairGateway({
        data: farm.data,
        link: `http://127.0.0.1:${line.port}`,
        hosted: wrong.http,
        ownerToken: before,
      });
      await agreed(ponds, before);
      expect(await editedOnBothSides(ponds, before, 'ahead')).toEqual([]);
      expect(await editedLaterAtTheFarm(ponds, before)).toEqual([]);
      await wrong.stop();
      wrong.stepClock(-TWO_YEARS_S);
      await wrong.start();
      const after = await token();
      await until(
        async () => (await wrong.call('GET', '/readyz')).status,
        (ready) => ready === 200,
      );
      expect(await editedOnBothSides(ponds, after, 'right')).toEqual([]);
    });

    const afar = async (id: string, token: string) =>
      (await wrong.call('GET', `/ponds/${id}`, { token })).body as Json;

    /** Every pond is known on both sides, alike. Answers those that are not, in the end. */
    async function agreed(
      ponds: readonly string[],
      token: string,
      fits: (cod: string) => boolean = () => true,
    ) {
      const differing = async () => {
        const told: unknown[] = [];
        for (const id of ponds) {
          const [here, there] = [await farm.get(`/ponds/${id}`), await afar(id, token)];
          if (here['cod'] !== there['cod'] || !fits(String(here['cod'])))
            told.push([here['cod'], there['cod']]);
        }
        return told;
      };
      return until(differing, (told) => told.length === 0).catch(differing);
    }

    /** While neither hears of the other: what was edited last stands on both sides. */
    async function editedLaterAtTheFarm(ponds: readonly string[], token: string) {
      line.cut();
      for (const id of ponds)
        await wrong.call('PUT', `/ponds/${id}`, { token, body: { cod: `cloud-${id}` } });
      await pause(1_000);
      for (const id of ponds) await farm.put(`/ponds/${id}`, { cod: `farm-${id}` });
      line.restore();
      return agreed(ponds, token, (cod) => cod.startsWith('farm-'));
    }

    async function editedOnBothSides(ponds: readonly string[], token: string, round: string) {
      await Promise.all(
        ponds.map(async (id, n) => {
          const body = (side: string) => ({ cod: `${side}-${round}-${n}` });
          await Promise.all([
            farm.put(`/ponds/${id}`, body('farm')),
            wrong.call('PUT', `/ponds/${id}`, { token, body: body('cloud') }),
          ]);
        }),
      );
      return agreed(ponds, token, (cod) => cod.includes(`-${round}-`));
    }
  });
});
