import { describe, expect, it } from 'vitest';
import { noticeSubject } from '#contract/notice-subject.ts';
import { answerFor, movedFor, ownPlace, shownFor, toldIn } from '../../desktop/console/push/show-push.ts';

const HERE = 'https://farm.example';
const FARM = '0199a0c4-7d3e-7a10-8a54-0d6b6b1f2c3d';
const EPISODE = '0199a0c4-7d3e-7a10-8a54-0d6b6b1f2c3e';
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
    expect(placeOf({ tag: EPISODE })).toBe(`/alarmes/${EPISODE}?farm=${FARM}`);
    expect(placeOf({ type: 'SYSTEM', alert_id: null })).toBe('/notificacoes');
    expect(placeOf({ type: null, alert_id: null, tag: 'SUMMARY' })).toBe('/notificacoes');
    expect(placeOf({ type: null, alert_id: null, tag: 'TEST' })).toBe('/sistema/canais');
  });

  it.each([
    [{ event: 'task_due', task_id: EPISODE }, `/tarefas?tarefa=${EPISODE}&farm=${FARM}`],
    [{ event: 'task_due', task_id: '../x' }, `/tarefas?farm=${FARM}`],
    [{ event: 'feed_low' }, `/lancar/estoque?farm=${FARM}`],
    [{ event: 'backup_failed' }, `/sistema/backup?farm=${FARM}`],
    [
      { event: 'shared_identity', control_point_id: EPISODE },
      `/sistema/dispositivos/${EPISODE}?farm=${FARM}`,
    ],
    [
      { event: 'order_EXPIRED', order_id: FARM, control_point_id: EPISODE },
      `/aeracao/${EPISODE}?farm=${FARM}`,
    ],
    [{ kind: 'sync_conflict' }, `/sistema/sincronia?farm=${FARM}`],
    [{ alert_id: FARM, episode_id: EPISODE }, `/alarmes/${EPISODE}?farm=${FARM}`],
    [{ event: 'maintenance' }, '/notificacoes'],
  ])('on news with %j leads to %s', (data, place) => {
    expect(placeOf({ type: 'SYSTEM', alert_id: null, subject: noticeSubject('SYSTEM', data) })).toBe(place);
  });

  it('of a gateway that names a subject this worker does not know leads to the list', () => {
    expect(placeOf({ type: 'SYSTEM', alert_id: null, subject: { is: 'WEATHER', id: FARM } })).toBe(
      '/notificacoes',
    );
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

describe('a button of an alarm', () => {
  const OFFERED = [
    { action: 'ACKNOWLEDGE', token: 'a', name: null },
    { action: 'TURN_ON', token: 'b', name: 'CP-02' },
  ] as const;
  const pressedIn = (lang: string) => {
    const { options } = shownFor(anAlarm({ lang, actions: OFFERED }), 'pt-BR');
    const told = toldIn(structuredClone(options.data));
    const [, turnOn] = told.offered;
    if (turnOn === undefined) throw new Error('nothing to turn on');
    return { told, turnOn };
  };
  const titles = ({ options }: ReturnType<typeof shownFor>) => options.actions.map(({ title }) => title);

  it.each([
    ['pt-BR', ['Reconhecer', 'Ligar CP-02'], 'NÃO FEITO: Ligar CP-02', 'nada foi feito'],
    ['en', ['Acknowledge', 'Turn on CP-02'], 'NOT DONE: Turn on CP-02', 'nothing was done'],
    ['es', ['Reconocer', 'Encender CP-02'], 'NO HECHO: Encender CP-02', 'no se hizo nada'],
  ])(
    'speaks %s, whatever the browser speaks, and says plainly that nothing was done',
    (lang, named, title, why) => {
      expect(titles(shownFor(anAlarm({ lang, actions: OFFERED }), 'fr'))).toEqual(named);
      const { told, turnOn } = pressedIn(lang);
      const answer = answerFor(told, turnOn, { is: 'offline' });
      expect(answer.title).toBe(title);
      expect(answer.options.body.toLowerCase()).toContain(why);
      expect(answer.options.body).toContain('Viveiro V-01: 2,1 mg/L');
      expect(titles(answer)).toEqual(named);
    },
  );

  it('is gone once it was used or is refused for good; what was locked out may be tried again', () => {
    const { told, turnOn } = pressedIn('pt-BR');
    const after = (outcome: Parameters<typeof answerFor>[2]) => titles(answerFor(told, turnOn, outcome));
    expect(after({ is: 'done', isOnItsWay: false })).toEqual(['Reconhecer']);
    expect(after({ is: 'refused', code: 'ACTION_EXPIRED' })).toEqual(['Reconhecer']);
    expect(after({ is: 'refused', code: 'LOCKED_OUT' })).toEqual(['Reconhecer', 'Ligar CP-02']);
  });

  it('tells an order that is still on its way to the farm from one that was given', () => {
    const { told, turnOn } = pressedIn('pt-BR');
    expect(answerFor(told, turnOn, { is: 'done', isOnItsWay: true }).title).toBe('A caminho: ligar CP-02');
    expect(answerFor(told, turnOn, { is: 'done', isOnItsWay: false }).title).toBe(
      'Feito: ordem de ligar CP-02',
    );
    const unknown = answerFor(told, turnOn, { is: 'refused', code: 'OF_A_NEWER_GATEWAY' });
    expect(unknown.options.body).toContain('não aceitou e nada foi feito');
    expect(answerFor(told, turnOn, { is: 'noAnswer' }).options.body).toContain('não se sabe se foi feito');
  });

  it('of a newer gateway that this worker does not know is left out', () => {
    const strange = [{ action: 'EXPLODE', token: 'x', name: null }, { action: 'TURN_ON' }, null, 7];
    expect(shownFor(anAlarm({ actions: strange }), 'pt-BR').options.actions).toEqual([]);
    expect(shownFor(anAlarm({ actions: 'all' }), 'pt-BR').options.actions).toEqual([]);
  });
});
