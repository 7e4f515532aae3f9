import * as z from 'zod';
import { ALERT_TYPES } from '../words.ts';

/** GET /dashboard/overview */
export const dashboardOverview = z.object({
  farm_id: z.uuid(),
  total_ponds: z.int(),
  active_batches: z.int(),
  total_active_alerts: z.int(),
  alerts_by_type: z.partialRecord(z.enum(ALERT_TYPES), z.int()),
});
