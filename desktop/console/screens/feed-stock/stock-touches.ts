/** Kinds of questions that rest on the stock of feed. */
export const STOCK_TOUCHES = ['farms', 'feed-stock', 'logs'];

const keyOf = (name: string): string =>
  name.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase().replaceAll(/\s+/g, ' ').trim();

/** As the gateway takes a feed for one of the stock: with capitals and accents or without. */
export const sameFeed = (a: string, b: string): boolean => keyOf(a) === keyOf(b);
