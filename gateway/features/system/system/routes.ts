import { systemClockAnswer, systemClockInput } from '#contract/resources/system-clock.ts';
import { signedIn } from '#core/request-checks.ts';
import { type Route, route } from '#core/route.ts';
import { type ClockAnswer, type ConfirmClockDeps, clockAnswerOf, confirmClock } from './confirm-clock.ts';

const path = '/system/clock';
const tag = 'System';
const answers = { 200: { schema: systemClockAnswer } };

export function systemRoutes(deps: ConfirmClockDeps): Route[] {
  return [
    route({
      method: 'GET',
      path,
      tag,
      summary: 'The time this instance goes by, and whether it is to be trusted',
      access: { who: 'account' },
      answers,
      async handle() {
        return { answer: { status: 200, body: clockAnswerOf(deps.clock) } };
      },
    }),
    route({
      method: 'POST',
      path,
      tag,
      summary: 'Set the time, or confirm the one shown; for those who work on the box, and ADMINs',
      access: { who: 'box', right: 'work' },
      token: 'control',
      body: systemClockInput,
      decidedBy: { fields: ['server_time'], otherwise: 'refused' },
      answers,
      async handle(request) {
        const { userId } = signedIn(request);
        const { changes = [], answer } = confirmClock(deps, userId, request.body);
        const body: ClockAnswer = answer;
        return {
          answer: { status: 200, body },
          changes,
          // the time holds all the same: who set it is in the log of the program
          whenStorageFails: () => ({ status: 200, body }),
        };
      },
    }),
  ];
}
