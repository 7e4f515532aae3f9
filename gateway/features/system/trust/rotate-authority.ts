import { type AppError, conflict, invalidField } from '#core/errors.ts';
import type { Kernel } from '#core/kernel.ts';
import type { Dates, TrustKeeper } from './keep-trust.ts';
import { usualDates } from './trust-rules.ts';

const DAY = 24 * 3_600_000;
/** Longer than anybody plans; beyond it a slip of the pen is likelier. */
const MOST_DAYS = 10 * 365;

export type RotateDeps = Pick<Kernel, 'now' | 'clockQuality'> & { keeper: TrustKeeper | null };

/**
 * Announces the next authority, or gives the announced one other dates. A date that is past counts at once. Throws 409
 * without an authority or while the former one has not retired, 422 for dates in the wrong order or too far.
 */
export async function rotateAuthority(
  { now, clockQuality, keeper }: RotateDeps,
  input: { cross_over_at?: string | undefined; retire_at?: string | undefined },
): Promise<void> {
  const state = keeper?.state() ?? null;
  if (keeper === null || state === null) throw noAuthority(keeper);
  if (clockQuality() !== 'trusted')
    throw conflict('The clock is not to be trusted; confirm the time first', 'CLOCK_UNTRUSTED');
  if (state.former !== null) {
    throw conflict(
      `The former authority gets through until ${state.former.retire_at}; the next one comes after that`,
      'AUTHORITY_OVERLAP',
    );
  }
  await keeper.rotate(datesFrom(input, state.next, now()));
}

/** Takes an announcement back. Throws 409 when there is none. */
export async function cancelRotation({ keeper }: Pick<RotateDeps, 'keeper'>): Promise<void> {
  if (keeper === null || keeper.state() === null) throw noAuthority(keeper);
  if ((await keeper.cancel()) === null)
    throw conflict('No authority is announced; after the cross-over it cannot be taken back', 'NO_ROTATION');
}

type Announced = { cross_over_at: string; retire_at: string } | null;

function datesFrom(
  { cross_over_at, retire_at }: { cross_over_at?: string | undefined; retire_at?: string | undefined },
  known: Announced,
  now: number,
): Dates | null {
  if (cross_over_at === undefined && retire_at === undefined) return null;
  const usual = usualDates(now);
  const crossOverAt = Date.parse(
    cross_over_at ?? known?.cross_over_at ?? new Date(usual.crossOverAt).toISOString(),
  );
  const overlap = usual.retireAt - usual.crossOverAt;
  const retireAt = Date.parse(retire_at ?? known?.retire_at ?? new Date(crossOverAt + overlap).toISOString());
  if (retireAt <= crossOverAt) throw invalidField(422, 'retire_at', 'must be after cross_over_at');
  if (retireAt > now + MOST_DAYS * DAY) throw invalidField(422, 'retire_at', 'must be within ten years');
  return { crossOverAt, retireAt };
}

function noAuthority(keeper: TrustKeeper | null): AppError {
  const detail =
    keeper === null
      ? 'This instance has no authority: TLS is switched off, or another program does it'
      : 'The authority cannot be read; bring it back from a backup';
  return conflict(detail, 'NO_AUTHORITY');
}
