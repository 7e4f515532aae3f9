import * as z from 'zod';

// The shapes of what pages send. What does not fit is refused; nothing of it is used.

export const alarmsTold = z.strictObject({
  state: z.enum(['calm', 'alarm', 'blind']).optional(),
  unanswered: z.int().min(0).max(100_000),
  worst: z.union([z.literal(0), z.literal(1), z.literal(2), z.literal(3)]),
  text: z.string().max(200),
});

export const notice = z.strictObject({
  title: z.string().min(1).max(100),
  body: z.string().max(300),
  isCritical: z.boolean(),
});

export const foundGateway = z.strictObject({
  id: z.string().max(100),
  name: z.string().max(100),
  url: z.url({ protocol: /^https?$/ }).max(200),
  pin: z.string().max(100).nullable(),
  software: z.string().max(100),
});

/** What is kept between two starts. */
export const settings = z.object({
  gateway: foundGateway.nullable().default(null),
  isLocal: z.boolean().default(false),
  isKiosk: z.boolean().default(false),
});
export type Settings = z.infer<typeof settings>;
