import * as z from 'zod';
import type { ZodOpenApiOperationObject } from 'zod-openapi';
import { STREAM_EVENTS } from '#contract/events/stream.ts';
import { errorBody } from '#contract/fields.ts';
import { eventStreamQuery } from './event-stream.ts';

const ABOUT = `Server-sent events of the caller's farms (own ones and those the caller is a member of); who joins or leaves a farm sees so on the open stream.

The first event is always \`snapshot\`; it replaces whatever the client knew, and comes again when the caller's farms change. \`Last-Event-ID\` is accepted and not needed: a stream that is opened again starts with a fresh snapshot, so nothing is missed. A comment line comes every five seconds: a client that hears nothing for twelve has lost the line.

Rows come whole, with \`rev\`: the higher one is newer. \`presence\` is gathered for a second. \`changed\` says which answers to ask anew where no row tells of it: nobody need poll. Before the server ends a stream it says \`closed\` with the reason; a client that falls 256 KiB behind is cut off without a word. One user may have 20 streams open (429), one instance 500 (503).

Clients that cannot send headers open the stream with \`?ticket=\` from \`POST /events/ticket\`.

Data of each event, by its name:`;

const refused = (description: string) => ({
  description,
  content: { 'application/json': { schema: errorBody } },
});

export const eventStreamOperation: ZodOpenApiOperationObject = {
  operationId: 'get_events',
  summary: 'What happens on the farms of the caller, as it happens',
  description: [
    ABOUT,
    ...Object.entries(STREAM_EVENTS).map(([name, schema]) => describeEvent(name, schema)),
  ].join('\n\n'),
  tags: ['Events'],
  'x-right': 'account',
  security: [{ bearer: [] }, {}],
  requestParams: { query: eventStreamQuery },
  responses: {
    200: {
      description: 'The stream',
      content: { 'text/event-stream': { schema: { type: 'string' } } },
    },
    401: refused('No token and no ticket, or one that does not hold'),
    404: refused('No such farm, or none the caller can see'),
    422: refused('A query parameter is not valid'),
    429: refused('The caller has too many streams open'),
    503: refused('The instance has too many streams open'),
  },
};

function describeEvent(name: string, schema: z.ZodType): string {
  const { $schema: _, ...shape } = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' });
  return `\`${name}\`\n\n\`\`\`json\n${JSON.stringify(shape)}\n\`\`\``;
}
