import * as z from 'zod';
import {
  flagInQuery,
  instantInput,
  longText,
  numberInQuery,
  pageQuery,
  shortText,
  wordOf,
} from '../fields.ts';
import { defineResource, instant, uuid } from '../resource.ts';
import { NOTIFICATION_TYPES } from '../words.ts';

/** Id is derived from the cause and the reader, so that two instances never tell somebody twice. */
export const notification = defineResource({
  name: 'notifications',
  entity: 12,
  sync: 'editable',
  lane: 'history',
  row: z.object({
    id: uuid,
    user_id: uuid,
    /** Farm it is about; null for account matters. */
    farm_id: uuid.nullable(),
    type: z.enum(NOTIFICATION_TYPES),
    title: z.string(),
    message: z.string(),
    data: z.record(z.string(), z.unknown()),
    is_read: z.boolean(),
    read_at: instant.nullable(),
    created_at: instant,
  }),
  groups: { read: { fields: ['is_read', 'read_at'] } },
  parents: { users: 'user_id' },
});

export const notificationQuery = z.object({
  type: wordOf(NOTIFICATION_TYPES).optional(),
  unread_only: flagInQuery.optional().describe('Default false'),
  page: numberInQuery(z.number().int().min(1).max(1_000_000)).default(1),
  page_size: numberInQuery(z.number().int().min(1).max(100)).default(20),
  skip: pageQuery.shape.skip
    .unwrap()
    .optional()
    .describe('As on every list: instead of `page`, the page that begins after so many'),
  limit: pageQuery.shape.limit.describe('As on every list: instead of `page_size`'),
});

export const notificationAnswer = z.object({
  id: z.uuid(),
  user_id: z.uuid(),
  type: z.enum(NOTIFICATION_TYPES),
  title: z.string(),
  message: z.string(),
  data: z.record(z.string(), z.unknown()),
  is_read: z.boolean(),
  created_at: z.string(),
  read_at: z.string().nullable(),
  farm_id: z.uuid().nullable(),
});
export type NotificationAnswer = z.infer<typeof notificationAnswer>;

export const notificationPage = z.object({
  notifications: z.array(notificationAnswer),
  pagination: z.object({
    page: z.int(),
    page_size: z.int(),
    total_items: z.int(),
    total_pages: z.int(),
    has_next: z.boolean(),
    has_previous: z.boolean(),
  }),
});

/** POST /announcements */
export const announcementCreate = z.object({
  kind: wordOf(['MAINTENANCE', 'UPDATE']).default('MAINTENANCE'),
  title: shortText.describe('In Portuguese'),
  message: longText.min(1),
  title_en: shortText.optional().describe('By default the Portuguese'),
  message_en: longText.min(1).optional(),
  title_es: shortText.optional().describe('By default the Portuguese'),
  message_es: longText.min(1).optional(),
  starts_at: instantInput.optional(),
  ends_at: instantInput.optional(),
});
export const announcementAnswer = z.object({ id: z.uuid(), message: z.string() });

export const notificationRead = z.object({
  id: z.uuid(),
  is_read: z.boolean(),
  read_at: z.string().nullable(),
});
export const notificationsMarked = z.object({ message: z.string(), updated_count: z.int() });

export const unreadCount = z.object({
  unread_count: z.int(),
  by_type: z.record(z.enum(NOTIFICATION_TYPES), z.int()),
});
