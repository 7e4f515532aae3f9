import { systemClockAnswer, systemClockInput } from '#contract/resources/system-clock.ts';
import { forbidden } from '#core/errors.ts';
import { signedIn } from '#core/request-checks.ts';
import { type Route, route } from '#core/route.ts';
import { type ClockAnswer, type ConfirmClockDeps, clockAnswerOf, confirmClock } from './confirm-clock.ts';

export type SystemRouteDeps = ConfirmClockDeps & {
  /** True for who may work on the box itself: its clock drives all farms there. */
  worksOnBox: (userId: string) => Promise<boolean>;
};

const path = '/system/clock';
const tag = 'System';
const answers = { 200: { schema: systemClockAnswer } };

export function systemRoutes(deps: SystemRouteDeps): Route[] {
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
      access: { who: 'account' },
      token: 'control',
      body: systemClockInput,
      decidedBy: { fields: ['server_time'], otherwise: 'refused' },
      answers,
      async handle(request) {
        const { userId } = signedIn(request);
        if (!(await deps.worksOnBox(userId))) {
          throw forbidden('Only those who have rights over this box, or an administrator, set its clock');
        }
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
