import { randomUUID } from 'node:crypto';
import type { CommandFrame } from '#contract/sync/wire.ts';
import type { App, MadeControlPoint } from '#test/app.ts';

/** An order of the hosted instance as it comes over the socket, sent a moment ago and good for a minute. */
export function aCommand(
  app: App,
  point: Pick<MadeControlPoint, 'id'>,
  fields: Partial<CommandFrame> = {},
): CommandFrame {
  const view = app.control.registry.byId(point.id);
  return {
    is: 'command',
    id: randomUUID(),
    control_point_id: point.id,
    target_status: 'ON',
    issued_by: null,
    reason: null,
    hold_s: null,
    basis: { version: view?.row.version ?? 0, epoch: view?.row.epoch ?? '' },
    is_forced: false,
    age_ms: 200,
    ttl_ms: 60_000,
    ...fields,
  };
}

/** What the live socket does with an order that came just now. */
export function take(app: App, frame: CommandFrame, receivedAtMs = app.clock.now()) {
  if (app.commands === null) throw new Error('a hosted instance takes no orders from afar');
  return app.commands.parts.takeCommand(frame, receivedAtMs + frame.ttl_ms - frame.age_ms);
}

export async function ordersOf(app: App, token: string, pointId: string) {
  const { body } = await app.call('GET', `/control-points/${pointId}/orders`, { token });
  return body as {
    id: string;
    state: string;
    origin: string;
    target_status: string;
    reason: string | null;
  }[];
}
