import type { BenchLabel } from '#contract/resources/bench.ts';
import { notFound } from '#core/errors.ts';
import type { Language } from '#core/notifying.ts';
import { requireRight } from '#core/request-checks.ts';
import type { FarmFound } from '#core/route.ts';
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
export async function labelsOf(
  deps: LabelDeps,
  ids: readonly string[],
  userId: string,
): Promise<BenchLabel[]> {
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
