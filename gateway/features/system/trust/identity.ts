import type * as z from 'zod';
import type { systemAuthorityAnswer, systemIdentityAnswer } from '#contract/resources/system.ts';
import { type AppError, conflict, invalidField } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Dates, TrustKeeper } from './keep-trust.ts';
import type { CertificateFacts, CertificateMaker, Network } from './ports.ts';
import { usualDates } from './trust-rules.ts';

/** Ports that are open; null: not. */
export type Ports = { http: number | null; https: number | null; mqtt: number | null; mqtts: number | null };

export type IdentityDeps = {
  gatewayId: string;
  role: 'gateway' | 'hosted';
  software: string;
  /** null where this instance has no TLS of its own. */
  keeper: TrustKeeper | null;
  facts: CertificateMaker['facts'];
  network: () => Network;
  ports: () => Ports;
};

export type Identity = z.infer<typeof systemIdentityAnswer>;

/** Who this instance is. Outsiders are not told where it stands in the farm network. */
export function identityOf(deps: IdentityDeps, { isLocal }: { isLocal: boolean }): Identity {
  const { hostname, addresses } = deps.network();
  const { authority, next, former } = authoritiesOf(deps);
  const server = deps.keeper?.server() ?? null;
  const ports = deps.ports();
  const shown = isLocal ? addresses.filter((address) => !/^fe80:/i.test(address)) : [];
  return {
    gateway_id: deps.gatewayId,
    name: hostname,
    role: deps.role,
    software: isLocal ? deps.software : null,
    authority,
    next_authority: next === null ? null : { ...withoutEnd(next), cross_over_at: next.cross_over_at },
    former_authority: former,
    certificate:
      server === null
        ? null
        : {
            fingerprint_sha256: server.fingerprint,
            not_after: isoOf(server.notAfter),
            names: isLocal ? server.names : [],
          },
    addresses: shown,
    ports,
    qr: authority === null ? null : qrText(deps.gatewayId, authority.spki_sha256, shown, ports),
  };
}

export function authorityAnswerOf(
  deps: Pick<IdentityDeps, 'keeper' | 'facts'>,
): z.infer<typeof systemAuthorityAnswer> {
  const { authority, next, former } = authoritiesOf(deps);
  return {
    phase: former !== null ? 'overlap' : next !== null ? 'announced' : 'steady',
    authority,
    next_authority: next,
    former_authority: former,
    trouble: deps.keeper?.trouble().authority ?? null,
  };
}

function authoritiesOf({ keeper, facts }: Pick<IdentityDeps, 'keeper' | 'facts'>) {
  const state = keeper?.state() ?? null;
  const server = keeper?.server() ?? null;
  const next = state?.next ?? null;
  const former = state?.former ?? null;
  // while the authority cannot be read, what the box shows still leads to it
  const present = state?.present.certificate ?? server?.chain.at(-1);
  return {
    authority: present === undefined ? null : shownOf(facts(present)),
    next:
      next === null
        ? null
        : {
            ...shownOf(facts(next.certificate)),
            cross_over_at: next.cross_over_at,
            retire_at: next.retire_at,
          },
    former: former === null ? null : { ...shownOf(facts(former.certificate)), retire_at: former.retire_at },
  };
}

const shownOf = ({ pin, fingerprint, notAfter }: CertificateFacts) => ({
  spki_sha256: pin,
  fingerprint_sha256: fingerprint,
  not_after: isoOf(notAfter),
});

type Shown = ReturnType<typeof shownOf>;
const withoutEnd = ({ spki_sha256, fingerprint_sha256, not_after }: Shown): Shown => ({
  spki_sha256,
  fingerprint_sha256,
  not_after,
});

/** Short, because the camera of a phone reads it off a label. */
function qrText(gatewayId: string, pin: string, addresses: readonly string[], ports: Ports): string {
  const query = new URLSearchParams({ id: gatewayId, pin: base64Url(pin) });
  if (addresses.length > 0) query.set('at', addresses.slice(0, 4).join(','));
  for (const name of ['https', 'mqtts', 'http'] as const) {
    const port = ports[name];
    if (port !== null) query.set(name, String(port));
  }
  return `camarao://gateway?${query.toString().replaceAll('%2C', ',').replaceAll('%3A', ':')}`;
}

const base64Url = (text: string): string =>
  text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

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
