import { useLocation, useSearchParams } from 'wouter-preact';
import { noticeSubject } from '#contract/notice-subject.ts';
import type { NotificationAnswer } from '#contract/resources/notifications.ts';
import { notificationWords } from '#words/notifications.ts';
import { Answer, Empty, faultText } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { CheckField, SelectField } from '../../components/field.tsx';
import { toast } from '../../components/toast.tsx';
import { patch, post } from '../../data/api.ts';
import { chooseFarm, unread } from '../../data/farm-store.ts';
import { isBlind } from '../../data/live.ts';
import { refresh, useGet } from '../../data/query.ts';
import { dayAndTime, figure } from '../../i18n/format.ts';
import { noticePlace } from '../../state/notice-place.ts';
import { SystemPage } from '../box/system-page.tsx';

const TYPES = ['ALERT', 'SYSTEM', 'SUBSCRIPTION', 'PAYMENT'] as const;

/** What this person was told. It is a record, not a second list of alarms. */
export function Notifications() {
  const words = notificationWords();
  const [asked, ask] = useSearchParams();
  const page = Math.max(1, Math.trunc(Number(asked.get('pagina') ?? '1')) || 1);
  const type = TYPES.find((word) => word === asked.get('assunto')) ?? null;
  const isUnread = asked.get('novas') === 'sim';
  /** Another filter begins at its first page. */
  const keep = (name: 'pagina' | 'assunto' | 'novas', value: string) =>
    ask(
      (before) => {
        const next = new URLSearchParams(before);
        next.delete('pagina');
        if (value === '') next.delete(name);
        else next.set(name, value);
        return next;
      },
      { replace: true },
    );
  const setPage = (wanted: number) => keep('pagina', wanted === 1 ? '' : String(wanted));
  const list = useGet('/notifications/', {
    page,
    page_size: 30,
    type,
    unread_only: isUnread ? true : undefined,
  });
  const markAll = async () => {
    try {
      await post('/notifications/mark-all-read');
      unread.value = 0;
      refresh('notifications');
    } catch (error) {
      toast(faultText(error));
    }
  };
  return (
    <SystemPage
      title={words.title}
      narrow
      action={
        <WorkButton
          disabled={isBlind.value}
          why={unread.value === 0 ? words.noneUnread : null}
          work={markAll}
        >
          {words.markAll}
        </WorkButton>
      }
    >
      <p class="muted">{words.text}</p>
      <div class="form-grid end-aligned">
        <SelectField
          label={words.about}
          value={type ?? ''}
          options={[
            { value: '', label: words.allTypes },
            ...TYPES.map((word) => ({ value: word, label: words.type[word] })),
          ]}
          onChange={(event) => keep('assunto', event.currentTarget.value)}
        />
        <CheckField
          label={words.onlyUnread}
          checked={isUnread}
          onChange={(event) => keep('novas', event.currentTarget.checked ? 'sim' : '')}
        />
      </div>
      <Answer
        of={list}
        isEmpty={({ notifications }) => notifications.length === 0}
        empty={<Empty text={isUnread ? words.noneUnread : words.none} />}
      >
        {({ notifications, pagination }) => (
          <>
            <ul class="stack">
              {notifications.map((notification) => (
                <Line key={notification.id} notification={notification} />
              ))}
            </ul>
            {pagination.total_pages <= 1 ? null : (
              <div class="row apart">
                <Button why={pagination.has_previous ? null : words.newest} onClick={() => setPage(page - 1)}>
                  {words.newer}
                </Button>
                <span class="muted small">
                  {words.page(figure(pagination.page), figure(pagination.total_pages))}
                </span>
                <Button why={pagination.has_next ? null : words.oldest} onClick={() => setPage(page + 1)}>
                  {words.older}
                </Button>
              </div>
            )}
          </>
        )}
      </Answer>
    </SystemPage>
  );
}

function Line({ notification }: { notification: NotificationAnswer }) {
  const words = notificationWords();
  const { id, title, message, type, created_at, is_read, data, farm_id } = notification;
  const [, go] = useLocation();
  const subject = noticeSubject(type, data);
  const mark = async () => {
    try {
      await patch(`/notifications/${id}/read`, {});
      unread.value = Math.max(0, unread.value - 1);
      refresh('notifications');
    } catch (error) {
      toast(faultText(error));
    }
  };
  const open = () => {
    if (subject === null) return;
    // whoever goes where it leads has read it
    if (!is_read && !isBlind.value) void mark();
    if (farm_id !== null) chooseFarm(farm_id);
    go(noticePlace(subject, null));
  };
  return (
    <li class="card row apart" data-read={is_read}>
      <div class="grow">
        <h2 class={is_read ? 'read' : ''}>
          {is_read ? null : (
            <>
              <span aria-hidden="true">● </span>
              <span class="visually-hidden">{words.unread}: </span>
            </>
          )}
          {title}
        </h2>
        <p class="pre-line">{message}</p>
        <p class="muted small">
          {words.type[type]} · {dayAndTime(created_at)}
        </p>
      </div>
      {subject === null ? null : (
        <Button aria-label={`${words.open}: ${title}`} onClick={open}>
          {words.open}
        </Button>
      )}
      {is_read ? null : (
        <WorkButton disabled={isBlind.value} aria-label={`${words.mark}: ${title}`} work={mark}>
          {words.mark}
        </WorkButton>
      )}
    </li>
  );
}
