import * as z from 'zod';
import { type CommandEvent, commandEvent } from '#contract/events/stream.ts';
import { idInput, pageQuery } from '#contract/fields.ts';
import { commandEntry } from '#contract/resources/control-points.ts';
import type { Language } from '#contract/words.ts';
import { journalAnswer } from '#core/audit.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { type Route, route } from '#core/route.ts';
import { whyWords } from './command-words.ts';
import type { Command, CommandQueries, NamedCommand } from './ports.ts';
import { asOf, isUnderWay } from './take-command.ts';

type CommandRouteDeps = Pick<Kernel, 'now'> & {
  queries: Pick<CommandQueries, 'countJourneys' | 'journeyOf' | 'ordersOf'>;
};

export function commandRoutes(deps: CommandRouteDeps): Route[] {
  return [
    route({
      method: 'GET',
      path: '/control-points/{control_point_id}/commands',
      tag: 'Control points',
      invalid: 400,
      summary:
        'Orders given on the hosted instance to a farm with a gateway, newest first: who, when, how far each got, and why',
      access: {
        who: 'farm',
        of: 'control_point',
        at: 'params',
        field: 'control_point_id',
        right: 'read',
        others: 404,
      },
      params: z.object({ control_point_id: idInput }),
      query: pageQuery,
      answers: { 200: { schema: commandEntry, list: true } },
      async handle(request) {
        const { control_point_id: id } = request.params;
        return {
          answer: await journalAnswer(request.query, {
            count: () => deps.queries.countJourneys(id),
            rows: (page) => entries(deps, deps.queries.journeyOf(id, page), request.language),
          }),
        };
      },
    }),
  ];
}

/** What is told of an order while it goes its way; in words of the log, not of a reader. */
export function commandEventOf(row: Command, farmId: string): CommandEvent {
  return commandEvent.parse({
    ...row,
    farm_id: farmId,
    issued_at: isoOf(row.issued_at_ms),
    expires_at: isoOf(row.expires_at_ms),
  });
}

async function* entries(
  deps: CommandRouteDeps,
  rows: AsyncIterable<NamedCommand>,
  language: Language,
): AsyncIterable<z.infer<typeof commandEntry>> {
  for await (const stored of rows) {
    const row = await standing(deps, stored);
    yield commandEntry.parse({
      ...row,
      issued_at: isoOf(row.issued_at_ms),
      expires_at: isoOf(row.expires_at_ms),
      result: whyWords(row.result, language),
    });
  }
}

/** As it stands now: whoever notes that its time is over may be busy, or have died a moment ago. */
async function standing(deps: CommandRouteDeps, row: NamedCommand): Promise<NamedCommand> {
  const isLate = isUnderWay(row.state) && deps.now() >= row.expires_at_ms;
  const [made] = isLate ? await deps.queries.ordersOf([row.id]) : [];
  return asOf(row, deps.now(), made);
}
