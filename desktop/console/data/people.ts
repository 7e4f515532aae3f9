import { signal } from '@preact/signals';

/** Names of those who work or worked on the farms of the person, by their id. */
export const people = signal<ReadonlyMap<string, string>>(new Map());

/** Whom an id in a row means; null: nobody, or somebody this page does not know. */
export const nameOf = (userId: string | null | undefined): string | null =>
  people.value.get(userId ?? '') ?? null;
