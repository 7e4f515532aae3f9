import * as z from 'zod';
import { idInput } from '#contract/fields.ts';
import {
  type SirenAnswer,
  sirenAnswer,
  sirenHushInput,
  sirenSettings,
  sirenSettingsInput,
  sirenTestInput,
} from '#contract/resources/sirens.ts';
import { audit } from '#core/audit.ts';
import { type Change, put } from '#core/changes.ts';
import { conflict } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { onFarm, signedIn } from '#core/request-checks.ts';
import { type Route, type RouteDecision, route } from '#core/route.ts';
import { type ControlView, currentOf, targetOf } from '#features/control/control-view.ts';
import type { Sirens } from './sound-sirens.ts';

export type SirenRouteDeps = Pick<Kernel, 'now' | 'newId' | 'idOf' | 'clockQuality'> & {
  monotonic: () => number;
  sirens: Sirens;
  /** Control points of a farm that are sirens. */
  sirensOn: (farmId: string) => readonly ControlView[];
  isOnline: (view: ControlView) => boolean;
};

const params = z.object({ farm_id: idInput });
const atFarm = { who: 'farm', of: 'farm', at: 'params', field: 'farm_id', others: 404 } as const;
const tag = 'Siren';
const answers = { 200: { schema: sirenAnswer } };
const MOST_ALERTS = 20;

/** The sirens of a farm: how they stand, their test, a hush, and how long they sound. */
export function sirenRoutes(deps: SirenRouteDeps): Route[] {
  const answerOf = (farmId: string) => sirenAnswerOf(deps, farmId);
  /** What a siren does holds at once, whatever the disk says. */
  const done = (farmId: string, changes: Change[]): RouteDecision => {
    const answer = { status: 200, body: answerOf(farmId) };
    return { answer, changes, whenStorageFails: () => answer };
  };
  const entry = (
    request: Parameters<typeof signedIn>[0] & Parameters<typeof onFarm>[0],
    action: string,
    details: Record<string, unknown>,
  ): Change =>
    audit(deps, {
      farm_id: onFarm(request).farmId,
      entity_type: 'SYSTEM',
      entity_id: onFarm(request).farmId,
      entity_name: 'siren',
      action,
      user_id: signedIn(request).userId,
      details,
    });
  return [
    route({
      method: 'GET',
      path: '/farms/{farm_id}/siren',
      tag,
      summary: 'The sirens of a farm: whether they sound, until when, and for which alerts',
      access: { ...atFarm, right: 'read' },
      params,
      answers,
      async handle(request) {
        return { answer: { status: 200, body: answerOf(request.params.farm_id) } };
      },
    }),
    route({
      method: 'PUT',
      path: '/farms/{farm_id}/siren/settings',
      hasNoTag: true,
      tag,
      summary: 'How long the sirens sound and pause; fields left out stay',
      access: { ...atFarm, right: 'operate' },
      params,
      body: sirenSettingsInput,
      answers,
      async handle(request) {
        const { farm_id: id } = request.params;
        const { sound_minutes, pause_minutes } = request.body;
        const known = deps.sirens.settingsOf(id);
        const next = {
          sound_minutes: sound_minutes ?? known.sound_minutes,
          pause_minutes: pause_minutes ?? known.pause_minutes,
        };
        return {
          answer: { status: 200, body: { ...answerOf(id), ...next } },
          changes: [
            put(sirenSettings, { id, ...next, updated_at: isoOf(deps.now()) }),
            entry(request, 'siren_settings', next),
          ],
        };
      },
    }),
    route({
      method: 'POST',
      path: '/farms/{farm_id}/siren/test',
      tag,
      summary: 'Sound every siren of the farm for a few seconds',
      access: { ...atFarm, right: 'operate' },
      params,
      body: sirenTestInput,
      answers,
      async handle(request) {
        const { farm_id: farmId } = request.params;
        requireSiren(deps, farmId);
        deps.sirens.test(farmId, request.body.seconds * 1000);
        return done(farmId, [entry(request, 'siren_test', { seconds: request.body.seconds })]);
      },
    }),
    route({
      method: 'POST',
      path: '/farms/{farm_id}/siren/hush',
      tag,
      summary: 'Quiet the sirens for some minutes without acknowledging anything',
      access: { ...atFarm, right: 'attend' },
      params,
      body: sirenHushInput,
      answers,
      async handle(request) {
        const { farm_id: farmId } = request.params;
        requireSiren(deps, farmId);
        // what waits now is what is hushed: the look notes it, so that only what comes later breaks the hush
        deps.sirens.look(farmId);
        deps.sirens.hush(farmId, request.body.minutes * 60_000);
        return done(farmId, [entry(request, 'siren_hushed', { minutes: request.body.minutes })]);
      },
    }),
  ];
}

function requireSiren({ sirensOn }: SirenRouteDeps, farmId: string): void {
  if (sirensOn(farmId).length > 0) return;
  throw conflict(
    'This farm has no siren: wire one to a control point, and mark it as a siren in its settings',
    'NO_SIREN',
  );
}

function sirenAnswerOf(deps: SirenRouteDeps, farmId: string): SirenAnswer {
  const { state, until, alerts } = deps.sirens.look(farmId);
  const { sound_minutes, pause_minutes } = deps.sirens.settingsOf(farmId);
  return {
    farm_id: farmId,
    state,
    until: until === null ? null : isoOf(deps.now() + until - deps.monotonic()),
    sound_minutes,
    pause_minutes,
    alerts: alerts
      .slice(0, MOST_ALERTS)
      .map(({ id, type, message, triggered_at }) => ({ id, type, message, triggered_at })),
    sirens: deps.sirensOn(farmId).map((view) => ({
      control_point_id: view.row.id,
      cod: view.row.cod,
      is_online: deps.isOnline(view),
      locked_out: view.row.locked_out,
      target_status: targetOf(view).target_status,
      current_status: currentOf(view).current_status,
    })),
  };
}
