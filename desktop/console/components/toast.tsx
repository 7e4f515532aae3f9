import { signal } from '@preact/signals';
import { Button } from './button.tsx';

type Toast = { id: number; text: string; action: { label: string; run: () => void } | null };

const toasts = signal<readonly Toast[]>([]);
let last = 0;

/** Says something for a while, with one thing that can be done about it. */
export function toast(text: string, action: Toast['action'] = null, forMs = 10_000): void {
  last += 1;
  const id = last;
  toasts.value = [...toasts.value.slice(-2), { id, text, action }];
  setTimeout(() => dismiss(id), forMs);
}

const dismiss = (id: number) => {
  toasts.value = toasts.value.filter((shown) => shown.id !== id);
};

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, action }) => (
        <div class="toast" key={id}>
          <span class="grow">{text}</span>
          {action === null ? null : (
            <Button
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
