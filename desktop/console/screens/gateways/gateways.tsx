import { Link } from 'wouter-preact';
import type { GatewayAnswer } from '#contract/resources/gateways.ts';
import { gatewayWords } from '#words/cloud.ts';
import { Answer, Empty } from '../../components/answer.tsx';
import { ApiError } from '../../data/api.ts';
import { useGet } from '../../data/query.ts';
import { user } from '../../data/session.ts';
import { SystemPage } from '../box/system-page.tsx';
import { GatewayCard } from './gateway-card.tsx';
import { LocalUsers } from './local-users.tsx';

/** Hosted instance: the gateways of the account, the farms they run, the people who live on them. */
export function Gateways() {
  const words = gatewayWords();
  const gateways = useGet<GatewayAnswer[]>('/sync/gateways');
  if (gateways.error instanceof ApiError && gateways.error.status === 404) {
    return (
      <SystemPage title={words.title} narrow>
        <p class="note row">
          <span class="grow">{words.notHere}</span>
          <Link class="button" href="/sistema/sincronia">
            {words.toSync}
          </Link>
        </p>
      </SystemPage>
    );
  }
  return (
    <SystemPage
      title={words.title}
      action={
        user.value?.role === 'OWNER' ? (
          <Link class="button main" href="/pair">
            {words.claim}
          </Link>
        ) : null
      }
    >
      <Answer of={gateways} isEmpty={(rows) => rows.length === 0} empty={<Empty text={words.none} />}>
        {(rows) => (
          <>
            <ul class="stack">
              {rows.map((gateway) => (
                <li key={gateway.id}>
                  <GatewayCard gateway={gateway} all={rows} />
                </li>
              ))}
            </ul>
            <LocalUsers />
          </>
        )}
      </Answer>
    </SystemPage>
  );
}
