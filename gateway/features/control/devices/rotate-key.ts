import * as z from 'zod';
import { idInput } from '#contract/fields.ts';
import { type RotationAnswer, rotationAnswer } from '#contract/resources/adoption.ts';
import { deviceKey } from '#contract/resources/local-tables.ts';
import { onTables, rowsOf } from '#core/changes.ts';
import { conflict, notFound } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { NewestMap } from '#core/newest-map.ts';
import { signedIn } from '#core/request-checks.ts';
import { type Access, type Route, route } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import type { ControlView } from '../control-view.ts';
import type { Controller, DeviceTalk } from '../device-link.ts';
import { issueKey, type KeyDeps, OVERLAP_MS } from './device-keys.ts';

/** Rotations that are under way or shown; one that fell out is begun again by hand. */
const MOST_ROTATIONS = 10_000;

type RotationDeps = KeyDeps &
  Pick<Kernel, 'log'> & {
    /** How long a key is under way is measured on it. */
    monotonic: () => number;
    viewById: (id: string) => ControlView | null;
    talk: () => DeviceTalk | null;
    /** Its rotation got further. */
    changed: (controlPointId: string) => void;
  };

type Rotation = {
  keyId: string;
  mqttId: string;
  /** Only here, only until it is in use: the database holds its hash. */
  key: string;
  correlation: string | null;
  state: 'waiting' | 'sent' | 'stored' | 'refused' | 'done';
  /** Both on the monotonic clock. */
  startedAt: number;
  sentAt: number;
  detail: string | null;
};

export type KeyRotation = ReturnType<typeof createKeyRotation>;

const COMMAND_LIVES_S = 60;

/**
 * New keys over the connection of the old ones. Both open until the new one has been used; a controller that never takes
 * the new one, or is away for a day, goes on with the old one. After a restart a new key that is not in use is void.
 */
export function createKeyRotation(deps: RotationDeps) {
  const rotationsByPoint = new NewestMap<string, Rotation>(MOST_ROTATIONS);

  function send(controlPointId: string, rotation: Rotation): void {
    const now = deps.monotonic();
    const isStored = deps.viewById(controlPointId)?.keys.some(({ id }) => id === rotation.keyId) === true;
    // another key took its place, or it was never stored
    if (!isStored) rotationsByPoint.delete(controlPointId);
    if (!isStored) deps.changed(controlPointId);
    if (!isStored || now > rotation.startedAt + OVERLAP_MS) return;
    const correlation = deps.newId();
    const wasSent = deps.talk()?.sendCommand(rotation.mqttId, correlation, {
      op: 'rotate_key',
      expires_in_s: COMMAND_LIVES_S,
      key: rotation.key,
    });
    if (wasSent !== true) return;
    rotation.correlation = correlation;
    rotation.state = 'sent';
    rotation.sentAt = now;
    deps.changed(controlPointId);
    deps.log.info({ controlPointId, correlation }, 'a new key is on its way to its controller');
  }

  return {
    /** Decides a new key that goes out over MQTT once it is stored. 409 for a controller that cannot be sent one. */
    start(view: ControlView, by: string): Decision<RotationAnswer> {
      if (!view.keys.some(({ state }) => state === 'active')) {
        throw conflict(
          'This controller has no key in use that could be rotated; issue one and write it over the cable',
          'NO_KEY_IN_USE',
        );
      }
      if (view.presence.via === 'http' && !view.presence.isConnected) {
        throw conflict(
          'This controller speaks HTTP, which carries no commands; issue a key and write it over the cable',
          'NOT_OVER_MQTT',
        );
      }
      const retiresAt = deps.now() + OVERLAP_MS;
      const { answer: issued, changes = [] } = issueKey(deps, view, by, { retiresAt, to: 'its controller' });
      rotationsByPoint.set(view.row.id, {
        keyId: issued.row.id,
        mqttId: view.mqttId,
        key: issued.key,
        correlation: null,
        state: 'waiting',
        startedAt: deps.monotonic(),
        sentAt: 0,
        detail: null,
      });
      return { answer: answerOf(deps, view.row.id, rotationsByPoint.get(view.row.id)), changes };
    },

    status: (view: ControlView): RotationAnswer =>
      answerOf(deps, view.row.id, rotationsByPoint.get(view.row.id)),

    /** Sends what was just stored, and ends with the first use of the new key. */
    follow: onTables([deviceKey], (committed) => {
      if (rotationsByPoint.size === 0) return;
      for (const { id, after } of rowsOf(committed, deviceKey)) {
        const rotation = rotationsByPoint.get(after.control_point_id);
        if (rotation === undefined || rotation.keyId !== id) continue;
        if (after.state === 'active') {
          rotation.state = 'done';
          rotation.key = '';
          deps.changed(after.control_point_id);
        } else if (rotation.state === 'waiting') send(after.control_point_id, rotation);
      }
    }),

    /** It is here again, and not with the new key: it may never have heard of it. */
    connected({ controlPointId, keyId }: Controller): void {
      const rotation = rotationsByPoint.get(controlPointId);
      if (rotation === undefined || rotation.keyId === keyId) return;
      if (rotation.state !== 'sent' && rotation.state !== 'stored') return;
      rotation.state = 'waiting';
      deps.changed(controlPointId);
    },

    /** With its heartbeat it has subscribed to its commands. */
    heard({ controlPointId }: Controller): void {
      const rotation = rotationsByPoint.get(controlPointId);
      if (rotation === undefined) return;
      const isLost = rotation.state === 'sent' && deps.monotonic() - rotation.sentAt > COMMAND_LIVES_S * 1000;
      if (rotation.state === 'waiting' || isLost) send(controlPointId, rotation);
    },

    result(
      { controlPointId }: Controller,
      correlation: string,
      { ok, detail }: { ok: boolean; detail?: string | undefined },
    ): void {
      const rotation = rotationsByPoint.get(controlPointId);
      if (rotation === undefined || rotation.correlation !== correlation || rotation.state === 'done') return;
      rotation.state = ok ? 'stored' : 'refused';
      rotation.detail = ok ? null : (detail ?? null);
      deps.changed(controlPointId);
    },
  };
}

function answerOf(
  deps: Pick<RotationDeps, 'now' | 'monotonic'>,
  controlPointId: string,
  rotation: Rotation | undefined,
): RotationAnswer {
  if (rotation === undefined) {
    return {
      control_point_id: controlPointId,
      state: 'none',
      key_id: null,
      started_at: null,
      expires_at: null,
      detail: null,
    };
  }
  const startedAt = deps.now() - (deps.monotonic() - rotation.startedAt);
  return {
    control_point_id: controlPointId,
    state: rotation.state,
    key_id: rotation.keyId,
    started_at: isoOf(startedAt),
    expires_at: rotation.state === 'done' ? null : isoOf(startedAt + OVERLAP_MS),
    detail: rotation.detail,
  };
}

type RotationRouteDeps = {
  rotation: Pick<KeyRotation, 'start' | 'status'>;
  freshView: (controlPointId: string) => Promise<ControlView | null>;
};

export function rotationRoutes(deps: RotationRouteDeps): Route[] {
  const path = '/control-points/{control_point_id}/rotate-key';
  const params = z.object({ control_point_id: idInput });
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
  return [
    route({
      method: 'POST',
      path,
      tag: 'Devices',
      summary: 'Send the controller a new key over MQTT; the old one opens until the new one is used',
      access,
      params,
      answers: { 202: { schema: rotationAnswer } },
      async handle(request) {
        const view = await fresh(request.params.control_point_id);
        const { answer, ...decided } = deps.rotation.start(view, signedIn(request).userId);
        return { ...decided, answer: { status: 202, body: answer } };
      },
    }),
    route({
      method: 'GET',
      path,
      tag: 'Devices',
      summary: 'How far the rotation of the controller’s key is',
      access,
      params,
      answers: { 200: { schema: rotationAnswer } },
      async handle(request) {
        const view = await fresh(request.params.control_point_id);
        return { answer: { status: 200, body: deps.rotation.status(view) } };
      },
    }),
  ];
}
