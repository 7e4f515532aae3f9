import type { BootIdentity } from '#contract/mqtt/boot.ts';
import type { AdoptAnswer, AdoptInput } from '#contract/resources/adoption.ts';
import { boardLabel, deviceMark } from '#contract/resources/local-tables.ts';
import type { Language } from '#contract/words.ts';
import { audit } from '#core/audit.ts';
import { type Change, purge, put } from '#core/changes.ts';
import { conflict, invalidField } from '#core/errors.ts';
import { isoOf } from '#core/kernel.ts';
import type { Caller } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import type { ControlPoint, ControlView } from '#features/control/control-view.ts';
import { boardNotWaiting, markOfMac, markOfName, nextStep, offerFailed, setMark } from './adoption-queue.ts';
import type { Board } from './boot-desk.ts';
import type { AdoptDeps, Keyed } from './ports.ts';

export type Asked = { caller: Caller; language: Language; input: AdoptInput };

/** adopt: a control point whose controller never had a key, or the same device again; replace: another takes its place. */
type How = 'adopt' | 'replace';

/** What is fixed once a request: the device, its key, and the board that was given it; null: the key is shown. */
export type Given = { deviceId: string; key: string; board: Board | null };

/**
 * Fixes the device and its key. A board on the boot topic is given its credentials here, once, and only when it has proved
 * that it stored them anything is changed: a wrong claim code costs no running controller its place. `decide` is asked
 * first, so that nobody is handed a key who is refused. Throws 409 and 422 with the next step at the device.
 */
export async function giveKey(
  deps: AdoptDeps,
  { input }: Asked,
  view: ControlView | null,
  decide: (given: Given) => Promise<Adoption>,
): Promise<Given> {
  const board = boardOf(deps, input);
  const given = { deviceId: deviceIdOf(input, board, view), key: deps.newKey(), board };
  const { row, answer } = await decide(given);
  if (board !== null) {
    await giveOverNetwork(deps, board, input.claim ?? '', {
      device_id: answer.device_id,
      mqtt_id: answer.mqtt_id,
      key: given.key,
      ...deps.whereabouts(),
      cp: row.cod,
      fail_safe: row.fail_safe,
    });
  }
  return given;
}

/** A decision, and the control point as it stands with it. */
type Adoption = Decision<AdoptAnswer> & { row: ControlPoint };

/** Decides that a control point has the device that was given its key. Throws 409 where it may not have it. */
export async function adoptDevice(
  deps: AdoptDeps,
  { view, how }: { view: ControlView; how: How },
  asked: Asked,
  given: Given,
): Promise<Adoption> {
  const { deviceId } = given;
  const isOther = deviceId !== view.row.device_id;
  if (how === 'adopt' && isOther && deps.needsKey(view)) {
    throw conflict(
      `${view.row.cod} has the controller ${view.row.device_id}; use replace to put another in its place`,
      'HAS_CONTROLLER',
    );
  }
  if (how === 'replace' && !isOther) {
    throw conflict(
      `${deviceId} is the controller of ${view.row.cod} already; use adopt to give it a new key`,
      'SAME_DEVICE',
    );
  }
  const named = isOther ? await deps.nameDevice(asked.caller, view, deviceId) : { answer: view.row };
  const keyed = { row: named.answer, keys: isOther ? [] : view.keys };
  const taken = await takeKey(deps, keyed, asked, given);
  const former = isOther && how === 'replace' ? formerOf(deps, view) : null;
  const marks = former === null ? [] : await markReplaced(deps, view, asked.caller);
  return {
    row: keyed.row,
    answer: { ...taken.answer, replaced: former },
    changes: [
      ...(named.changes ?? []),
      ...taken.changes,
      ...marks,
      entryOf(deps, keyed.row, {
        by: asked.caller.userId,
        action: how === 'replace' ? 'device_replaced' : 'device_adopted',
        details: { device_id: deviceId, delivery: taken.answer.delivery, former: former?.device_id ?? null },
      }),
    ],
  };
}

/** The same for a control point that is made with it. */
export async function adoptAsNew(
  deps: AdoptDeps,
  place: { farm_id: string; cod: string },
  asked: Asked,
  given: Given,
): Promise<Adoption> {
  const { deviceId } = given;
  const made = await deps.createPoint(asked.caller, { ...place, device_id: deviceId });
  const taken = await takeKey(deps, { row: made.answer, keys: [] }, asked, given);
  return {
    row: made.answer,
    answer: taken.answer,
    guards: made.guards ?? [],
    changes: [
      ...(made.changes ?? []),
      ...taken.changes,
      entryOf(deps, made.answer, {
        by: asked.caller.userId,
        action: 'device_adopted',
        details: { device_id: deviceId, delivery: taken.answer.delivery },
      }),
    ],
  };
}

/** The board the input means, ready to be given credentials; null: the key is shown. */
function boardOf(deps: AdoptDeps, { device_id, mac, claim }: AdoptInput): Board | null {
  if (mac === undefined) {
    if (device_id === undefined)
      throw invalidField(422, 'device_id', 'say device_id, or mac and claim of a board');
    return null;
  }
  if (claim === undefined)
    throw invalidField(422, 'claim', 'is needed with mac: the code on the board’s label');
  const board = deps.desk.board(mac);
  if (!deps.window.isOpen() || board === null || !board.isHere || board.nonce === null) {
    throw boardNotWaiting(deps.window.isOpen());
  }
  return board;
}

function deviceIdOf({ device_id, mac }: AdoptInput, board: Board | null, view: ControlView | null): string {
  if (device_id !== undefined) return device_id;
  // a reflashed board that still knows its name, or comes to the control point of its name, keeps it
  if (board !== null && view !== null && board.formerDeviceId === view.row.device_id)
    return view.row.device_id;
  const byMac = `aer-${mac ?? ''}`;
  return view?.row.device_id === byMac ? view.row.device_id : byMac;
}

async function takeKey(
  deps: AdoptDeps,
  keyed: Keyed,
  { caller, language, input }: Asked,
  { key, board }: Given,
): Promise<{ answer: AdoptAnswer; changes: Change[] }> {
  const { row } = keyed;
  const { answer: issued, changes = [] } = deps.issueKey(keyed, caller.userId, {
    isGiven: board !== null,
    key,
  });
  const mqttId = deps.mqttIdOf(row.device_id);
  const delivery = board === null ? 'shown' : 'claim';
  const at = isoOf(deps.now());
  const adopted =
    board === null
      ? []
      : await setMark(deps, {
          id: markOfMac(board.mac),
          mark: 'adopted',
          control_point_id: row.id,
          device_id: row.device_id,
          marked_at: at,
          marked_by: caller.userId,
        });
  // the board has the label it came with: that is the one to print again
  const { claim } = input;
  const label =
    board === null || claim === undefined
      ? []
      : [put(boardLabel, { id: row.id, mac: board.mac, device_id: row.device_id, claim, made_at: at })];
  return {
    answer: {
      control_point_id: row.id,
      farm_id: row.farm_id,
      cod: row.cod,
      device_id: row.device_id,
      mqtt_id: mqttId,
      fail_safe: row.fail_safe,
      key_id: issued.row.id,
      delivery,
      key: board === null ? key : null,
      replaced: null,
      next: nextStep(language, delivery),
    },
    // ignored, or replaced, until somebody gave it a place
    changes: [...changes, purge(deviceMark, markOfName(row.device_id)), ...adopted, ...label],
  };
}

async function giveOverNetwork(
  deps: AdoptDeps,
  { mac, nonce }: Board,
  claim: string,
  identity: BootIdentity,
): Promise<void> {
  if (nonce === null) throw boardNotWaiting(true);
  const credentials = deps.seal({ claim, mac, nonce, identity });
  const outcome = await deps.desk.offer(mac, credentials, deps.proofOf(identity.key, nonce));
  if (outcome !== 'stored') throw offerFailed(outcome);
}

function formerOf(deps: AdoptDeps, { row, mqttId, presence }: ControlView): AdoptAnswer['replaced'] {
  return {
    device_id: row.device_id,
    mqtt_id: mqttId,
    was_connected: deps.isConnected(mqttId),
    last_report: presence.lastReportAt === null ? null : isoOf(presence.lastReportAt),
  };
}

/** The old one is named when it knocks again: somebody may have put it back, or mixed up two boards. */
function markReplaced(deps: AdoptDeps, { row }: ControlView, caller: Caller): Promise<Change[]> {
  return setMark(deps, {
    id: markOfName(row.device_id),
    mark: 'replaced',
    control_point_id: row.id,
    device_id: row.device_id,
    marked_at: isoOf(deps.now()),
    marked_by: caller.userId,
  });
}

function entryOf(
  deps: AdoptDeps,
  row: Pick<ControlPoint, 'id' | 'farm_id' | 'cod'>,
  { by, action, details }: { by: string; action: string; details: Record<string, unknown> },
): Change {
  return audit(deps, {
    farm_id: row.farm_id,
    entity_type: 'CONTROL_POINT',
    entity_id: row.id,
    entity_name: row.cod,
    action,
    user_id: by,
    details,
  });
}
