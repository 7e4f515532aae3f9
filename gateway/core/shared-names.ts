import { AppError } from './errors.ts';

// A controller is heard by its name. Among farms of one owner that have no gateway two must not bear one: a farm that would
// come to stand among them so stays where it is, and no name is taken from anybody.

/** A name that a device of the farm has, and one of another farm of that owner, too. */
export type SharedName = { of: 'control_point' | 'aerator'; name: string; farm: string };

const SHOWN = 10;

/** Throws 409 where names would stand twice; `andThen` says what to do when one of both has another. */
export function refuseSharedNames(shared: readonly SharedName[], andThen: string): void {
  if (shared.length === 0) return;
  const names = shared.slice(0, SHOWN).map(({ name, farm }) => `${name} (${farm})`);
  const more = shared.length > names.length ? ` and ${shared.length - names.length} more` : '';
  throw new AppError(
    409,
    `Farms without a gateway have devices of the same name: ${names.join(', ')}${more}. Give one of both another name, then ${andThen}`,
    {
      code: 'NAMES_CLASH',
      errors: shared.map(({ of, name, farm }) => ({
        path: `${of}.device_id`,
        code: 'ALREADY_EXISTS',
        message: `${name}, on ${farm}, too`,
      })),
    },
  );
}
