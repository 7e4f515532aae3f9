import type { RowOf } from '#contract/resource.ts';
import { order } from '#contract/resources/control-points.ts';
import { logEntry } from '#contract/resources/logs.ts';
import { type Committed, rowsOf } from '#core/changes.ts';
import type { Kernel } from '#core/kernel.ts';
import type { ControlViews } from '../control-view.ts';
import type { DeviceLink } from '../device-link.ts';

type Order = RowOf<typeof order>;

/**
 * Tells the way of every order in the log, from the request to the relay: each line has `order_id`. Over MQTT an order is
 * known by the epoch and version of its level, which are in its row, too.
 */
export function traceOrders(deps: Pick<Kernel, 'log' | 'now'> & { views: ControlViews }) {
  const { log, views } = deps;

  function nameOf(controlPointId: string) {
    const view = views.byId(controlPointId);
    return { control_point_id: controlPointId, cod: view?.row.cod, device_id: view?.row.device_id };
  }

  function given(row: Order, requestId: unknown): void {
    const { id, target_status, origin, epoch, version } = row;
    log.info(
      {
        order_id: id,
        ...(typeof requestId === 'string' ? { request_id: requestId } : {}),
        ...nameOf(row.control_point_id),
        target_status,
        origin,
        epoch,
        version,
      },
      'order given',
    );
  }

  function wentOn(row: Order): void {
    const fields = {
      order_id: row.id,
      state: row.state,
      after_ms: Math.max(0, Date.parse(row.state_at) - Date.parse(row.issued_at)),
      ...nameOf(row.control_point_id),
    };
    // that a newer order took its place is told by that one
    if (row.state === 'SUPERSEDED') log.debug(fields, 'order superseded');
    else log.info(fields, 'order went on');
  }

  return {
    committed(committed: Committed): void {
      const orders = rowsOf(committed, order);
      if (orders.length === 0) return;
      const requestByOrder = new Map(
        rowsOf(committed, logEntry).map(({ after: { details } }) => [
          details?.['order_id'],
          details?.['request_id'],
        ]),
      );
      for (const { before, after } of orders) {
        if (before === null) given(after, requestByOrder.get(after.id));
        else if (before.state !== after.state) wentOn(after);
      }
    },
    /** The same link, with a line for every level that goes to the broker. */
    following(link: DeviceLink): DeviceLink {
      return {
        ...link,
        publishShadow(mqttId, level) {
          link.publishShadow(mqttId, level);
          const view = views.byMqttId(mqttId);
          const open = view?.unsaved?.order ?? view?.openOrder ?? null;
          // a level of no open order is repeated all day
          if (open === null || open.version !== level.version) return;
          log.info(
            { order_id: open.id, mqtt_id: mqttId, epoch: level.epoch, version: level.version },
            'level of an order told to its controller',
          );
        },
      };
    },
  };
}
