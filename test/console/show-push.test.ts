import { describe, expect, it } from 'vitest';
import { movedFor, ownPlace, shownFor } from '../../desktop/console/push/show-push.ts';

const HERE = 'https://farm.example';
const FARM = '0199a0c4-7d3e-7a10-8a54-0d6b6b1f2c3d';
const anAlarm = (fields: Record<string, unknown> = {}) =>
  JSON.stringify({
    id: 'd-1',
    title: 'Oxigênio baixo: V-01',
    body: 'Viveiro V-01: 2,1 mg/L',
    lang: 'pt-BR',
    critical: true,
    tag: 'episode-1',
    type: 'ALERT',
    notification_id: 'n-1',
    farm_id: FARM,
    alert_id: 'a-1',
    ...fields,
  });
const placeOf = (fields: Record<string, unknown>) => shownFor(anAlarm(fields), 'pt-BR').options.data.place;

describe('a press on a notification', () => {
  it.each([
    ['/alarmes?farm=1', '/alarmes?farm=1'],
    ['/sistema/canais', '/sistema/canais'],
    ['//evil.example/alarmes', '/'],
    ['/\\\\evil.example', '/'],
    ['https://evil.example/', '/'],
    ['javascript:alert(1)', '/'],
    ['alarmes', '/'],
    ['', '/'],
    [undefined, '/'],
    [{ place: '/alarmes' }, '/'],
  ])('on %j leads to %s and never out of the console', (place, expected) => {
    expect(ownPlace(place, HERE)).toBe(expected);
  });

  it('leads to the alarms of its farm, to the list, or to the channels when it was a test', () => {
    expect(placeOf({})).toBe(`/alarmes?farm=${FARM}`);
    expect(placeOf({ farm_id: null })).toBe('/alarmes');
    expect(placeOf({ farm_id: '../sistema&x=1' })).toBe('/alarmes');
    expect(placeOf({ type: 'SYSTEM', alert_id: null })).toBe('/notificacoes');
    expect(placeOf({ type: null, alert_id: null, tag: 'SUMMARY' })).toBe('/notificacoes');
    expect(placeOf({ type: null, alert_id: null, tag: 'TEST' })).toBe('/sistema/canais');
  });
});

describe('a push that says nothing', () => {
  it.each(['', 'null', '[]', '{}', '{"title":7}', '{"title":""}'])(
    'as %j is shown as news of the farm, in the language of the browser',
    (text) => {
      expect(shownFor(text, 'en-GB').title).toBe('News of the farm');
      expect(shownFor(text, 'pt-BR').title).toBe('Aviso da fazenda');
    },
  );

  it('has a tag all the same: without one a browser refuses to sound again', () => {
    expect(shownFor(anAlarm({ tag: '' }), 'pt-BR').options.tag).toBe('d-1');
    expect(shownFor(anAlarm({ tag: 5, id: null }), 'pt-BR').options.tag).toBe('push');
  });
});

it('a browser that changed its address says what to do about it', () => {
  expect(movedFor('en').options).toMatchObject({ lang: 'en', data: { place: '/sistema/canais' } });
  expect(movedFor('de').options.lang).toBe('pt-BR');
});
