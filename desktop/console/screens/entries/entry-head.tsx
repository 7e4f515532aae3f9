import type { ComponentChildren } from 'preact';
import { Link } from 'wouter-preact';
import { Icon } from '../../components/icon.tsx';
import { entryWords } from './words.ts';

export function EntryHead({ title, children }: { title: string; children?: ComponentChildren }) {
  const words = entryWords();
  return (
    <div class="page-head">
      <div class="row nowrap">
        <Link href="/lancar" class="button quiet" aria-label={words.title}>
          <Icon name="back" />
        </Link>
        <h1>{title}</h1>
      </div>
      {children}
    </div>
  );
}
