import * as z from 'zod';
import { idInput } from '#contract/fields.ts';
import {
  type BoxRight,
  type BoxRightAnswer,
  boxRightAnswer,
  boxRightInput,
} from '#contract/resources/box-rights.ts';
import { instanceValue } from '#contract/resources/local-tables.ts';
import { emailKeyOf } from '#contract/resources/users.ts';
import { audit } from '#core/audit.ts';
import { purge } from '#core/changes.ts';
import { conflict, invalidField, notFound } from '#core/errors.ts';
import type { Kernel } from '#core/kernel.ts';
import { signedIn } from '#core/request-checks.ts';
import { type Caller, type Route, route } from '#core/route.ts';
import { BOX_RIGHT, grantBoxRight } from '#features/people/box-rights.ts';
import { type PresentPasswordDeps, requirePresentPassword } from '#features/people/present-password.ts';

type Account = { id: string; name: string; email: string; password_hash: string };

export type BoxRouteDeps = Pick<Kernel, 'now' | 'newId' | 'idOf' | 'clockQuality'> &
  PresentPasswordDeps & {
    rights: { all: () => Promise<(BoxRight & { userId: string })[]> };
    accountById: (id: string) => Promise<Account | null>;
    accountByEmail: (emailKey: string) => Promise<Account | null>;
  };

const common = { tag: 'System', token: 'never' } as const;
const owner = { ...common, access: { who: 'box', right: 'own' } } as const;

/** Who has rights over the box itself: shown to its keepers, given and taken by its owner. */
export function boxRoutes(deps: BoxRouteDeps): Route[] {
  const entry = (userId: string, action: string, details: Record<string, unknown>) =>
    audit(deps, {
      farm_id: null,
      entity_type: 'SYSTEM',
      entity_id: deps.idOf('gateway'),
      entity_name: 'gateway',
      action,
      user_id: userId,
      details,
    });
  return [
    route({
      ...common,
      access: { who: 'box', right: 'keep' },
      method: 'GET',
      path: '/system/rights',
      summary: 'Who has rights over this box: its owner, and whom he made keeper of it',
      answers: { 200: { schema: boxRightAnswer, list: true } },
      async handle() {
        const rows = await shown(deps);
        return { answer: { status: 200, rows, total: rows.length } };
      },
    }),
    route({
      ...owner,
      method: 'POST',
      path: '/system/rights',
      idempotent: true,
      summary: 'Make somebody keeper of this box, or pass the box on',
      body: boxRightInput,
      answers: { 201: { schema: boxRightAnswer } },
      async handle(request) {
        const caller = signedIn(request);
        const { user_id: id, email, right, current_password: password } = request.body;
        const person =
          id === undefined ? await deps.accountByEmail(emailKeyOf(email ?? '')) : await deps.accountById(id);
        if (person === null) throw notFound('User');
        const before = (await deps.rights.all()).filter((one) => one.right === 'owner');
        if (right === 'owner') await requireOwnPassword(deps, caller, { password, source: request.source });
        else if (before.some((one) => one.userId === person.id))
          throw conflict('This is the owner of the box', 'BOX_OWNER');
        const by = { by: caller.userId, now: deps.now() };
        const changes = [
          ...(right === 'owner' ? before.map((one) => grantBoxRight(one.userId, 'keep', by)) : []),
          grantBoxRight(person.id, right, by),
          entry(caller.userId, 'box_right_granted', { to: person.id, right }),
        ];
        const { now } = by;
        const granted = { right, granted_by: caller.userId, granted_at: new Date(now).toISOString() };
        return { answer: { status: 201, body: answerOf(person, granted) }, changes };
      },
    }),
    route({
      ...owner,
      method: 'DELETE',
      path: '/system/rights/{user_id}',
      summary: 'Take the rights over this box from somebody',
      params: z.object({ user_id: idInput }),
      answers: { 204: null },
      async handle(request) {
        const caller = signedIn(request);
        const id = request.params.user_id;
        const known = (await deps.rights.all()).find(({ userId }) => userId === id);
        if (known === undefined) throw notFound('Right');
        if (known.right === 'owner') throw conflict('Pass the box on to somebody first', 'BOX_OWNER');
        const changes = [
          purge(instanceValue, `${BOX_RIGHT}${id}`),
          entry(caller.userId, 'box_right_revoked', { of: id }),
        ];
        return { answer: { status: 204 }, changes };
      },
    }),
  ];
}

async function shown(deps: BoxRouteDeps): Promise<BoxRightAnswer[]> {
  const people = await Promise.all(
    (await deps.rights.all()).map(async ({ userId, ...right }) => {
      const person = await deps.accountById(userId);
      return person === null ? null : answerOf(person, right);
    }),
  );
  return people.filter((one) => one !== null);
}

const answerOf = ({ id, name, email }: Account, right: BoxRight): BoxRightAnswer => ({
  user_id: id,
  name,
  email,
  ...right,
});

async function requireOwnPassword(
  deps: BoxRouteDeps,
  { userId }: Caller,
  { password, source }: { password: string | undefined; source: string },
): Promise<void> {
  const own = await deps.accountById(userId);
  if (own === null || password === undefined)
    throw invalidField(422, 'current_password', 'is needed to pass the box on');
  await requirePresentPassword(deps, own, { field: 'current_password', password, source });
}
