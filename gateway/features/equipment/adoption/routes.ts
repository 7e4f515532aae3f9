import * as z from 'zod';
import { flagInQuery, idInput, pageQuery } from '#contract/fields.ts';
import {
  type AdoptAnswer,
  adoptAnswer,
  adoptInput,
  adoptNewInput,
  type QueueEntry,
  queueEntry,
  windowAnswer,
  windowInput,
} from '#contract/resources/adoption.ts';
import { deviceMark } from '#contract/resources/local-tables.ts';
import { audit } from '#core/audit.ts';
import { type Change, purge } from '#core/changes.ts';
import { notFound } from '#core/errors.ts';
import { isoOf } from '#core/kernel.ts';
import { signedIn } from '#core/request-checks.ts';
import {
  type Access,
  type FarmFound,
  type Request,
  type Route,
  type RouteDecision,
  route,
} from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import type { ControlView } from '#features/control/control-view.ts';
import { type Asked, adoptAsNew, adoptDevice, giveKey } from './adopt-device.ts';
import { adoptionQueue, markOfEntry, type QueueDeps, setMark } from './adoption-queue.ts';
import type { AdoptDeps, DeviceMark } from './ports.ts';

export type AdoptionRouteDeps = AdoptDeps &
  Omit<QueueDeps, 'queries' | 'desk' | 'isWindowOpen'> & {
    /** Names the window in the audit. */
    gatewayId: string;
    accessTo: (of: 'control_point', id: string, userId: string) => Promise<FarmFound | null>;
    /** Ends the connections of boards that are still here. */
    endGuests: () => void;
    forgetSeen: (deviceId: string) => void;
  };

const tag = 'Adoption';

export function adoptionRoutes(deps: AdoptionRouteDeps): Route[] {
  return [...windowRoutes(deps), ...queueRoutes(deps), ...adoptRoutes(deps)];
}

function windowRoutes(deps: AdoptionRouteDeps): Route[] {
  const path = '/adoption/window';
  const shown = () => deps.window.answer(deps.desk.here());
  const entry = (action: string, userId: string, details: Record<string, unknown>): Change =>
    audit(deps, {
      farm_id: null,
      entity_type: 'SYSTEM',
      entity_id: deps.gatewayId,
      entity_name: 'provisioning window',
      action,
      user_id: userId,
      details,
    });
  return [
    route({
      method: 'GET',
      path,
      tag,
      summary: 'The provisioning window: whether boards without a key may come in, and how long',
      access: { who: 'box', right: 'work' },
      answers: { 200: { schema: windowAnswer } },
      async handle() {
        return { answer: { status: 200, body: shown() } };
      },
    }),
    route({
      method: 'POST',
      path,
      tag,
      summary: 'Open the provisioning window for 1 to 60 minutes, or prolong it; a restart closes it',
      access: { who: 'box', right: 'work' },
      body: windowInput,
      answers: { 200: { schema: windowAnswer } },
      async handle(request) {
        const { userId } = signedIn(request);
        const { minutes } = request.body;
        deps.window.open(minutes, userId);
        return {
          answer: { status: 200, body: shown() },
          changes: [entry('provisioning_window_opened', userId, { minutes })],
        };
      },
    }),
    route({
      method: 'DELETE',
      path,
      tag,
      summary: 'Close the provisioning window; boards that wait are disconnected',
      access: { who: 'box', right: 'work' },
      answers: { 204: null },
      async handle(request) {
        const { userId } = signedIn(request);
        const wasOpen = deps.window.close();
        deps.endGuests();
        return {
          answer: { status: 204 },
          changes: wasOpen ? [entry('provisioning_window_closed', userId, {})] : [],
        };
      },
    }),
  ];
}

function queueRoutes(deps: AdoptionRouteDeps): Route[] {
  const queue = () => adoptionQueue({ ...deps, isWindowOpen: () => deps.window.isOpen() });
  /** Names of control points are told to those who may see them. */
  async function seenBy(entry: QueueEntry, userId: string): Promise<QueueEntry> {
    if (entry.control_point === null) return entry;
    const found = await deps.accessTo('control_point', entry.control_point.id, userId);
    return found?.role == null ? { ...entry, control_point: null } : entry;
  }
  /** What was known of its former place is known again. */
  async function shownAgain(known: DeviceMark | undefined): Promise<Change[]> {
    if (known?.mark !== 'ignored') return [];
    const wasReplaced = known.control_point_id !== null && !known.id.startsWith('mac:');
    return wasReplaced ? setMark(deps, { ...known, mark: 'replaced' }) : [purge(deviceMark, known.id)];
  }
  const ignoring = (verb: 'POST' | 'DELETE') =>
    route({
      method: verb,
      path: '/adoption/queue/{entry_id}/ignore',
      tag,
      summary:
        verb === 'POST'
          ? 'Leave a device out of the queue; it stays refused'
          : 'Show an ignored device again',
      access: { who: 'box', right: 'work' },
      params: z.object({ entry_id: z.string().min(1).max(255) }),
      answers: { 204: null },
      async handle(request) {
        const { userId } = signedIn(request);
        const id = markOfEntry(request.params.entry_id);
        const known = (await deps.queries.marksOf([id]))[0];
        if (verb === 'DELETE') {
          return { answer: { status: 204 }, changes: await shownAgain(known) };
        }
        const mark = {
          id,
          mark: 'ignored',
          control_point_id: known?.control_point_id ?? null,
          device_id: known?.device_id ?? null,
          marked_at: isoOf(deps.now()),
          marked_by: userId,
        } as const;
        return { answer: { status: 204 }, changes: await setMark(deps, mark) };
      },
    });
  return [
    route({
      method: 'GET',
      path: '/adoption/queue',
      tag,
      summary: 'Devices that knocked and have no place, boards that wait first, then last seen first',
      access: { who: 'box', right: 'work' },
      query: pageQuery.extend({ ignored: flagInQuery.default(false) }),
      answers: { 200: { schema: queueEntry, list: true } },
      async handle(request) {
        const { userId } = signedIn(request);
        const { skip, limit, ignored } = request.query;
        const entries = (await queue()).filter(({ is_ignored }) => is_ignored === ignored);
        const page = entries.slice(skip, limit === undefined ? entries.length : skip + limit);
        const rows = await Promise.all(page.map((entry) => seenBy(entry, userId)));
        return { answer: { status: 200, rows, total: entries.length } };
      },
    }),
    ignoring('POST'),
    ignoring('DELETE'),
  ];
}

function adoptRoutes(deps: AdoptionRouteDeps): Route[] {
  const access = {
    who: 'farm',
    of: 'control_point',
    at: 'params',
    field: 'control_point_id',
    right: 'operate',
    others: 404,
  } as const satisfies Access;
  async function fresh(id: string): Promise<ControlView> {
    const view = await deps.freshView(id);
    if (view === null) throw notFound('Control point');
    return view;
  }
  const askedIn = (request: Request<unknown, unknown, unknown>, input: Asked['input']): Asked => ({
    caller: signedIn(request),
    language: request.language,
    input,
  });
  const answered = (
    status: number,
    { answer, changes = [], guards = [] }: Decision<AdoptAnswer>,
  ): RouteDecision => ({
    answer: { status, body: answer },
    changes,
    guards,
    whenStored: () => deps.forgetSeen(answer.device_id),
  });
  const giving = (how: 'adopt' | 'replace') =>
    route({
      method: 'POST',
      path: `/control-points/{control_point_id}/${how}`,
      tag,
      summary:
        how === 'adopt'
          ? 'Give a control point its controller, or the same controller a new key after it was reflashed'
          : 'Put another controller in the place of a broken one: the control point keeps its identity and history',
      access,
      // keys are handed out here: for people only
      token: 'never',
      answersSecret: true,
      params: z.object({ control_point_id: idInput }),
      body: adoptInput,
      // without any it is a new key for the same controller
      decidedBy: { fields: ['device_id', 'mac', 'claim'], otherwise: 'refused' },
      answers: { 200: { schema: adoptAnswer } },
      async prepare(request) {
        const view = await fresh(request.params.control_point_id);
        const asked = askedIn(request, request.body);
        return giveKey(deps, asked, view, (given) => adoptDevice(deps, { view, how }, asked, given));
      },
      async handle(request, given) {
        const view = await fresh(request.params.control_point_id);
        return answered(200, await adoptDevice(deps, { view, how }, askedIn(request, request.body), given));
      },
    });
  return [
    giving('adopt'),
    giving('replace'),
    route({
      method: 'POST',
      path: '/adoption/create',
      answersSecret: true,
      tag,
      summary: 'A new control point for a device of the queue, in one step',
      access: { who: 'farm', of: 'farm', at: 'body', field: 'farm_id', right: 'operate', others: 403 },
      token: 'never',
      body: adoptNewInput,
      answers: { 201: { schema: adoptAnswer } },
      async prepare(request) {
        const { farm_id, cod, ...input } = request.body;
        const asked = askedIn(request, input);
        return giveKey(deps, asked, null, (given) => adoptAsNew(deps, { farm_id, cod }, asked, given));
      },
      async handle(request, given) {
        const { farm_id, cod, ...input } = request.body;
        return answered(201, await adoptAsNew(deps, { farm_id, cod }, askedIn(request, input), given));
      },
    }),
  ];
}
