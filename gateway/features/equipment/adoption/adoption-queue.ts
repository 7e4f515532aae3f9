import type { QueueEntry } from '#contract/resources/adoption.ts';
import type { SeenDevice } from '#contract/resources/devices.ts';
import { deviceMark } from '#contract/resources/local-tables.ts';
import type { Language } from '#contract/words.ts';
import { type Change, purge, put } from '#core/changes.ts';
import { AppError, conflict } from '#core/errors.ts';
import type { ControlView } from '#features/control/control-view.ts';
import type { Board, BootDesk, OfferOutcome } from './boot-desk.ts';
import { guessProfile } from './device-profile.ts';
import type { DeviceMark, MarkQueries } from './ports.ts';

export type QueueDeps = {
  desk: Pick<BootDesk, 'boards'>;
  isWindowOpen: () => boolean;
  queries: Pick<MarkQueries, 'marksOf'>;
  /** Devices that knocked by a name, last seen first, at most 1,000. */
  seen: () => readonly SeenDevice[];
  viewById: (id: string) => ControlView | null;
  viewByName: (name: string) => ControlView | null;
};

/** What waits for somebody, boards that wait now first, then last seen first. Control points are told as they are. */
export async function adoptionQueue(deps: QueueDeps): Promise<QueueEntry[]> {
  const boards = deps.desk.boards();
  const seen = deps.seen();
  const ids = [
    ...boards.map(({ mac }) => markOfMac(mac)),
    ...seen.map(({ device_id }) => markOfName(device_id)),
  ];
  const marksById = new Map((await deps.queries.marksOf(ids)).map((mark) => [mark.id, mark]));
  const ofBoards = boards.flatMap((board) => {
    const mark = marksById.get(markOfMac(board.mac));
    return hasItsPlace(board, mark) ? [] : boardEntry(deps, board, mark);
  });
  const ofNames = seen.flatMap(
    (sight) => nameEntry(deps, sight, marksById.get(markOfName(sight.device_id))) ?? [],
  );
  return [...ofBoards, ...ofNames].sort(
    (a, b) => Number(b.is_waiting) - Number(a.is_waiting) || (a.last_seen < b.last_seen ? 1 : -1),
  );
}

/** It was given its credentials, went off to use them, and did not come back without any. */
const hasItsPlace = (board: Board, mark: DeviceMark | undefined): boolean =>
  mark?.mark === 'adopted' && !board.isHere && board.lastSeen <= mark.marked_at;

function boardEntry(deps: QueueDeps, board: Board, mark: DeviceMark | undefined): QueueEntry {
  const isOpen = deps.isWindowOpen();
  const known =
    mark?.control_point_id != null
      ? deps.viewById(mark.control_point_id)
      : board.formerDeviceId === null
        ? null
        : deps.viewByName(board.formerDeviceId);
  return {
    id: markOfMac(board.mac),
    // the control point may have another controller by now
    device_id: mark?.device_id ?? known?.row.device_id ?? board.formerDeviceId,
    mac: board.mac,
    reason: isOpen ? 'boot' : 'window_closed',
    is_waiting: board.isHere && board.nonce !== null,
    how: isOpen ? 'claim' : 'window',
    profile: 'controller',
    chip: board.chip,
    firmware_version: board.firmwareVersion,
    source: board.source,
    via: 'mqtt',
    first_seen: board.firstSeen,
    last_seen: board.lastSeen,
    count: board.count,
    control_point: pointOf(known),
    is_ignored: mark?.mark === 'ignored',
    unsupported: null,
  };
}

/** null: a control point has this name by now, and nothing keeps its controller out any more. */
function nameEntry(deps: QueueDeps, sight: SeenDevice, mark: DeviceMark | undefined): QueueEntry | null {
  const owner = deps.viewByName(sight.device_id);
  if (owner !== null && sight.reason === 'unknown') return null;
  const heardAt = owner?.presence.lastReportAt ?? null;
  if (sight.reason === 'no_key' && heardAt !== null && heardAt >= Date.parse(sight.last_seen)) return null;
  const isReplaced = owner === null && mark?.mark === 'replaced';
  const former = isReplaced && mark.control_point_id !== null ? deps.viewById(mark.control_point_id) : null;
  return {
    id: sight.device_id,
    device_id: sight.device_id,
    mac: null,
    reason: isReplaced
      ? 'replaced'
      : (sight.reason === 'wrong_key' || sight.reason === 'no_key') && owner === null
        ? 'unknown'
        : sight.reason,
    is_waiting: false,
    how: 'key',
    profile: guessProfile(sight.device_id, sight.via),
    chip: null,
    firmware_version: null,
    source: sight.source,
    via: sight.via,
    first_seen: sight.first_seen,
    last_seen: sight.last_seen,
    count: sight.count,
    control_point: pointOf(owner ?? former),
    is_ignored: mark?.mark === 'ignored',
    unsupported: sight.unsupported,
  };
}

function pointOf(view: ControlView | null): QueueEntry['control_point'] {
  return view === null ? null : { id: view.row.id, farm_id: view.row.farm_id, cod: view.row.cod };
}

/** What to do at the device after its credentials were made. */
export function nextStep(language: Language, delivery: 'claim' | 'shown'): string {
  const words = {
    claim: {
      'pt-BR': 'A placa guardou a chave e conecta sozinha em até um minuto; confira se aparece conectada.',
      en: 'The board stored its key and connects by itself within a minute; look whether it is shown as connected.',
      es: 'La placa guardó la clave y se conecta sola en hasta un minuto; revise si aparece conectada.',
    },
    shown: {
      'pt-BR': 'Grave a chave no dispositivo agora, pelo cabo ou na página dele: ela não é mostrada de novo.',
      en: 'Write the key to the device now, over the cable or on its own page: it is not shown again.',
      es: 'Grabe la clave en el dispositivo ahora, por el cable o en su página: no se muestra de nuevo.',
    },
  } as const;
  return words[delivery][language];
}

export const boardNotWaiting = (isWindowOpen: boolean): AppError =>
  isWindowOpen
    ? conflict(
        'This board is not connected now. Power it within reach of the farm’s Wi-Fi and wait until it is shown as waiting',
        'BOARD_NOT_WAITING',
      )
    : conflict('The provisioning window is closed. Open it, then power the board', 'WINDOW_CLOSED');

/** Why a board did not take its credentials, and what to do next. Nothing was changed. */
export function offerFailed(outcome: Exclude<OfferOutcome, 'stored'>): AppError {
  switch (outcome) {
    case 'claim':
      return new AppError(
        422,
        'claim: the code does not fit this board; read it off the label of this very board',
        {
          code: 'WRONG_CLAIM',
          errors: [{ path: 'claim', code: 'WRONG_CLAIM', message: 'does not fit this board' }],
        },
      );
    case 'refused':
      return conflict(
        'The board could not store its key. Power it off and on and try again; if it fails again, flash it over the cable',
        'BOARD_REFUSED',
      );
    case 'silent':
      return conflict(
        'The board did not answer within 8 seconds. Bring it nearer to the Wi-Fi, power it off and on, and try again',
        'BOARD_SILENT',
      );
    case 'gone':
      return conflict(
        'The board left meanwhile. Wait until it is shown as waiting again',
        'BOARD_NOT_WAITING',
      );
    case 'busy':
      return conflict('This board is being given its credentials just now; wait a few seconds', 'BOARD_BUSY');
  }
}

/** Of each kind: people make them, and thousands of boards are nobody's farm. */
const MOST_KEPT = 1_000;

export const markOfName = (deviceId: string): string => `name:${deviceId}`;
export const markOfMac = (mac: string): string => `mac:${mac}`;

/** The mark an entry of the queue is known by. */
export const markOfEntry = (id: string): string => (/^mac:[0-9a-f]{12}$/.test(id) ? id : markOfName(id));

/** Changes that set a mark; the oldest of its kind make room. */
export async function setMark(
  deps: { queries: Pick<MarkQueries, 'marksBeyond'> },
  mark: DeviceMark,
): Promise<Change[]> {
  const oldest = await deps.queries.marksBeyond(mark.mark, MOST_KEPT - 1);
  return [...oldest.filter((id) => id !== mark.id).map((id) => purge(deviceMark, id)), put(deviceMark, mark)];
}
