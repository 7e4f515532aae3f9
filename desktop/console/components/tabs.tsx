import { Link, useLocation } from 'wouter-preact';

/** Tabs are addresses: they can be sent, and the way back works. */
export function Tabs({ tabs, label }: { tabs: readonly { href: string; label: string }[]; label: string }) {
  const [path] = useLocation();
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map((tab) => (
        <Link key={tab.href} href={tab.href} aria-current={path === tab.href ? 'page' : undefined}>
          {tab.label}
        </Link>
      ))}
    </nav>
  );
}
