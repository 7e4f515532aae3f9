import { feedKey } from '#contract/feed-key.ts';

/** Kinds of questions that rest on the stock of feed. */
export const STOCK_TOUCHES = ['farms', 'feed-stock', 'logs'];

export const sameFeed = (a: string, b: string): boolean => feedKey(a) === feedKey(b);
