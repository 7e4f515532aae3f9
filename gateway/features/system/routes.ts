import { systemClockAnswer, systemClockInput } from '#contract/resources/system-clock.ts';
import { forbidden } from '#core/errors.ts';
import { signedIn } from '#core/request-checks.ts';
import { type Route, route } from '#core/route.ts';
import { type ClockAnswer, type ConfirmClockDeps, clockAnswerOf, confirmClock } from './confirm-clock.ts';

export type SystemRouteDeps = ConfirmClockDeps & {
  /** True when the user may operate every farm of this instance that has a control point: its clock drives them all. */
  operatesAllControl: (userId: string) => Promise<boolean>;
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
      summary:
        'Set the time, or confirm the one shown; for those who operate every farm that it drives, and ADMINs',
      access: { who: 'account' },
      token: 'control',
      body: systemClockInput,
      decidedBy: { fields: ['server_time'], otherwise: 'refused' },
      answers,
      async handle(request) {
        const { userId, role } = signedIn(request);
        if (role !== 'ADMIN' && !(await deps.operatesAllControl(userId))) {
          throw forbidden(
            'Only those who operate every farm of this instance, or an administrator, set its clock',
          );
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
