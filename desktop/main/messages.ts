import * as z from 'zod';

// The shapes of what pages send. What does not fit is refused; nothing of it is used. A console may be newer than this
// program: what it says beyond these shapes is left aside.

const count = z.int().min(0).max(100_000);

export const alarmsTold = z.object({
  // consoles before 0.2 did not say it
  state: z.enum(['calm', 'alarm', 'blind']).optional(),
  unanswered: count,
  worst: z.union([z.literal(0), z.literal(1), z.literal(2), z.literal(3)]),
  text: z.string().max(200),
});

export const notice = z.object({
  title: z.string().min(1).max(100),
  body: z.string().max(300),
  isCritical: z.boolean(),
});

const person = z.object({ name: z.string().max(255), phone: z.string().min(1).max(255) });
export const farmTold = z.object({ name: z.string().max(255), people: z.array(person).max(20).readonly() });

export const foundGateway = z.object({
  id: z.string().min(1).max(100),
  name: z.string().max(100),
  url: z.url({ protocol: /^https?$/ }).max(200),
  pin: z.string().max(100).nullable(),
  software: z.string().max(100),
});

/** What a person may type: with or without the scheme. */
export const typedAddress = z.string().trim().min(1).max(200);

const port = z.int().min(0).max(65_535);

/** What is kept between two starts. */
export const settings = z.object({
  gateway: foundGateway.nullable().default(null),
  isLocal: z.boolean().default(false),
  isKiosk: z.boolean().default(false),
  startsWithSystem: z.boolean().default(false),
  /** Where the gateway of this machine listens. */
  localPort: port.default(8080),
  /** Where its page stands on this machine, whatever address the box has. */
  doorPort: port.default(18_480),
  /** Whether it was said that closing the window does not end the watch. */
  wasToldOfTray: z.boolean().default(false),
  farm: farmTold.nullable().default(null),
});
export type Settings = z.infer<typeof settings>;
