import { Link } from 'wouter-preact';
import type { Part } from './parts.ts';

export function PartList({ parts }: { parts: readonly Part[] }) {
  return (
    <ul class="cards">
      {parts.map(({ href, name, hint }) => (
        <li key={href}>
          <Link href={href} class="card choice">
            <strong>{name}</strong>
            <span class="muted small">{hint}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
