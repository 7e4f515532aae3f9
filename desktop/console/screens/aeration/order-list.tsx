import { useState } from 'preact/hooks';
import type * as z from 'zod';
import type { orderEntry } from '#contract/resources/control-points.ts';
import { Answer, Empty } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { componentWords } from '../../components/words.ts';
import { nameOf } from '../../data/people.ts';
import { useGet } from '../../data/query.ts';
import { dayAndTime } from '../../i18n/format.ts';
import { pointWords } from './point-words.ts';
import { reasonText } from './reason-words.ts';
import { aerationWords } from './words.ts';

type Order = z.infer<typeof orderEntry>;
const PAGE = 20;

/** Every change of the target: who, why, and how far it got. */
export function OrderList({ pointId }: { pointId: string }) {
  const words = pointWords();
  const names = aerationWords();
  const more = componentWords().more;
  const [limit, setLimit] = useState(PAGE);
  const orders = useGet<Order[]>(`/control-points/${pointId}/orders`, { limit });
  return (
    <section class="stack">
      <h2>{words.orders}</h2>
      <Answer of={orders} isEmpty={(rows) => rows.length === 0} empty={<Empty text={words.noOrders} />}>
        {(rows) => (
          <>
            <div class="table-frame" tabIndex={0} role="region" aria-label={words.orders}>
              <table class="table blocks">
                <thead>
                  <tr>
                    <th scope="col">{words.when}</th>
                    <th scope="col">{words.what}</th>
                    <th scope="col">{words.who}</th>
                    <th scope="col">{words.why}</th>
                    <th scope="col">{words.howFar}</th>
                  </tr>
                </thead>
                <tbody>
                  {rows.map((order) => (
                    <tr key={order.id}>
                      <td>{dayAndTime(order.issued_at)}</td>
                      <td data-label={words.what}>{names.states[order.target_status]}</td>
                      <td data-label={words.who}>{nameOf(order.issued_by) ?? names.origins[order.origin]}</td>
                      <td data-label={words.why}>{reasonText(order.reason)}</td>
                      <td data-label={words.howFar}>{words.orderStates[order.state]}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
            {rows.length < limit ? null : <Button onClick={() => setLimit(limit + PAGE)}>{more}</Button>}
          </>
        )}
      </Answer>
    </section>
  );
}
