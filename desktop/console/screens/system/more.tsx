import { systemWords } from '#words/system.ts';
import { unread } from '../../data/farm-store.ts';
import { user } from '../../data/session.ts';
import { AccountCard } from '../account/preferences.tsx';
import { PartList, partsFor } from './part-list.tsx';

/** What the bar at the bottom of a phone has no room for. */
export function More() {
  const words = systemWords();
  const { notificacoes } = words.parts;
  return (
    <div class="page">
      <h1>{words.more}</h1>
      <PartList
        parts={[
          { href: '/lotes', name: words.batches, hint: '' },
          { href: '/relatorios', name: words.reports, hint: '' },
          { href: '/tarefas', ...words.tasks },
          {
            href: '/notificacoes',
            name: notificacoes.name,
            hint: unread.value > 0 ? words.unread(unread.value) : notificacoes.hint,
          },
        ]}
      />
      {partsFor().map(({ name, parts }) => (
        <section class="stack" key={name}>
          <h2>{words.groups[name]}</h2>
          <PartList parts={parts.filter(({ href }) => href !== '/notificacoes')} />
        </section>
      ))}
      {user.value === null ? null : <AccountCard person={user.value} />}
    </div>
  );
}
