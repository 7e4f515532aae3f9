import { accessToken, type TokenScope } from '#contract/resources/access-tokens.ts';
import { invitation } from '#contract/resources/invitations.ts';
import type { Db } from '../../database.ts';
import { decodeRow } from '../../tables.ts';

/** What an operator looks at, of the whole instance; secrets and their hashes are not asked for. */
export function adminQueries(db: Db) {
  return {
    /** Farms of one owner, or of all. */
    farms: (ownerId: string | null) =>
      db
        .selectFrom('farms')
        .innerJoin('users', 'users.id', 'farms.owner_id')
        .select(['farms.id', 'farms.name', 'farms.owner_id', 'users.email as owner_email'])
        .select(['farms.timezone', 'farms.created_at'])
        .select((below) => [
          below
            .selectFrom('ponds')
            .select(({ fn }) => fn.countAll<number>().as('n'))
            .whereRef('ponds.farm_id', '=', 'farms.id')
            .where('ponds.hidden', '=', 0)
            .as('ponds'),
          below
            .selectFrom('control_points')
            .select(({ fn }) => fn.countAll<number>().as('n'))
            .whereRef('control_points.farm_id', '=', 'farms.id')
            .where('control_points.hidden', '=', 0)
            .as('control_points'),
          below
            .selectFrom('control_points')
            .select(({ fn }) => fn.countAll<number>().as('n'))
            .whereRef('control_points.farm_id', '=', 'farms.id')
            .where('control_points.hidden', '=', 0)
            .where('control_points.is_simulated', '=', 1)
            .as('simulated_points'),
        ])
        .where('farms.hidden', '=', 0)
        .$if(ownerId !== null, (query) => query.where('farms.owner_id', '=', ownerId ?? ''))
        .orderBy('farms.created_at')
        .orderBy('farms.id')
        .execute()
        .then((rows) =>
          rows.map((row) => ({
            ...row,
            ponds: Number(row.ponds ?? 0),
            control_points: Number(row.control_points ?? 0),
            simulated_points: Number(row.simulated_points ?? 0),
          })),
        ),
    async accessTokens(userId: string | null) {
      const rows = await db
        .selectFrom('access_tokens')
        .innerJoin('users', 'users.id', 'access_tokens.user_id')
        .leftJoin('token_uses', 'token_uses.id', 'access_tokens.id')
        .select(['access_tokens.id', 'access_tokens.user_id', 'users.email as owner_email'])
        .select(['access_tokens.name', 'access_tokens.scopes', 'access_tokens.hint'])
        .select(['access_tokens.expires_at', 'access_tokens.revoked_at', 'access_tokens.created_at'])
        .select(['token_uses.used_at as last_used_at', 'token_uses.source as last_used_from'])
        .where('access_tokens.hidden', '=', 0)
        .$if(userId !== null, (query) => query.where('access_tokens.user_id', '=', userId ?? ''))
        .orderBy('access_tokens.created_at')
        .orderBy('access_tokens.id')
        .execute();
      // the codec of the table writes them so
      return rows.map((row) => ({ ...row, scopes: JSON.parse(row.scopes) as TokenScope[] }));
    },
    async accessToken(id: string) {
      const row = await db
        .selectFrom('access_tokens')
        .selectAll()
        .where('id', '=', id)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row ? decodeRow(accessToken, row) : null;
    },
    /** Invitations to one farm, or to all. */
    invitations: (farmId: string | null) =>
      db
        .selectFrom('invitations')
        .innerJoin('farms', 'farms.id', 'invitations.farm_id')
        .select(['invitations.id', 'invitations.farm_id', 'farms.name as farm_name'])
        .select(['invitations.kind', 'invitations.role', 'invitations.email_key as email'])
        .select(['invitations.created_by', 'invitations.expires_at', 'invitations.state'])
        .select(['invitations.answered_by', 'invitations.answered_at', 'invitations.created_at'])
        .where('invitations.hidden', '=', 0)
        .$if(farmId !== null, (query) => query.where('invitations.farm_id', '=', farmId ?? ''))
        .orderBy('invitations.created_at')
        .orderBy('invitations.id')
        .execute(),
    async invitation(id: string) {
      const row = await db
        .selectFrom('invitations')
        .selectAll()
        .where('id', '=', id)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row ? decodeRow(invitation, row) : null;
    },
  };
}
