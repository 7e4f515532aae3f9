import type * as z from 'zod';
import { systemClockAnswer, systemClockInput } from '#contract/resources/system.ts';
import { audit } from '#core/audit.ts';
import type { ClockState } from '#core/clock-trust.ts';
import { AppError, invalidField } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { signedIn } from '#core/request-checks.ts';
import { type Route, route } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';

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

/** The clock of this instance, as its owner may look at it and set it. */
type SystemClock = {
  now: () => number;
  quality: () => 'trusted' | 'estimated';
  state: () => ClockState;
  isSynchronised: () => boolean;
  confirm: (time: number) => void;
};

type ConfirmClockDeps = Pick<Kernel, 'newId' | 'idOf' | 'log'> & {
  clock: SystemClock;
};

type ClockAnswer = z.infer<typeof systemClockAnswer>;

/** Two clocks that agree this well need no setting. */
const SAME_MS = 2_000;
const FAR_MS = 24 * 3_600_000;
const SEEN_MS = 10 * 60_000;

/**
 * A person sets the time, or confirms the one shown. It holds at once, whatever the disk does: schedules wait for it.
 * Throws 409 while the network keeps the machine's clock, 422 for a step of more than a day that does not name the
 * time it replaces.
 */
function confirmClock(
  deps: ConfirmClockDeps,
  userId: string,
  input: z.infer<typeof systemClockInput>,
): Decision<ClockAnswer> {
  const { clock } = deps;
  const shown = clock.now();
  const time = input.server_time === undefined ? shown : Date.parse(input.server_time);
  const stepMs = time - shown;
  if (clock.isSynchronised() && Math.abs(stepMs) > SAME_MS) {
    throw new AppError(409, 'The network keeps the clock of this machine; set the time there', {
      code: 'CLOCK_SYNCHRONISED',
    });
  }
  if (Math.abs(stepMs) > FAR_MS && !hasSeen(input.replaces, shown)) {
    throw invalidField(
      422,
      'replaces',
      `this is a step of ${Math.round(stepMs / FAR_MS)} days; name the time it replaces, now ${isoOf(shown)}`,
    );
  }
  const before = clock.state();
  if (!clock.isSynchronised()) clock.confirm(time);
  deps.log.warn({ userId, stepS: Math.round(stepMs / 1000) }, 'a person set or confirmed the time');
  const entry = audit(
    { ...deps, now: clock.now, clockQuality: clock.quality },
    {
      farm_id: null,
      entity_type: 'SYSTEM',
      entity_id: deps.idOf('system:clock'),
      entity_name: 'clock',
      action: 'clock_set',
      user_id: userId,
      details: {
        from: isoOf(shown),
        to: isoOf(time),
        was: before.reason,
        ...(input.reason === undefined ? {} : { reason: input.reason }),
      },
    },
  );
  return { answer: clockAnswerOf(clock), changes: [entry] };
}

function clockAnswerOf(clock: SystemClock): ClockAnswer {
  const { reason, correction } = clock.state();
  return {
    quality: clock.quality(),
    reason,
    server_time: isoOf(clock.now()),
    correction_s: Math.round(correction / 1000),
  };
}

function hasSeen(replaces: string | undefined, shown: number): boolean {
  return replaces !== undefined && Math.abs(Date.parse(replaces) - shown) <= SEEN_MS;
}
