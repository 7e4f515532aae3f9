import { describe, expect, it } from 'vitest';
import { fateOf, UNDO_MS, waitMs } from '../../desktop/console/state/outbox-rules.ts';
import { sharedId } from '../../desktop/console/state/shared-id.ts';
import {
  type Draft,
  draftFrom,
  draftText,
  type PondDraft,
  putBack,
  without,
  withoutEntries,
  withSure,
  withTyped,
} from '../../desktop/console/state/water-draft.ts';

const NOW = Date.UTC(2026, 2, 3, 5);
const HOUR = 3_600_000;

describe('an entry', () => {
  it('waits for what is left of its ten seconds, and never longer because a clock was set back', () => {
    expect(waitMs(NOW + 4_000, NOW)).toBe(4_000);
    expect(waitMs(NOW - 1, NOW)).toBe(0);
    expect(waitMs(NOW + 30 * 24 * HOUR, NOW)).toBe(UNDO_MS);
  });

  it('is sent again as long as nobody took it, and is saved when only the answer was lost', () => {
    expect(fateOf(null)).toEqual({ is: 'queued', mayHaveArrived: true });
    expect(fateOf({ status: 503, code: 'BUSY' })).toEqual({ is: 'queued', mayHaveArrived: true });
    for (const status of [401, 429])
      expect(fateOf({ status, code: '' })).toEqual({ is: 'queued', mayHaveArrived: false });
    expect(fateOf({ status: 409, code: 'ID_TAKEN' })).toEqual({ is: 'saved' });
    expect(fateOf({ status: 409, code: 'BATCH_NOT_ACTIVE' })).toEqual({ is: 'refused' });
    expect(fateOf({ status: 422, code: 'VALIDATION_ERROR' })).toEqual({ is: 'refused' });
  });
});

describe('what can be done once', () => {
  const batch = '0b7f3c52-6d0e-4a3f-9a51-2f6f0c0d9e11';
  const meals = Array.from({ length: 365 }, (_, n) =>
    ['06:00', '10:00', '14:00', '18:00'].map(
      (time) => `meal ${batch} ${new Date(NOW + n * 24 * HOUR).toISOString().slice(0, 10)} ${time}`,
    ),
  ).flat();

  it('has the same id on every device, which no other meal of the year has, and which the gateway takes', () => {
    const ids = meals.map(sharedId);
    expect(meals.map(sharedId)).toEqual(ids);
    expect(new Set(ids).size).toBe(meals.length);
    for (let group = 0; group < 32; group += 8)
      expect(new Set(ids.map((id) => id.replaceAll('-', '').slice(group, group + 8))).size).toBe(
        meals.length,
      );
    for (const id of ids)
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});

describe('a round that is typed and not sent', () => {
  const pond = (id: string, text: string, at = NOW): PondDraft => ({
    id,
    typed: { dissolved_oxygen: text },
    sure: {},
    at,
  });
  const round: Draft = new Map([
    ['v1', pond('e1', '4,2')],
    ['v2', pond('e2', '5,1')],
  ]);

  it('is read again as it was, for a shift and not longer', () => {
    const text = draftText(new Map([...round, ['v3', pond('e3', '6', NOW - 11 * HOUR)]]));
    expect([...draftFrom(text, NOW).keys()]).toEqual(['v1', 'v2', 'v3']);
    expect(draftFrom(text, NOW)).toEqual(new Map([...round, ['v3', pond('e3', '6', NOW - 11 * HOUR)]]));
    expect([...draftFrom(text, NOW + 2 * HOUR).keys()]).toEqual(['v1', 'v2']);
  });

  it.each([null, '', 'x', '{}', '[1]', '[["v1",null]]', '[["v1",{"typed":1,"sure":2,"at":3}]]'])(
    'is empty where the browser kept %s',
    (text) => expect(draftFrom(text, NOW)).toEqual(new Map()),
  );

  it('becomes another entry with every key, and none when all of it is wiped', () => {
    const typed = withTyped(round, {
      pondId: 'v1',
      field: 'ph',
      text: '8',
      id: 'e9',
      now: NOW + 1,
    });
    expect(typed.get('v1')).toEqual({
      id: 'e9',
      typed: { dissolved_oxygen: '4,2', ph: '8' },
      sure: {},
      at: NOW + 1,
    });
    const wiped = { pondId: 'v2', field: 'dissolved_oxygen', text: '', id: 'e8', now: NOW } as const;
    expect([...withTyped(round, wiped).keys()]).toEqual(['v1']);
  });

  it('loses what was sent, unless somebody typed on meanwhile', () => {
    const later = withTyped(round, {
      pondId: 'v2',
      field: 'dissolved_oxygen',
      text: '5,15',
      id: 'e9',
      now: NOW + 1,
    });
    expect([...without(later, round).keys()]).toEqual(['v2']);
    expect(without(round, round)).toEqual(new Map());
    // somebody began another figure of the pond in another tab while the first was being sent
    const ph = { pondId: 'v1', field: 'ph', text: '8,1', id: 'e9', now: NOW + 1 } as const;
    expect(without(withTyped(withSure(round, 'v1', 'dissolved_oxygen'), ph), round)).toEqual(
      new Map([['v1', { id: 'e9', typed: { ph: '8,1' }, sure: {}, at: NOW + 1 }]]),
    );
  });

  it('gets back what was taken back, figure by figure, and never over what was typed since', () => {
    const since: Draft = new Map([
      ['v1', pond('e9', '4,9')],
      ['v3', pond('e8', '6')],
    ]);
    const newId = () => 'e10';
    expect(putBack(since, round, newId)).toEqual(new Map([...since, ['v2', pond('e2', '5,1')]]));
    const ph: Draft = new Map([['v2', { id: 'e9', typed: { ph: '8,1' }, sure: {}, at: NOW + 1 }]]);
    // neither of the two entries has both figures
    expect(putBack(ph, round, newId).get('v2')).toEqual({
      id: 'e10',
      typed: { dissolved_oxygen: '5,1', ph: '8,1' },
      sure: {},
      at: NOW + 1,
    });
  });

  it('does not become a second entry when the page went while the first was kept', () => {
    expect([...withoutEntries(round, new Set(['e1'])).keys()]).toEqual(['v2']);
  });

  it('knows which unlikely figure somebody was sure of, until it is typed anew', () => {
    const sure = withSure(round, 'v1', 'dissolved_oxygen');
    expect(sure.get('v1')?.sure).toEqual({ dissolved_oxygen: '4,2' });
    expect(withSure(round, 'v9', 'ph')).toBe(round);
  });
});
