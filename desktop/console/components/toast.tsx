import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
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

export function Toasts() {
  // what was offered to one person is not offered to the next
  useEffect(
    () => () => {
      toasts.value = [];
    },
    [],
  );
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, action }) => (
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
