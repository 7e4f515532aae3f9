import * as z from 'zod';
import { errorBody, idInput } from '#contract/fields.ts';
import { type BenchLabel, benchLabel, benchLabelInput, benchLabelQuery } from '#contract/resources/bench.ts';
import { boardLabel } from '#contract/resources/local-tables.ts';
import { audit } from '#core/audit.ts';
import { put } from '#core/changes.ts';
import { notFound } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Language } from '#core/notifying.ts';
import { requireRight, signedIn } from '#core/request-checks.ts';
import { type FarmFound, type Route, route } from '#core/route.ts';
import type { ControlView, ControlViews } from '#features/control/control-view.ts';
import type { BoardLabel } from './ports.ts';

export type LabelDeps = {
  views: Pick<ControlViews, 'byId'>;
  accessTo: (of: 'control_point', id: string, userId: string) => Promise<FarmFound | null>;
  /** What is known of the boards that control points have. */
  keptLabels: (controlPointIds: readonly string[]) => Promise<BoardLabel[]>;
  drawLabels: (views: readonly ControlView[], kept: readonly BoardLabel[]) => Promise<BenchLabel[]>;
  labelPage: (labels: readonly BenchLabel[], language: Language) => Promise<{ html: string; style: string }>;
};

/** Labels in the order asked for. Throws 404 for what is not there or not the caller's to see, 403 for a mere viewer. */
async function labelsOf(deps: LabelDeps, ids: readonly string[], userId: string): Promise<BenchLabel[]> {
  const views: ControlView[] = [];
  for (const id of new Set(ids)) views.push(await operated(deps, id, userId));
  return deps.drawLabels(views, await deps.keptLabels(views.map(({ row }) => row.id)));
}

/** The control point, if the caller may operate it. Throws 404, 403. */
export async function operated(
  deps: Pick<LabelDeps, 'views' | 'accessTo'>,
  id: string,
  userId: string,
): Promise<ControlView> {
  const found = await deps.accessTo('control_point', id, userId);
  const view = deps.views.byId(id);
  if (found?.role == null || view === null) throw notFound('Control point');
  requireRight(found.role, 'operate');
  return view;
}

type LabelRouteDeps = LabelDeps & Pick<Kernel, 'now' | 'newId' | 'idOf' | 'clockQuality'>;

const tag = 'Bench';
// who has a control token may make the very keys
const account = { tag, access: { who: 'account' }, token: 'control' } as const;
const params = z.object({ control_point_id: idInput });
/** Of control points that the caller may not operate, or does not see. */
const refused = { 403: { schema: errorBody }, 404: { schema: errorBody } };
const htmlPage = z.string().describe('A page to print at 100 % on A4 sheets of 24 labels, 70 × 37 mm');

export function labelRoutes(deps: LabelRouteDeps): Route[] {
  return [
    route({
      ...account,
      method: 'GET',
      path: '/bench/labels',
      summary: 'Labels of control points you may operate, with the QR codes of the boards they have',
      query: benchLabelQuery,
      answers: { 200: { schema: benchLabel, list: true }, ...refused },
      async handle(request) {
        const rows = await labelsOf(deps, request.query.ids, signedIn(request).userId);
        return { answer: { status: 200, rows } };
      },
    }),
    route({
      ...account,
      method: 'GET',
      path: '/bench/label-sheet',
      summary: 'The same as a page for the printer',
      query: benchLabelQuery,
      answers: { 200: { schema: htmlPage, media: 'text/html' }, ...refused },
      async handle(request) {
        const labels = await labelsOf(deps, request.query.ids, signedIn(request).userId);
        const { html, style } = await deps.labelPage(labels, request.language);
        return { answer: { status: 200, text: { type: 'text/html; charset=utf-8', chunks: [html], style } } };
      },
    }),
    route({
      ...account,
      method: 'PUT',
      path: '/bench/labels/{control_point_id}',
      hasNoTag: true,
      summary: 'Note the claim code that was written to the board of a control point at another machine',
      params,
      body: benchLabelInput,
      answers: { 200: { schema: benchLabel } },
      async handle(request) {
        const { userId } = signedIn(request);
        const view = await operated(deps, request.params.control_point_id, userId);
        const { id, device_id, farm_id, cod } = view.row;
        const label = { id, device_id, ...request.body, made_at: isoOf(deps.now()) };
        const [body] = await deps.drawLabels([view], [label]);
        const entry = audit(deps, {
          farm_id,
          entity_type: 'CONTROL_POINT',
          entity_id: id,
          entity_name: cod,
          action: 'update',
          user_id: userId,
          details: { label: 'noted', mac: label.mac },
        });
        return { answer: { status: 200, body }, changes: [put(boardLabel, label), entry] };
      },
    }),
  ];
}
