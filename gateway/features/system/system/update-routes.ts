import type * as z from 'zod';
import { systemUpdateAnswer, systemUpdateInput } from '#contract/resources/system.ts';
import { type Route, route } from '#core/route.ts';

export type UpdateAnswer = z.infer<typeof systemUpdateAnswer>;

export type UpdateRouteDeps = {
  updateState: () => Promise<UpdateAnswer>;
  /** Begins an update in a process of its own. Throws 409 with a code for what is refused at once. */
  beginUpdate: (wish: { from: string; allowOlder: boolean }) => Promise<void>;
};

const path = '/system/update';
const tag = 'System';

export function updateRoutes(deps: UpdateRouteDeps): Route[] {
  return [
    route({
      method: 'GET',
      path,
      tag,
      summary: 'Which version runs, and how far an update is',
      access: { who: 'admin' },
      answers: { 200: { schema: systemUpdateAnswer } },
      async handle() {
        return { answer: { status: 200, body: await deps.updateState() } };
      },
    }),
    route({
      method: 'POST',
      path,
      tag,
      summary:
        'Update the program from a signed package; it goes back by itself when it does not prove itself',
      access: { who: 'admin' },
      body: systemUpdateInput,
      answers: { 202: { schema: systemUpdateAnswer } },
      async handle({ body }) {
        await deps.beginUpdate({ from: body.from, allowOlder: body.allow_older ?? false });
        return { answer: { status: 202, body: await deps.updateState() } };
      },
    }),
  ];
}
