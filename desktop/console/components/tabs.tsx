import { useLayoutEffect, useRef } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';

/** Tabs are addresses: they can be sent, and the way back works. */
export function Tabs({ tabs, label }: { tabs: readonly { href: string; label: string }[]; label: string }) {
  const [path] = useLocation();
  const row = useRef<HTMLElement>(null);
  // where a phone has no room for all of them, the one that is shown is in sight, with what stands beside it
  useLayoutEffect(() => {
    const shown = row.current?.querySelector<HTMLElement>('[aria-current]');
    if (row.current === null || shown == null) return;
    const { offsetLeft, clientWidth } = row.current;
    row.current.scrollLeft = shown.offsetLeft - offsetLeft - (clientWidth - shown.offsetWidth) / 2;
  }, [path]);
  return (
    <nav class="tabs" aria-label={label} ref={row}>
      {tabs.map((tab) => (
        <Link key={tab.href} href={tab.href} aria-current={path === tab.href ? 'page' : undefined}>
          {tab.label}
        </Link>
      ))}
    </nav>
  );
}
