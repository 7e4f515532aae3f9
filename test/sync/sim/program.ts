// What of the product runs on one side. Loaded with `?schema=8` it is a program that knows no more than that schema of the
// sync (scripts/sync/older-schema.ts); as it is, it is today's.

export { sharedResources } from '#contract/resources/all.ts';
export { SYNC_SCHEMA } from '#contract/sync/wire.ts';
export { startGateway } from './gateway-box.ts';
export { startHosted } from './hosted-box.ts';
