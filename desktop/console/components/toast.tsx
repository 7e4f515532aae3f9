import { signal } from '@preact/signals';
import { useLayoutEffect, useState } from 'preact/hooks';
import { isBlind } from '../data/live.ts';
import { Button } from './button.tsx';

/** `isControl`: it leads to an order, which a screen that hears nothing cannot give. */
type Action = { label: string; run: () => void; isControl?: boolean };
type Toast = { id: number; text: string; action: Action | null };

const toasts = signal<readonly Toast[]>([]);
let last = 0;

/** Says something for a while, with one thing that can be done about it. */
export function toast(text: string, action: Action | null = null, forMs = 10_000): void {
  last += 1;
  const id = last;
  toasts.value = [...toasts.value.slice(-2), { id, text, action }];
  setTimeout(() => dismiss(id), forMs);
}

const dismiss = (id: number) => {
  toasts.value = toasts.value.filter((shown) => shown.id !== id);
};

/** Where it can be said, what stands in front last: behind an open question nobody sees or hears it. */
const places = signal<readonly symbol[]>([]);

export function Toasts() {
  const [place] = useState(Symbol);
  useLayoutEffect(() => {
    places.value = [...places.peek(), place];
    return () => {
      places.value = places.peek().filter((other) => other !== place);
      // what was offered to one person is not offered to the next
      if (places.peek().length === 0) toasts.value = [];
    };
  }, []);
  const told = places.value.at(-1) === place ? toasts.value : [];
  return (
    <div class="toasts" role="status" aria-live="polite">
      {told.map(({ id, text, action }) => (
        <div class="toast" key={id}>
          <span class="grow">{text}</span>
          {action === null ? null : (
            <Button
              disabled={action.isControl === true && isBlind.value}
              onClick={() => {
                dismiss(id);
                action.run();
              }}
            >
              {action.label}
            </Button>
          )}
        </div>
      ))}
    </div>
  );
}
