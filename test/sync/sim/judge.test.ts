import { expect, it } from 'vitest';
import { controlPoint } from '#contract/resources/control-points.ts';
import { pond } from '#contract/resources/ponds.ts';
import { user } from '#contract/resources/users.ts';
import { newRegister } from '#store/register.ts';
import { compare } from './check.ts';
import { createLedger } from './ledger.ts';
import type { KnownRow, ReplicaState } from './replica-state.ts';
import type { Row, Side } from './things.ts';

// The judge of the simulated pairs: what it lets pass, and what it does not.

const ID = '40000000-0000-4000-8000-000000000001';

function aLedger() {
  const ledger = createLedger(new Map([['ponds', pond as unknown as KnownRow['resource']]]));
  const wrote = (side: Side, saw: string, cod: string) =>
    ledger.note(
      side,
      { rows: [{ table: 'ponds', id: ID, before: { cod: saw }, after: { cod }, rev: 2, hidden: false }] },
      newRegister,
    );
  return { ledger, wrote };
}

const stateOf = (cod: string | null, aside: readonly Record<string, unknown>[] = []): ReplicaState => ({
  rows: new Map(
    cod === null
      ? []
      : [
          [
            `ponds ${ID}`,
            {
              resource: pond as unknown as KnownRow['resource'],
              row: { id: ID, cod } as Row,
              isHidden: false,
              register: null,
            },
          ],
        ],
  ),
  dropped: new Map(),
  parked: new Map(aside.length === 0 ? [] : [[`ponds ${ID}`, aside.map((one) => JSON.stringify(one))]]),
});

const lost = (ledger: ReturnType<typeof aLedger>['ledger'], state: ReplicaState) =>
  ledger.missing([state]).map(({ value }) => value);

it('a code is replaced by whoever saw what it had become, and by nobody else', () => {
  const { ledger, wrote } = aLedger();
  wrote('hosted', 'V-1', 'V-2');
  wrote('hosted', 'V-2~27dfg', 'V-3');
  expect(lost(ledger, stateOf('V-3'))).toEqual([]);
  const other = aLedger();
  other.wrote('hosted', 'V-1', 'V-2');
  other.wrote('hosted', 'V-4~27dfg', 'V-3');
  expect(lost(other.ledger, stateOf('V-3'))).toEqual(['{"cod":"V-2"}']);
});

it('of two sides that wrote the same neither lost it when one replaced it; one that wrote it afterwards did', () => {
  const { ledger, wrote } = aLedger();
  wrote('gateway', 'V-1', 'V-2');
  wrote('gateway', 'V-2', 'V-3');
  wrote('hosted', 'V-1', 'V-2');
  expect(lost(ledger, stateOf('V-3'))).toEqual([]);
  const other = aLedger();
  other.wrote('gateway', 'V-2', 'V-3');
  other.wrote('hosted', 'V-1', 'V-2');
  expect(lost(other.ledger, stateOf('V-3'))).toEqual(['{"cod":"V-2"}']);
});

it('a value is kept aside as a column of a row or as a group, whatever they are called', () => {
  const { ledger, wrote } = aLedger();
  wrote('gateway', 'V-1', 'V-2');
  expect(lost(ledger, stateOf(null, [{ body: { id: ID, cod: 'V-2' } }]))).toEqual([]);
  expect(lost(ledger, stateOf(null, [{ body: { cod: { cod: 'V-2' } } }]))).toEqual([]);
  expect(lost(ledger, stateOf(null, [{ body: { id: ID, cod: 'V-1' } }]))).toEqual(['{"cod":"V-2"}']);
});

it('an account differs in just the word that an administrator is asked about, and only where it is the later one', () => {
  const account = (email: string, stamp: string): ReplicaState => ({
    rows: new Map([
      [
        `users ${ID}`,
        {
          resource: user as unknown as KnownRow['resource'],
          row: { id: ID, email, email_key: email } as Row,
          isHidden: false,
          register: { cl: 1, hlc: '1', over: { email: stamp } },
        },
      ],
    ]),
    dropped: new Map(),
    parked: new Map(),
  });
  const asked = new Map([[`users ${ID}`, [{ email: 'b@farm.br', email_key: 'b@farm.br' }]]]);
  const differs = (here: ReplicaState) => compare(here, account('a@farm.br', '2'), asked).length > 0;
  expect(differs(account('b@farm.br', '3'))).toBe(false);
  expect(differs(account('b@farm.br', '1'))).toBe(true);
  expect(differs(account('c@farm.br', '3'))).toBe(true);
});

it('an edit whose value somebody else wrote, too, is no proof that its card is there still', () => {
  const { ledger, wrote } = aLedger();
  wrote('gateway', 'V-1', 'V-2');
  wrote('gateway', 'V-2', 'V-3');
  expect(ledger.replacing(`ponds ${ID}`, 'cod', { cod: 'V-2' })).toHaveLength(1);
  wrote('hosted', 'V-1', 'V-3');
  expect(ledger.replacing(`ponds ${ID}`, 'cod', { cod: 'V-2' })).toEqual([]);
});

it('a conflict is superfluous where whoever wrote the value that stands had seen the other one, and no disk went back since', () => {
  const { ledger, wrote } = aLedger();
  wrote('gateway', 'V-1', 'V-2');
  wrote('hosted', 'V-2', 'V-3');
  wrote('hosted', 'V-3', 'V-4');
  wrote('gateway', 'V-2', 'V-5');
  const hadSeen = (kept: string, dropped: string) =>
    ledger.hadSeen(`ponds ${ID}`, 'cod', { kept: `{"cod":"${kept}"}`, dropped: `{"cod":"${dropped}"}` });
  expect([hadSeen('V-3', 'V-2'), hadSeen('V-4', 'V-2')]).toEqual([true, true]);
  expect([hadSeen('V-2', 'V-3'), hadSeen('V-5', 'V-3'), hadSeen('V-4', 'V-5')]).toEqual([
    false,
    false,
    false,
  ]);
  const remaining = { gateway: stateOf('V-5'), hosted: stateOf('V-4') };
  ledger.excuse('gateway', remaining, { isLogged: () => true, isAnotherLife: false });
  expect(hadSeen('V-3', 'V-2')).toBe(false);
});

it('a part of a group that the other side wrote as a whole is not what was replaced; one that comes back alone is', () => {
  const resource = controlPoint as unknown as KnownRow['resource'];
  const ledger = createLedger(new Map([['control_points', resource]]), true);
  const key = `control_points ${ID}`;
  const wrote = (side: Side, before: Record<string, unknown>, after: Record<string, unknown>) =>
    ledger.note(
      side,
      { rows: [{ table: 'control_points', id: ID, before, after, rev: 2, hidden: false }] },
      newRegister,
    );
  const [first, cloud, farm] = [
    { min_on_s: 60, is_siren: true },
    { min_on_s: 70, is_siren: false },
    { min_on_s: 80, is_siren: true },
  ];
  wrote('hosted', first, cloud);
  wrote('hosted', cloud, { min_on_s: 90, is_siren: false });
  wrote('gateway', cloud, farm);
  const replaced = (row: Record<string, unknown>) => ledger.replacing(key, 'settings+is_siren', row).length;
  // the later word of both: the cloud's, made over the same
  expect(replaced({ min_on_s: 90, is_siren: false })).toBe(0);
  expect(replaced(cloud)).toBe(1);
  expect(replaced({ min_on_s: 80, is_siren: false })).toBe(1);
});
