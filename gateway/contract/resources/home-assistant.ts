import * as z from 'zod';

/** GET /system/home-assistant */
export const homeAssistantAnswer = z.object({
  is_configured: z.boolean(),
  address: z.string().nullable().describe('Broker of Home Assistant, without name and password'),
  is_connected: z.boolean(),
  since: z.string().nullable().describe('When this connection, or its absence, began'),
  last_error: z.string().nullable().describe('Why the last connection ended or could not be made'),
  control_points: z.int().describe('Control points shown there now'),
  takes_orders: z.boolean().describe('false: Home Assistant only looks'),
  orders_by: z.string().nullable().describe('E-mail of the person in whose name its orders are given'),
  orders_taken: z.int(),
  orders_refused: z.int(),
  last_refusal: z.string().nullable(),
});
export type HomeAssistantAnswer = z.infer<typeof homeAssistantAnswer>;
