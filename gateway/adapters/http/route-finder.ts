import { AppError } from '#core/errors.ts';
import type { Route } from '#core/route.ts';

export type RouteFound<Served> = {
  served: Served | null;
  params: Readonly<Record<string, string>>;
  /** Methods this path has. */
  allow: string;
};

type Leaf<Served> = { byMethod: Map<string, { served: Served; names: readonly string[] }>; allow: string };
type Branch<Served> = {
  fixed: Map<string, Branch<Served>>;
  parameter: Branch<Served> | null;
  leaf: Leaf<Served> | null;
};

/**
 * Finds the route of a request in time that does not grow with the table. A fixed segment goes before a parameter:
 * /ponds/summary-cards is not a pond. Paths that differ only in the names of their parameters are one path, and each
 * method on it has its own names. `null`: there is no such path.
 */
export function routeFinder<Served>(
  routes: readonly Route[],
  serve: (route: Route) => Served,
): (method: string, path: string) => RouteFound<Served> | null {
  const root = newBranch<Served>();
  for (const route of routes) plant(root, route, serve(route));
  return (method, path) => {
    const values: string[] = [];
    const leaf = search(root, segmentsOf(path), 0, values);
    if (leaf === null) return null;
    // what answers GET answers HEAD, without the body
    const found = leaf.byMethod.get(method === 'HEAD' ? 'GET' : method);
    if (found === undefined) return { served: null, params: {}, allow: leaf.allow };
    return { served: found.served, params: paramsOf(found.names, values), allow: leaf.allow };
  };
}

function newBranch<Served>(): Branch<Served> {
  return { fixed: new Map(), parameter: null, leaf: null };
}

function plant<Served>(root: Branch<Served>, route: Route, served: Served): void {
  const names: string[] = [];
  let branch = root;
  for (const segment of segmentsOf(route.path)) {
    if (segment.startsWith('{')) {
      names.push(segment.slice(1, -1));
      branch.parameter ??= newBranch();
      branch = branch.parameter;
    } else {
      const next = branch.fixed.get(segment) ?? newBranch<Served>();
      branch.fixed.set(segment, next);
      branch = next;
    }
  }
  branch.leaf ??= { byMethod: new Map(), allow: '' };
  if (branch.leaf.byMethod.has(route.method))
    throw new Error(`${route.method} ${route.path} stands twice in the table`);
  branch.leaf.byMethod.set(route.method, { served, names });
  branch.leaf.allow = [...branch.leaf.byMethod.keys()].join(', ');
}

function search<Served>(
  branch: Branch<Served>,
  segments: readonly string[],
  at: number,
  values: string[],
): Leaf<Served> | null {
  const segment = segments[at];
  if (segment === undefined) return branch.leaf;
  const next = branch.fixed.get(segment);
  const found = next === undefined ? null : search(next, segments, at + 1, values);
  if (found !== null || branch.parameter === null || segment === '') return found;
  values.push(segment);
  const below = search(branch.parameter, segments, at + 1, values);
  // a dead end must leave no value behind
  if (below === null) values.pop();
  return below;
}

/** `/farms/` and `/farms` are one path. */
function segmentsOf(path: string): string[] {
  return (path.endsWith('/') ? path.slice(1, -1) : path.slice(1)).split('/');
}

function paramsOf(names: readonly string[], values: readonly string[]): Readonly<Record<string, string>> {
  if (names.length === 0) return {};
  return Object.fromEntries(names.map((name, position) => [name, decoded(values[position] ?? '')]));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new AppError(400, 'The address of the request is not well encoded', { code: 'BAD_REQUEST' });
  }
}
