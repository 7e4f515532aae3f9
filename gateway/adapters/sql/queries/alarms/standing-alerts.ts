import { type SqlBool, sql } from 'kysely';

/**
 * Alerts of what still stands. A pond or control point that is deleted takes its alerts along without touching each of
 * them, so lists that do not begin at the thing itself ask for it.
 */
export const isOfWhatStands = sql<SqlBool>`(alerts.pond_id is null
    or exists (select 1 from ponds as own where own.id = alerts.pond_id and own.hidden = 0))
  and (alerts.control_point_id is null
    or exists (select 1 from control_points as own where own.id = alerts.control_point_id and own.hidden = 0))`;

/** 1 for the newest of its episode among those asked for. */
export const placeInEpisode = sql<number>`row_number() over (partition by alerts.episode_id
  order by alerts.triggered_at desc, alerts.id desc)`.as('place');

/**
 * Ended by itself, and stood until then: what was found in readings handed in later never stood. The index holds for
 * the first words as they are.
 */
export const hasReturned = sql<SqlBool>`status = 'RESOLVED' and resolved_by is null
  and source = 'automatic' and folded_into is null and resolved_at > created_at`;

/** 1 for the newest of its condition at its place among those asked for. */
export const placeAtPlace = sql<number>`row_number() over (partition by alerts.farm_id, alerts.type,
  alerts.pond_id, case when alerts.pond_id is null then alerts.control_point_id end
  order by alerts.triggered_at desc, alerts.id desc)`.as('place');

/** How many alerts of its episode there are among those asked for, and when the first was triggered. */
export const ofEpisode = [
  sql<number>`count(*) over (partition by alerts.episode_id)`.as('episode_count'),
  sql<string>`min(alerts.triggered_at) over (partition by alerts.episode_id)`.as('episode_since'),
] as const;
