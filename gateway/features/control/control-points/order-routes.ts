import { orderAnswer, orderInput } from '#contract/resources/control-points.ts';
import { SWITCH_STATES, type SwitchState } from '#contract/words.ts';
import { AppError, notFound } from '#core/errors.ts';
import { signedIn } from '#core/request-checks.ts';
import { type Route, type RouteDecision, route } from '#core/route.ts';
import { type ControlView, currentOf } from '../control-view.ts';
import { type FarmGateways, REMOTE_EXPIRES_IN_S } from '../remote-order.ts';
import { type GivenOrder, type GiveOrderDeps, giveOrder } from './give-order.ts';
import type { ControlMemory } from './ports.ts';
import { atControlPoint, controlPointParams } from './routes.ts';

export type OrderDeps = GiveOrderDeps & {
  memory: ControlMemory;
  /** LOCAL on a gateway; a hosted instance is far from the pond. */
  personOrigin: 'LOCAL' | 'REMOTE';
  /** Why the water of a control point's ponds is in an emergency; null: it is not. */
  emergencyOf: (controlPointId: string) => string | null;
  /** Sends a target that could not be saved to its controller all the same. */
  sendUnsaved: (controlPointId: string) => void;
  /** Hosted instance: who switches the farm. */
  gateways: Pick<FarmGateways, 'sendOrder'>;
};

export type PersonsOrder = {
  target: SwitchState;
  issuedBy: string;
  reason: string | null;
  /** `for_s`; null: until the next schedule event. */
  holdS: number | null;
  /** How long it may be on its way to the gateway of the farm. */
  expiresInS?: number | undefined;
  /** It goes before what was ordered on the farm meanwhile. */
  isForced?: boolean | undefined;
  aeratorId?: string;
  /** The request it came with, so that it can be followed from the console to the relay. */
  requestId?: string | undefined;
};

/** POST …/turn-on and …/turn-off. */
export function orderRoutes(deps: OrderDeps): Route[] {
  return SWITCH_STATES.map((target) =>
    route({
      method: 'POST',
      path: `/control-points/{control_point_id}/turn-${target.toLowerCase()}`,
      tag: 'Control points',
      summary: `Turn ${target}; holds until the next schedule event, or for \`for_s\` seconds`,
      access: { ...atControlPoint, right: 'attend' },
      params: controlPointParams,
      body: orderInput,
      // without it the order holds until the next schedule event
      decidedBy: { fields: ['for_s'], otherwise: 'warned' },
      invalid: 400,
      answers: { 200: { schema: orderAnswer } },
      async handle(request) {
        const {
          for_s: holdS = null,
          reason = null,
          expires_in_s: expiresInS,
          force: isForced,
        } = request.body;
        return orderByPerson(deps, request.params.control_point_id, {
          target,
          issuedBy: signedIn(request).userId,
          reason,
          holdS,
          expiresInS,
          isForced,
          requestId: request.requestId,
        });
      },
    }),
  );
}

/**
 * A person's order as a route decides it; on a hosted instance the farm's gateway gets it, if there is one. 409 for a start of what is locked out, and for a stop of what airs in an
 * emergency: the motor would stop and start again a second later, or after its rest, for each such order.
 */
export async function orderByPerson(
  deps: OrderDeps,
  controlPointId: string,
  wish: PersonsOrder,
): Promise<RouteDecision> {
  const view = await viewFor(deps.memory, controlPointId);
  if (view.row.is_siren) throw isSiren(view);
  if (wish.target === 'ON' && view.row.locked_out) throw lockedOut(view);
  const { target, issuedBy, reason, holdS, aeratorId = null } = wish;
  const { expiresInS = REMOTE_EXPIRES_IN_S, isForced = false } = wish;
  const remote = { target, issuedBy, reason, holdS, expiresInS, isForced, aeratorId };
  const sent = await deps.gateways.sendOrder(view, remote);
  if (sent !== null) return sent;
  const emergency = wish.target === 'OFF' ? deps.emergencyOf(view.row.id) : null;
  if (emergency !== null && !view.row.locked_out) throw inEmergency(view, emergency);
  const given = giveOrder(deps, view, {
    target,
    issuedBy,
    reason,
    holdUntil: holdS === null ? null : deps.now() + holdS * 1000,
    origin: deps.personOrigin,
    requestId: wish.requestId,
  });
  return {
    answer: { status: 200, body: answerOf(view, given, wish.target) },
    changes: given.changes,
    whenStorageFails() {
      deps.memory.setUnsaved(controlPointId, given.unsaved);
      deps.sendUnsaved(controlPointId);
      const warning = {
        code: 'NOT_SAVED',
        message:
          'The order was sent to the controller, but the disk does not take it: after a power cut it may be lost',
      };
      return { status: 200, body: { ...answerOf(view, given, wish.target), warnings: [warning] } };
    },
  };
}

/** The freshest view there is: from the database, and from memory when the database does not answer. */
async function viewFor(memory: ControlMemory, id: string): Promise<ControlView> {
  const view = await memory.refresh(id).catch(() => memory.byId(id));
  if (view === null) throw notFound('Control point');
  return view;
}

export function lockedOut(view: ControlView): AppError {
  const why = view.row.lock_out_reason ?? 'no reason given';
  return new AppError(409, `${view.row.cod} is locked out (${why}); lift the lock-out first`, {
    code: 'LOCKED_OUT',
  });
}

/** An order would hold until another one: the siren would miss the next alarm, or never end. */
function isSiren({ row }: ControlView): AppError {
  return new AppError(
    409,
    `${row.cod} is a siren: acknowledge the alert to silence it, or test it with POST /farms/${row.farm_id}/siren/test`,
    { code: 'IS_SIREN' },
  );
}

function inEmergency(view: ControlView, why: string): AppError {
  return new AppError(409, `${view.row.cod} airs in an emergency (${why}): only a lock-out stops it`, {
    code: 'OXYGEN_EMERGENCY',
  });
}

function answerOf(view: ControlView, given: GivenOrder, target: SwitchState) {
  return {
    id: view.row.id,
    target_status: target,
    current_status: currentOf(view).current_status,
    last_command_at: given.unsaved.last_command_at,
    order_id: given.order.id,
    version: given.order.version,
    hold_until: given.order.hold_until,
  };
}
