import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Database } from '#adapters/sql/database.ts';
import { accessQuery } from '#adapters/sql/queries/access.ts';
import { takenQueries } from '#adapters/sql/queries/control/commands.ts';
import { memberQueries } from '#adapters/sql/queries/people/members.ts';
import { farm, farmMember } from '#contract/resources/farms.ts';
import { user } from '#contract/resources/users.ts';
import type { WireChange } from '#contract/sync/wire.ts';
import { insert } from '#core/changes.ts';
import { membership } from '#features/people/membership.ts';
import { onBothEngines, type TestDatabase } from '#test/databases.ts';
import { aFarm, aMember, ana, aUser, idOf, norte } from './rows.ts';
import { logged, pair, pull, push, STREAM, shown } from './two-sides.ts';

// One side knows a role that the other's program is too old for. The older program is this one, told of a word that it
// does not know: what it is sent is the same but for that word.

onBothEngines('a role that the other side does not know', (open) => {
  let opened: TestDatabase[] = [];
  let gateway: Database;
  let hosted: Database;
  const bia = aUser({ id: idOf(1, 2), email: 'bia@farm.br', email_key: 'bia@farm.br' });
  beforeEach(async () => {
    opened = [
      await open({ streams: 'own', node: '0aaa0001' }),
      await open({ streams: 'by scope', now: () => Date.UTC(2026, 2, 1, 12), node: 'c0000001' }),
    ];
    [gateway, hosted] = opened.map(({ database }) => database) as [Database, Database];
    await pair(hosted);
    await pull(gateway, hosted);
    await gateway.commit({ changes: [insert(farm, aFarm()), insert(user, bia)], actor: ana });
    await push(gateway, hosted);
    await hosted.commit({
      changes: [insert(farmMember, aMember({ id: idOf(6, 1), user_id: bia.id, role: 'MANAGER' }))],
      actor: ana,
    });
    await pull(gateway, hosted);
  });
  afterEach(async () => {
    for (const { close } of opened) await close();
  });

  let made = 0;
  async function becomes(role: 'OPERATOR' | 'TECHNICIAN') {
    const deps = {
      now: () => Date.UTC(2026, 2, 1, 12),
      idOf: () => idOf(6, 100 + (made += 1)),
      queries: memberQueries(hosted.read),
    };
    const { changes } = await membership(deps, { farmId: norte, userId: bia.id, role });
    await hosted.commit({ changes, actor: ana });
  }
  async function pullOfOlder(): Promise<void> {
    const own = await gateway.read
      .selectFrom('sync_stream')
      .select('in_core_seq')
      .where('stream_id', '=', 1)
      .executeTakeFirstOrThrow();
    const told = await logged(hosted, STREAM, 'core', own.in_core_seq);
    const changes = told.map(
      (change) => JSON.parse(JSON.stringify(change).replaceAll('OPERATOR', 'STEWARD')) as WireChange,
    );
    const last = changes.at(-1);
    await gateway.commit({
      actor: null,
      changes: [],
      incoming: { from: 'hosted', streamId: 1, lane: 'core', changes },
      stream: {
        id: 1,
        expect: { in_core_seq: own.in_core_seq },
        set: last === undefined ? {} : { in_core_seq: last.seq, in_core_chain: last.chain },
      },
    });
  }
  const roleAtGateway = async () => (await accessQuery(gateway.read)('farm', norte, bia.id))?.role ?? null;

  it('leaves a manager who became an operator without any right there, orders from afar too', async () => {
    expect(await roleAtGateway()).toBe('MANAGER');
    await becomes('OPERATOR');
    await pullOfOlder();
    expect(await roleAtGateway()).toBeNull();
    expect(await shown(gateway, 'farm_members')).toEqual([]);
    expect(await takenQueries(gateway.read).isRefusedOn(norte, bia.id)).toBe(true);
    expect(await shown(hosted, 'farm_members')).toMatchObject([{ role: 'OPERATOR' }]);
  });

  it('and another role later is taken in', async () => {
    await becomes('OPERATOR');
    await pullOfOlder();
    await becomes('TECHNICIAN');
    await pullOfOlder();
    expect(await roleAtGateway()).toBe('TECHNICIAN');
  });

  it('is known once the program is newer, though it came before', async () => {
    await becomes('OPERATOR');
    const told = await logged(hosted, STREAM, 'core');
    await pullOfOlder();
    // as the program before OPERATOR wrote it aside
    const { read } = gateway;
    const aside = await read.selectFrom('sync_parked').select(['reason', 'change_json']).execute();
    expect(aside).toMatchObject([{ reason: expect.stringMatching(/^refused:role: /) as unknown }]);
    await read
      .updateTable('sync_parked')
      .set({
        reason: 'refused:role: Invalid option: expected one of "MANAGER"|"TECHNICIAN"|"VIEWER"',
        change_json: JSON.stringify(told.at(-1)),
        tried_schema: 1,
      })
      .execute();
    expect(JSON.stringify(told.at(-1))).toContain('OPERATOR');
    await gateway.commit({
      actor: null,
      changes: [],
      incoming: { from: 'hosted', streamId: 1, lane: 'core', changes: [] },
    });
    expect(await roleAtGateway()).toBe('OPERATOR');
    expect(await read.selectFrom('sync_parked').select('id').execute()).toEqual([]);
  });
});
