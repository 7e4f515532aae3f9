import type * as z from 'zod';
import type { invitationMade } from '#contract/resources/invitations.ts';

export type MadeInvitation = z.infer<typeof invitationMade>;

// An invitation comes as an address. The code stands behind its #, which no server is sent and no log holds; it is taken
// out of the address at once, and kept by this window until it was answered.

const KEPT = 'invitation';
const IN_ADDRESS = /^#convite=([\w-]{1,255})$/;

export const invitationLink = (origin: string, code: string): string =>
  `${origin}/bem-vindo#convite=${encodeURIComponent(code)}`;

/** The code that this window came with; empty: it came with none. */
export function invitationHere(): string {
  const code = IN_ADDRESS.exec(location.hash)?.[1];
  if (code !== undefined) {
    sessionStorage.setItem(KEPT, code);
    history.replaceState(history.state, '', location.pathname + location.search);
  }
  return sessionStorage.getItem(KEPT) ?? '';
}

export const forgetInvitation = (): void => sessionStorage.removeItem(KEPT);
