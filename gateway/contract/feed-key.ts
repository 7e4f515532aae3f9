/** One feed under one key: people spell it with capitals and accents or without. */
export const feedKey = (name: string): string =>
  name.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase().replaceAll(/\s+/g, ' ').trim();
