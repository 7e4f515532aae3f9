import type * as z from 'zod';
import type { invitationMade } from '#contract/resources/invitations.ts';

export type MadeInvitation = z.infer<typeof invitationMade>;
