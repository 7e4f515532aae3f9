import { aerator } from '#contract/resources/aerators.ts';
import { alert } from '#contract/resources/alerts.ts';
import { order } from '#contract/resources/control-points.ts';
import { delivery } from '#contract/resources/local-tables.ts';
import { logEntry } from '#contract/resources/logs.ts';
import { notification } from '#contract/resources/notifications.ts';
import { measurement } from '#contract/resources/water-quality.ts';
import type { Change, Unit } from '#core/changes.ts';

const MESSAGES: ReadonlySet<string> = new Set([alert.name, notification.name, delivery.name]);

export type Messages = {
  changes: readonly Change[];
  /** The unit consists of nothing else: it may count as done. */
  isWhole: boolean;
  isCritical: boolean;
};

const NONE: Messages = { changes: [], isWhole: false, isCritical: false };

/**
 * What of a unit that the disk refused people must learn all the same: all of one that consists of messages; of a
 * measurement that could not be stored the alerts it raised or ended, and what they tell; of an order what its aerator
 * shows; what became of a delivery. Of anything else nothing: news of what was not done would be untrue.
 */
export function messagesIn(unit: Unit): Messages {
  const { changes } = unit;
  const isOfSync =
    unit.incoming ?? unit.stream ?? unit.restamps ?? unit.snapshot ?? unit.difference ?? undefined;
  if (isOfSync !== undefined || changes.length === 0) return NONE;
  const isCritical = changes.some(isOfCritical);
  const isWhole =
    changes.every((change) => isKeepable(change) && (isMessage(change) || isEntry(change))) &&
    changes.some(isMessage);
  if (isWhole) return { changes, isWhole, isCritical };
  const isMeasured = changes.some((change) => isInsert(change, measurement.name));
  const isOrdered = changes.some((change) => isInsert(change, order.name));
  const isSent = changes.some(({ resource, op }) => resource.name === delivery.name && op === 'update');
  const alertIds = new Set(
    changes.flatMap((change) => (change.resource.name === alert.name ? [idOf(change)] : [])),
  );
  const isWanted = (change: Change): boolean => {
    if (!isKeepable(change)) return false;
    if (change.resource.name === aerator.name) return isOrdered;
    if (change.resource.name === delivery.name && change.op !== 'insert') return isSent;
    if (!isMeasured) return false;
    if (isEntry(change)) return alertIds.has(alertIn(change, 'details'));
    return isMessage(change);
  };
  return { changes: changes.filter(isWanted), isWhole: false, isCritical };
}

const isMessage = ({ resource }: Change): boolean => MESSAGES.has(resource.name);
const isEntry = ({ resource }: Change): boolean => resource.name === logEntry.name;
const isInsert = ({ resource, op }: Change, table: string): boolean =>
  op === 'insert' && resource.name === table;
const idOf = (change: Change): string => ('row' in change ? change.row.id : change.id);

function isKeepable({ op, resource }: Change): boolean {
  return op === 'insert' || op === 'update' || (op === 'purge' && resource.name === delivery.name);
}

function alertIn(change: Change, field: string): string {
  if (!('row' in change)) return '';
  const said = change.row[field];
  const id = typeof said === 'object' && said !== null && 'alert_id' in said ? said.alert_id : null;
  return typeof id === 'string' ? id : '';
}

function isOfCritical(change: Change): boolean {
  // what became of a message makes no new one
  if (change.op !== 'insert') return true;
  const { severity, is_critical: isCritical, data } = change.row;
  const told = typeof data === 'object' && data !== null && 'severity' in data ? data.severity : null;
  return severity === 'HIGH' || told === 'HIGH' || isCritical === true;
}
