import type { ComponentChildren, JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';

type Look = 'plain' | 'main' | 'danger' | 'quiet';

type Props = {
  children: ComponentChildren;
  look?: Look;
  big?: boolean;
  /** Shows that it works and takes no second press. */
  busy?: boolean;
} & Omit<JSX.IntrinsicElements['button'], 'class' | 'size'>;

export function Button({ children, look = 'plain', big = false, busy = false, disabled, ...rest }: Props) {
  return (
    <button
      type="button"
      {...rest}
      class={`button ${look} ${big ? 'big' : ''}`}
      disabled={disabled === true || busy}
      aria-busy={busy}
    >
      {children}
    </button>
  );
}

/** A button whose work takes time: it is busy until the work is done, so that a second press does nothing. */
export function WorkButton({
  work,
  children,
  ...rest
}: Omit<Props, 'onClick' | 'busy'> & { work: () => Promise<unknown> }) {
  const [isBusy, setBusy] = useState(false);
  const running = useRef(false);
  const run = async () => {
    if (running.current) return;
    running.current = true;
    setBusy(true);
    try {
      await work();
    } finally {
      running.current = false;
      setBusy(false);
    }
  };
  return (
    <Button {...rest} busy={isBusy} onClick={() => void run()}>
      {children}
    </Button>
  );
}
