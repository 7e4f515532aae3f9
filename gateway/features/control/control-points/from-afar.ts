import type { ControlPointAnswer, PendingOrder } from '#contract/resources/control-points.ts';
import { conflict } from '#core/errors.ts';
import type { ControlView } from '../control-view.ts';
import type { FarmGateways } from '../remote-order.ts';
import type { ControlPoint } from './ports.ts';

// On a hosted instance, control points that the gateway of their farm runs.

/**
 * A lock-out protects whoever stands at the motor: it must hold at once and without the internet, so it is set and
 * lifted on the farm alone. Throws 409.
 */
export async function refuseFromAfar(
  gateways: Pick<FarmGateways, 'hasGateway'>,
  { row }: ControlView,
): Promise<void> {
  if (!(await gateways.hasGateway(row.farm_id))) return;
  throw conflict(
    `${row.cod} is run by the gateway of its farm: set and lift its lock-out there, on the farm network`,
    'ON_GATEWAY_ONLY',
  );
}

const SHOWN_TOGETHER = 100;

/** Control points with the orders on their way to them, looked up for many at once. */
export async function* withPending(
  gateways: Pick<FarmGateways, 'pendingOrders'>,
  points: AsyncIterable<ControlPoint>,
  answerOf: (row: ControlPoint, pending?: PendingOrder) => ControlPointAnswer,
): AsyncIterable<ControlPointAnswer> {
  let together: ControlPoint[] = [];
  async function* shown() {
    const pending = await gateways.pendingOrders(together);
    for (const row of together) yield answerOf(row, pending.get(row.id));
    together = [];
  }
  for await (const point of points) {
    together.push(point);
    if (together.length >= SHOWN_TOGETHER) yield* shown();
  }
  yield* shown();
}
