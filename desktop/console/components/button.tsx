import type { ComponentChildren, JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { buttonWords } from '#words/components.ts';

type Look = 'plain' | 'main' | 'danger' | 'quiet';

type Props = {
  children: ComponentChildren;
  look?: Look;
  big?: boolean;
  /** Shows that it works and takes no second press. */
  busy?: boolean;
  /** Its form lacks something: it can be reached all the same, and a press says what it waits for. */
  unready?: boolean;
  /** Why it cannot be done now, if it cannot: it can be reached all the same, and a press says so. */
  why?: string | null | undefined;
} & Omit<JSX.IntrinsicElements['button'], 'class' | 'size'>;

export function Button({
  children,
  look = 'plain',
  big = false,
  busy = false,
  unready = false,
  why = null,
  disabled,
  ...rest
}: Props) {
  const [lacks, setLacks] = useState<readonly string[] | null>(null);
  const isWaiting = unready || why !== null;
  const waiting = {
    'aria-disabled': true,
    onClick: (event: JSX.TargetedEvent<HTMLButtonElement>) => {
      event.preventDefault();
      setLacks(why === null ? lackingOf(event.currentTarget) : []);
    },
  };
  return (
    <>
      <button
        type="button"
        {...rest}
        {...(isWaiting ? waiting : {})}
        class={`button ${look} ${big ? 'big' : ''}`}
        disabled={disabled === true || busy}
        aria-busy={busy}
      >
        {children}
      </button>
      {isWaiting && lacks !== null ? (
        <span class="fault" role="alert">
          {why ?? buttonWords().lacks(lacks)}
        </span>
      ) : null}
    </>
  );
}

/** The fields that the form of a button waits for, by their labels; goes to the first of them. */
function lackingOf(button: HTMLElement): readonly string[] {
  const form = button.closest('form, dialog, .card, main') ?? document.body;
  const fields = [...form.querySelectorAll<HTMLInputElement>('input, select, textarea')];
  return named(
    fields.filter(
      (field) =>
        field.getAttribute('aria-invalid') === 'true' ||
        isEmpty(field) ||
        ('minLength' in field && field.value.length < field.minLength),
    ),
  );
}

type Input = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

const isEmpty = (field: Input): boolean =>
  field.getAttribute('aria-required') === 'true' && field.value.trim() === '';

/** The needed fields of a form in which nothing stands, by their labels; goes to the first of them. */
export const emptyIn = (form: HTMLElement): readonly string[] =>
  named([...form.querySelectorAll<HTMLInputElement>('input, select, textarea')].filter(isEmpty));

function named(lacking: readonly Input[]): readonly string[] {
  lacking[0]?.focus();
  return lacking
    .map(({ labels, ariaLabel }) => ariaLabel ?? labels?.[0]?.textContent?.trim() ?? '')
    .filter((name) => name !== '');
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
