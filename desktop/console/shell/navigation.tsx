import { Link, useLocation } from 'wouter-preact';
import { Icon, type IconName } from '../components/icon.tsx';
import { toAnswer, unanswered } from '../data/alarms.ts';
import { shellWords } from './words.ts';

type Item = 'farm' | 'alarms' | 'aeration' | 'enter' | 'batches' | 'reports' | 'system';

const ITEMS: readonly { item: Item; href: string; icon: IconName; onPhone: boolean }[] = [
  { item: 'farm', href: '/', icon: 'farm', onPhone: true },
  { item: 'alarms', href: '/alarmes', icon: 'alarm', onPhone: true },
  { item: 'enter', href: '/lancar', icon: 'plus', onPhone: true },
  { item: 'aeration', href: '/aeracao', icon: 'aeration', onPhone: true },
  { item: 'batches', href: '/lotes', icon: 'batch', onPhone: false },
  { item: 'reports', href: '/relatorios', icon: 'report', onPhone: false },
  { item: 'system', href: '/sistema', icon: 'system', onPhone: false },
];

/** What phones reach by "more". */
const UNDER_MORE = ['/mais', '/sistema', '/notificacoes', '/lotes', '/transferencias', '/relatorios'];

/** Screens that belong to another one of the rail than their address begins with. */
const ALSO: Readonly<Record<string, string>> = {
  '/': '/viveiros',
  '/lotes': '/transferencias',
  '/lancar': '/tarefas',
};

const isWithin = (path: string, href: string) => {
  const also = ALSO[href];
  if (also !== undefined && path.startsWith(also)) return true;
  return href === '/' ? path === '/' : path.startsWith(href);
};

/** A rail on wide screens, a bar of five under the thumb on phones (the rest under "more"). */
export function Navigation() {
  const words = shellWords();
  const [path] = useLocation();
  return (
    <nav class="navigation" aria-label={words.nav}>
      {ITEMS.map(({ item, href, icon, onPhone }) => (
        <Link
          key={item}
          href={href}
          class={onPhone ? '' : 'wide-only'}
          aria-current={isWithin(path, href) ? 'page' : undefined}
        >
          <Icon name={icon} />
          <span>{words.items[item]}</span>
          {item === 'alarms' && toAnswer.value.length > 0 ? (
            <span
              class={unanswered.value.length > 0 ? 'badge' : 'badge over'}
              aria-label={words.unanswered(toAnswer.value.length)}
            >
              {toAnswer.value.length}
            </span>
          ) : null}
        </Link>
      ))}
      <Link
        href="/mais"
        class="phone-only"
        aria-current={UNDER_MORE.some((start) => path.startsWith(start)) ? 'page' : undefined}
      >
        <Icon name="more" />
        <span>{words.items.more}</span>
      </Link>
    </nav>
  );
}
