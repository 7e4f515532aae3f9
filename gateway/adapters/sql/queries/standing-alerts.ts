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
