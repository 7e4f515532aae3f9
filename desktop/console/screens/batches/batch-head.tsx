import type { ComponentChildren } from 'preact';
import { Link } from 'wouter-preact';
import { batchWords } from '#words/production.ts';
import { Icon } from '../../components/icon.tsx';

export function BatchHead({
  title,
  back,
  children,
}: {
  title: string;
  back: string;
  children?: ComponentChildren;
}) {
  return (
    <div class="page-head">
      <div class="row nowrap">
        <Link href={back} class="button quiet" aria-label={batchWords().back}>
          <Icon name="back" />
        </Link>
        <h1>{title}</h1>
      </div>
      {children}
    </div>
  );
}
