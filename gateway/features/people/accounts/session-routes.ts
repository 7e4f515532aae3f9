import * as z from 'zod';
import { idInput, pageQuery } from '#contract/fields.ts';
import { sessionAnswer, sessionEnd, sessionsEnded } from '#contract/resources/sessions.ts';
import { signedIn } from '#core/request-checks.ts';
import { type Caller, type Route, route } from '#core/route.ts';
import { type PresentPasswordDeps, requireAgain } from '../present-password.ts';
import type { AccountQueries } from './ports.ts';
import type { SessionList } from './session-list.ts';

export type SessionRouteDeps = PresentPasswordDeps & {
  queries: Pick<AccountQueries, 'accountById'>;
  sessions: Pick<SessionList, 'list' | 'end' | 'endOthers'>;
};

const params = z.object({ session_id: idInput });
// a program neither sees where its owner is signed in nor signs the owner out
const common = { tag: 'Auth', access: { who: 'account' }, token: 'never' } as const;

/** The logins of the caller: seen, and ended from elsewhere. */
export function sessionRoutes(deps: SessionRouteDeps): Route[] {
  const again = (caller: Caller, password: string | undefined, source: string) =>
    requireAgain({ ...deps, ...deps.queries }, caller, { password, source }, 'end other sessions');
  return [
    route({
      ...common,
      method: 'GET',
      path: '/auth/sessions',
      summary:
        'Where the caller is logged in at this instance: one row per login, whatever renewals; this one first',
      query: pageQuery,
      answers: { 200: { schema: sessionAnswer, list: true } },
      async handle(request) {
        const { skip, limit } = request.query;
        const all = await deps.sessions.list(signedIn(request));
        const rows = all.slice(skip, limit === undefined ? undefined : skip + limit);
        return { answer: { status: 200, rows, total: all.length } };
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/auth/sessions',
      summary: 'End all sessions of the caller but this one, unlisted older logins too; access tokens stay',
      body: sessionEnd,
      answers: { 200: { schema: sessionsEnded } },
      async handle(request) {
        const caller = signedIn(request);
        await again(caller, request.body.current_password, request.source);
        const { answer: ended, changes = [] } = await deps.sessions.endOthers(caller);
        return { answer: { status: 200, body: { ended } }, changes };
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/auth/sessions/{session_id}',
      summary: 'End one session of the caller: its tokens and event streams open nothing any more',
      params,
      body: sessionEnd,
      answers: { 204: null },
      async handle(request) {
        const caller = signedIn(request);
        const { session_id: id } = request.params;
        const ended = await deps.sessions.end(caller, id);
        // leaving oneself is logging out
        if (id !== caller.login?.id) await again(caller, request.body.current_password, request.source);
        return { ...ended, answer: { status: 204 } };
      },
    }),
  ];
}
