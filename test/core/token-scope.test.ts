import { describe, expect, test } from 'vitest';
import { requireScope, scopeFor } from '#core/token-scope.ts';

const farm = { who: 'farm', of: 'farm', at: 'params', field: 'farm_id', others: 404 } as const;

describe('the scope of a route', () => {
  test.each([
    ['reading a farm', 'GET', { ...farm, right: 'read' }, 'read'],
    ['reading its money', 'GET', { ...farm, right: 'read_finance' }, 'read'],
    ['reading what only its owner sees', 'GET', { ...farm, right: 'own' }, null],
    ['recording on it', 'POST', { ...farm, right: 'manage' }, 'record'],
    ['switching something on it', 'POST', { ...farm, right: 'operate' }, 'control'],
    ['deleting it', 'DELETE', { ...farm, right: 'own' }, null],
    ['reading what is the caller’s', 'GET', { who: 'account' }, 'read'],
    ['looking at the box', 'GET', { who: 'box', right: 'work' }, 'read'],
    ['changing something of the box', 'POST', { who: 'box', right: 'work' }, null],
    ['changing something of the account', 'PUT', { who: 'account' }, null],
    ['asking for the state of a device', 'GET', { who: 'device' }, 'read'],
    ['reporting for a device', 'POST', { who: 'device' }, 'control'],
    ['what administrators do', 'GET', { who: 'admin' }, null],
  ] as const)('%s', (_what, method, access, scope) => {
    expect(scopeFor({ method, access })).toBe(scope);
  });

  test('a route may say it itself', () => {
    expect(scopeFor({ method: 'POST', access: { who: 'account' }, token: 'record' })).toBe('record');
    expect(scopeFor({ method: 'GET', access: { who: 'account' }, token: 'never' })).toBeNull();
  });
});

describe('an access token', () => {
  const route = { method: 'POST', access: { ...farm, right: 'manage' } } as const;

  test('reaches what its scopes name', () => {
    expect(() => requireScope({ scopes: ['read', 'record'] }, route)).not.toThrow();
    expect(() => requireScope({ scopes: ['read', 'control'] }, route)).toThrow('lacks the scope record');
  });

  test('never does what only a person who logged in may', () => {
    const scopes = ['read', 'record', 'control'] as const;
    expect(() => requireScope({ scopes }, { method: 'DELETE', access: { ...farm, right: 'own' } })).toThrow(
      'log in with your password',
    );
  });

  test('a login has no scopes and reaches everything', () => {
    expect(() => requireScope({ scopes: null }, route)).not.toThrow();
  });
});
