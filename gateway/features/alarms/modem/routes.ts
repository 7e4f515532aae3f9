import { type ModemAnswer, modemAnswer } from '#contract/resources/modem.ts';
import { isoOf } from '#core/kernel.ts';
import { type Route, route } from '#core/route.ts';
import { MODEM_WORDS } from './modem-words.ts';
import type { Modem, ModemFacts } from './ports.ts';

export type ModemRouteDeps = {
  /** null: this gateway was started without one. */
  modem: Pick<Modem, 'facts'> | null;
  smsPerHour: number;
};

const NO_MODEM: ModemFacts = {
  state: 'off',
  port: '',
  model: null,
  operator: null,
  signalDbm: null,
  isRoaming: false,
  sent: 0,
  failed: 0,
  arrived: 0,
  undelivered: 0,
  lastError: null,
  checkedAt: null,
};

export function modemRoutes(deps: ModemRouteDeps): Route[] {
  return [
    route({
      method: 'GET',
      path: '/system/modem',
      tag: 'System',
      summary: 'The GSM modem that sends SMS without the internet; for those who work on the box, and ADMINs',
      access: { who: 'box', right: 'work' },
      answers: { 200: { schema: modemAnswer } },
      async handle(request) {
        const facts = deps.modem?.facts() ?? NO_MODEM;
        const { message, next } = MODEM_WORDS[facts.state];
        const body: ModemAnswer = {
          state: facts.state,
          message: message[request.language],
          next: next?.[request.language] ?? null,
          port: facts.port === '' ? null : facts.port,
          model: facts.model,
          operator: facts.operator,
          signal_dbm: facts.signalDbm,
          is_roaming: facts.isRoaming,
          sent: facts.sent,
          failed: facts.failed,
          arrived: facts.arrived,
          undelivered: facts.undelivered,
          sms_per_hour: deps.smsPerHour,
          last_error: facts.lastError,
          checked_at: facts.checkedAt === null ? null : isoOf(facts.checkedAt),
        };
        return { answer: { status: 200, body } };
      },
    }),
  ];
}
