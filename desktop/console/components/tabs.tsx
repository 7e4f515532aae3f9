import { useLayoutEffect, useRef } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';

/** Tabs are addresses: they can be sent, and the way back works. */
export function Tabs({ tabs, label }: { tabs: readonly { href: string; label: string }[]; label: string }) {
  const [path] = useLocation();
  const bar = useRef<HTMLElement>(null);
  // on a phone the one that is open may lie beyond the edge; the page itself must not move for it
  useLayoutEffect(() => {
    const open = bar.current?.querySelector<HTMLElement>('[aria-current]');
    if (!bar.current || !open) return;
    bar.current.scrollLeft = open.offsetLeft - (bar.current.clientWidth - open.offsetWidth) / 2;
  }, [path]);
  return (
    <nav ref={bar} class="tabs" aria-label={label}>
      {tabs.map((tab) => (
        <Link key={tab.href} href={tab.href} aria-current={path === tab.href ? 'page' : undefined}>
          {tab.label}
        </Link>
      ))}
    </nav>
  );
}
