import * as z from 'zod';
import { flagInQuery, idInput, numberInQuery } from '#contract/fields.ts';
import { MAX_FIRMWARE_BYTES } from '#contract/mqtt/ota.ts';
import {
  controllerFirmware,
  rolloutDetail as detailShape,
  firmwareAnswer,
  rolloutInput,
  rolloutAnswer as rolloutShape,
  rolloutStateInput,
} from '#contract/resources/firmware.ts';
import type { Right } from '#contract/rights.ts';
import { AppError, notFound } from '#core/errors.ts';
import { notAuthenticated, onFarm, requireRight, signedIn } from '#core/request-checks.ts';
import { type FarmFound, type Request, type Route, route } from '#core/route.ts';
import type { ControlView, ControlViews } from '#features/control/control-view.ts';
import { type BeginDeps, backwards, beginRollout, changeRollout } from './begin-rollout.ts';
import type { FirmwareQueries, ImageFiles } from './ports.ts';
import type { RolloutBook } from './rollout-book.ts';
import { type AnswerDeps, controllersOf, imageAnswer, rolloutAnswer, rolloutDetail } from './rollouts.ts';
import { deleteFirmware, type StoreDeps, storeFirmware } from './store-firmware.ts';

type DownloadDeps = {
  book: RolloutBook;
  views: ControlViews;
  files: ImageFiles;
  /** Who calls for a controller: itself by its key, or a user. Throws 401 and 404. */
  deviceCaller: (
    deviceId: string,
    request: Pick<Request<unknown, unknown, unknown>, 'bearer' | 'source'>,
  ) => Promise<{ kind: 'controller'; authenticated: boolean; view: ControlView } | { kind: 'user' }>;
};

/** What a controller fetches: the image of the update it is asked to take, piece by piece. */
function downloadRoute(deps: DownloadDeps): Route {
  const noSuchJob = () => notFound('Update');
  return route({
    method: 'GET',
    path: '/devices/firmware/{job}',
    tag: 'Devices',
    summary: 'The image of the update a controller is asked to take; whole, or a piece of it',
    access: { who: 'device' },
    params: z.object({ job: z.string().min(1).max(64) }),
    query: z.object({
      offset: numberInQuery(z.number().int().min(0).max(MAX_FIRMWARE_BYTES)).default(0),
      length: numberInQuery(z.number().int().min(1).max(MAX_FIRMWARE_BYTES)).optional(),
    }),
    answers: {
      200: {
        schema: z.string().meta({ format: 'binary' }),
        media: 'application/octet-stream',
      },
    },
    async handle(request) {
      if (request.bearer === null) throw notAuthenticated();
      const offer = deps.book.offerOf(request.params.job);
      const view = offer === null ? null : deps.views.byId(offer.target.control_point_id);
      if (offer === null || view === null) throw noSuchJob();
      const who = await deps.deviceCaller(view.row.device_id, request);
      if (who.kind !== 'controller' || !who.authenticated || who.view.row.id !== view.row.id)
        throw noSuchJob();
      const { offset, length = offer.image.size } = request.query;
      const bytes = await deps.files.read(offer.image.sha256, { offset, length });
      if (bytes === null) {
        throw new AppError(503, 'The image cannot be read now; try again later', {
          code: 'STORAGE_UNAVAILABLE',
          headers: { 'Retry-After': '30' },
        });
      }
      deps.book.heard(offer.target.id, offset + bytes.length);
      return {
        answer: {
          status: 200,
          file: { type: 'application/octet-stream', bytes },
          headers: { 'Content-Length': String(bytes.length) },
        },
      };
    },
  });
}

type FirmwareRouteDeps = BeginDeps &
  StoreDeps &
  AnswerDeps &
  DownloadDeps & {
    queries: FirmwareQueries;
    accessTo: (of: 'farm', id: string, userId: string) => Promise<FarmFound | null>;
  };

const tag = 'Firmware';
/** The manifest before an image. */
const MANIFEST_ROOM = 8_192;
const ROLLOUTS_SHOWN = 50;

export function firmwareRoutes(deps: FirmwareRouteDeps): Route[] {
  return [...storeRoutes(deps), ...rolloutRoutes(deps), ...oneRolloutRoutes(deps), downloadRoute(deps)];
}

function storeRoutes(deps: FirmwareRouteDeps): Route[] {
  const params = z.object({ firmware_id: idInput });
  // a file counts by its signature, whoever brings it
  return [
    route({
      method: 'GET',
      path: '/firmware/',
      tag,
      summary: 'Firmware of controllers in the store of this gateway, newest upload first',
      access: { who: 'box', right: 'work' },
      answers: { 200: { schema: firmwareAnswer, list: true } },
      async handle() {
        const images = deps.book.images().sort((a, b) => (a.uploaded_at < b.uploaded_at ? 1 : -1));
        return { answer: { status: 200, rows: images.map((image) => imageAnswer(deps, image)) } };
      },
    }),
    route({
      method: 'POST',
      path: '/firmware/',
      tag,
      summary: 'Put a signed firmware file into the store',
      access: { who: 'box', right: 'work' },
      token: 'never',
      query: z.object({ allow_older: flagInQuery.default(false) }),
      takes: { media: 'application/octet-stream', maxBytes: MAX_FIRMWARE_BYTES + MANIFEST_ROOM },
      answers: { 200: { schema: firmwareAnswer }, 201: { schema: firmwareAnswer } },
      async handle(request) {
        const { userId } = signedIn(request);
        const bytes = request.upload ?? new Uint8Array();
        const { allow_older: allowOlder } = request.query;
        const stored = await storeFirmware(deps, bytes, { userId, allowOlder });
        const { image, isNew } = stored.answer;
        return { ...stored, answer: { status: isNew ? 201 : 200, body: imageAnswer(deps, image) } };
      },
    }),
    route({
      method: 'GET',
      path: '/firmware/{firmware_id}',
      tag,
      summary: 'One firmware of the store',
      access: { who: 'box', right: 'work' },
      params,
      answers: { 200: { schema: firmwareAnswer } },
      async handle(request) {
        const image = deps.book.imageById(request.params.firmware_id);
        if (image === null) throw notFound('Firmware');
        return { answer: { status: 200, body: imageAnswer(deps, image) } };
      },
    }),
    route({
      method: 'DELETE',
      path: '/firmware/{firmware_id}',
      tag,
      summary: 'Take a firmware out of the store; not while a rollout brings it to controllers',
      access: { who: 'box', right: 'work' },
      token: 'never',
      params,
      answers: { 204: null },
      async handle(request) {
        const { userId } = signedIn(request);
        const decision = await deleteFirmware(deps, request.params.firmware_id, userId);
        return { ...decision, answer: { status: 204 } };
      },
    }),
  ];
}

function rolloutRoutes(deps: FirmwareRouteDeps): Route[] {
  const ofFarm = { who: 'farm', of: 'farm', field: 'farm_id', others: 404 } as const;
  const query = z.object({ farm_id: idInput });
  return [
    route({
      method: 'GET',
      path: '/firmware/controllers',
      tag,
      summary: 'The controllers of a farm with the firmware each runs',
      access: { ...ofFarm, at: 'query', right: 'read' },
      query,
      answers: { 200: { schema: controllerFirmware, list: true } },
      async handle(request) {
        return { answer: { status: 200, rows: controllersOf(deps, onFarm(request).farmId) } };
      },
    }),
    route({
      method: 'GET',
      path: '/firmware/rollouts',
      tag,
      summary: 'Rollouts of firmware on a farm, newest first, without their controllers',
      access: { ...ofFarm, at: 'query', right: 'read' },
      query,
      answers: { 200: { schema: rolloutShape, list: true } },
      async handle(request) {
        const rollouts = await deps.queries.rolloutsOf(onFarm(request).farmId, ROLLOUTS_SHOWN);
        const targets = Map.groupBy(
          await deps.queries.targetsOf(rollouts.map(({ id }) => id)),
          (target) => target.rollout_id,
        );
        const rows = rollouts.map((rollout) =>
          rolloutAnswer(deps, { rollout, targets: targets.get(rollout.id) ?? [] }, request.language),
        );
        return { answer: { status: 200, rows } };
      },
    }),
    route({
      method: 'POST',
      path: '/firmware/rollouts',
      idempotent: true,
      tag,
      summary:
        'Begin to bring a firmware to the controllers of a farm, of some ponds, or to some controllers',
      access: { ...ofFarm, at: 'body', right: 'operate' },
      token: 'never',
      body: rolloutInput,
      answers: { 201: { schema: detailShape } },
      async handle(request) {
        const begun = await beginRollout(deps, request.body, signedIn(request).userId);
        const size = deps.book.imageById(begun.answer.rollout.firmware_id)?.size ?? 0;
        const body = rolloutDetail(deps, begun.answer, { language: request.language, size });
        return { ...begun, answer: { status: 201, body } };
      },
    }),
  ];
}

function oneRolloutRoutes(deps: FirmwareRouteDeps): Route[] {
  const params = z.object({ rollout_id: idInput });
  /** The rollout, for whoever has the right on its farm; for everybody else there is none. */
  async function found(
    request: Pick<Request<unknown, unknown, unknown>, 'caller'>,
    id: string,
    right: Right,
  ) {
    const rollout = await deps.queries.rolloutById(id);
    const { userId } = signedIn(request);
    const access = rollout === null ? null : await deps.accessTo('farm', rollout.farm_id, userId);
    if (rollout === null || access?.role == null) throw notFound('Rollout');
    requireRight(access.role, right);
    return { rollout, targets: await deps.queries.targetsOf([id]) };
  }
  const sizeOf = (firmwareId: string) => deps.book.imageById(firmwareId)?.size ?? 0;
  return [
    route({
      method: 'GET',
      path: '/firmware/rollouts/{rollout_id}',
      tag,
      summary: 'A rollout with each of its controllers, how far it is and why',
      access: { who: 'account' },
      params,
      answers: { 200: { schema: detailShape } },
      async handle(request) {
        const one = await found(request, request.params.rollout_id, 'read');
        const by = { language: request.language, size: sizeOf(one.rollout.firmware_id) };
        return { answer: { status: 200, body: rolloutDetail(deps, one, by) } };
      },
    }),
    route({
      method: 'PUT',
      path: '/firmware/rollouts/{rollout_id}/state',
      hasNoTag: true,
      tag,
      summary: 'Pause a rollout, let it go on, or cancel it',
      access: { who: 'account' },
      token: 'never',
      params,
      body: rolloutStateInput,
      answers: { 200: { schema: detailShape } },
      async handle(request) {
        const guard = await deps.guard('firmware_rollout', request.params.rollout_id);
        const one = await found(request, request.params.rollout_id, 'operate');
        const { state, reason } = request.body;
        const { userId } = signedIn(request);
        const wish = { state, reason: reason ?? null, userId };
        const changed = changeRollout(deps, { ...one, guard }, wish);
        const by = { language: request.language, size: sizeOf(one.rollout.firmware_id) };
        return { ...changed, answer: { status: 200, body: rolloutDetail(deps, changed.answer, by) } };
      },
    }),
    route({
      method: 'POST',
      path: '/firmware/rollouts/{rollout_id}/roll-back',
      idempotent: true,
      tag,
      summary: 'Begin a rollout that brings those a rollout has updated back to the version they had',
      access: { who: 'account' },
      token: 'never',
      params,
      answers: { 201: { schema: detailShape } },
      async handle(request) {
        const one = await found(request, request.params.rollout_id, 'operate');
        const wish = backwards(deps.book, one);
        const begun = await beginRollout(deps, wish, signedIn(request).userId);
        const by = { language: request.language, size: sizeOf(wish.firmware_id) };
        return { ...begun, answer: { status: 201, body: rolloutDetail(deps, begun.answer, by) } };
      },
    }),
  ];
}
