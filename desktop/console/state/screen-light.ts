import type { Priority } from './alarm-state.ts';
import type { Link } from './freshness.ts';

/**
 * Whether a screen on the wall may shine softer: by night, while the farm is in sight and nothing on it needs anybody
 * soon. Pure.
 */
export function isSoft(facts: {
  isStation: boolean;
  isNight: boolean;
  /** Somebody touched it a moment ago. */
  isLit: boolean;
  link: Link;
  /** A hosted copy whose gateway is silent shows a farm as it was. */
  isWordOld: boolean;
  /** Of what stands, answered or not. */
  priorities: readonly Priority[];
}): boolean {
  const { isStation, isNight, isLit, link, isWordOld, priorities } = facts;
  const isInSight = (link === 'live' || link === 'late') && !isWordOld;
  return isStation && isNight && !isLit && isInSight && priorities.every((priority) => priority === 3);
}
