import type { ComponentChildren } from 'preact';
import { Link } from 'wouter-preact';
import { systemWords } from '#words/system.ts';
import { wayWords } from '#words/way.ts';
import { Button } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { leaveStep, leftStep } from '../../data/welcome-way.ts';
import '../../styles/system.css';

/** Frame of a part of the system: the way back, the name, what it holds. */
export function SystemPage({
  title,
  children,
  action,
  narrow = false,
}: {
  title: string;
  children: ComponentChildren;
  action?: ComponentChildren;
  narrow?: boolean;
}) {
  const words = systemWords();
  const left = leftStep.value;
  return (
    <div class={`page ${narrow ? 'narrow' : ''}`}>
      {left === null ? null : (
        <div class="note no-print" data-way-back>
          <Link class="button main" href={`/bem-vindo/${left}`}>
            {wayWords().back}
          </Link>
          <Button look="quiet" onClick={() => leaveStep(null)}>
            {wayWords().leave}
          </Button>
        </div>
      )}
      <div class="page-head">
        <div class="row nowrap">
          <Link class="button quiet" href="/sistema" aria-label={words.back}>
            <Icon name="back" />
          </Link>
          <h1>{title}</h1>
        </div>
        {action}
      </div>
      {children}
    </div>
  );
}

/** What did not work, where it was tried. */
export function FaultNote({ fault }: { fault: string | null }) {
  if (fault === null) return null;
  return (
    <p class="note p2" role="alert">
      {fault}
    </p>
  );
}
