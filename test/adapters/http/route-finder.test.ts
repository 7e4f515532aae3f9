import { describe, expect, test } from 'vitest';
import { routeFinder } from '#adapters/http/route-finder.ts';
import { type Route, route } from '#core/route.ts';

const at = (method: Route['method'], path: string): Route =>
  route({
    method,
    path,
    tag: '',
    summary: '',
    access: { who: 'anyone' },
    answers: {},
    handle: async () => ({ answer: { status: 200 } }),
  });
const find = routeFinder(
  [
    at('POST', '/farms/{user_id}'),
    at('GET', '/farms/{farm_id}'),
    at('GET', '/farms/'),
    at('GET', '/ponds/{pond_id}'),
    at('GET', '/ponds/summary-cards'),
    at('GET', '/ponds/{pond_id}/summary-card'),
    at('PUT', '/a/{x}/b/{y}'),
    at('GET', '/a/c/b'),
  ],
  ({ path }) => path,
);

describe('the path of a request', () => {
  test.each([
    ['a fixed segment goes before a parameter', 'GET', '/ponds/summary-cards', '/ponds/summary-cards', {}],
    ['a parameter takes the rest', 'GET', '/ponds/7', '/ponds/{pond_id}', { pond_id: '7' }],
    ['methods have their own names', 'POST', '/farms/7', '/farms/{user_id}', { user_id: '7' }],
    ['and the other its own', 'GET', '/farms/7', '/farms/{farm_id}', { farm_id: '7' }],
    ['with the slash', 'GET', '/farms/', '/farms/', {}],
    ['without the slash', 'GET', '/farms', '/farms/', {}],
    ['HEAD is GET', 'HEAD', '/farms', '/farms/', {}],
    ['a dead end is left', 'PUT', '/a/c/b/2', '/a/{x}/b/{y}', { x: 'c', y: '2' }],
    ['values are decoded', 'GET', '/ponds/a%20b%2Fc', '/ponds/{pond_id}', { pond_id: 'a b/c' }],
  ])('%s', (_what, method, path, served, params) => {
    expect(find(method, path)).toMatchObject({ served, params });
  });

  test('that does not exist is none', () => {
    for (const path of ['/', '/nothing', '/farms//', '/farms/7/8', '/ponds//summary-card', '/FARMS/']) {
      expect([path, find('GET', path)]).toEqual([path, null]);
    }
  });

  test('with another method names those it has', () => {
    expect(find('DELETE', '/farms/7')).toEqual({ served: null, params: {}, allow: 'POST, GET' });
  });

  test('that is badly encoded is refused', () => {
    expect(() => find('GET', '/ponds/%ZZ')).toThrow('not well encoded');
  });

  test('may stand in the table once', () => {
    expect(() => routeFinder([at('GET', '/a/{x}'), at('GET', '/a/{y}')], () => null)).toThrow('twice');
  });
});
