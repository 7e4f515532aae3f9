import { describe, expect, it } from 'vitest';
import { createPace } from '#features/production/imports/bring-rows.ts';

describe('rows of an import in one commit', () => {
  it('are few until it is known what a row takes', () => {
    expect(createPace().rows()).toBe(25);
  });

  it('are as many as take 8 ms, and never more than 100', () => {
    const pace = createPace();
    pace.took(10, 25);
    expect(pace.rows()).toBe(20);
    pace.took(1, 20);
    expect(pace.rows()).toBe(100);
  });

  it('are as many while something else keeps the machine busy: smaller commits would only add their own cost', () => {
    const pace = createPace();
    pace.took(2, 25);
    for (let n = 0; n < 7; n += 1) pace.took(80, 100);
    expect(pace.rows()).toBe(100);
  });

  it('become fewer where every commit takes longer, as on a card that is worn out', () => {
    const pace = createPace();
    pace.took(2, 25);
    for (let n = 0; n < 8; n += 1) pace.took(80, 100);
    expect(pace.rows()).toBe(10);
  });
});
