import type { Ref } from 'preact';
import { useId } from 'preact/hooks';

type Props = {
  label: string;
  hint: string;
  /** Kinds of files as the browser names them; absent: all, for phones know no kind for ours and would offer none. */
  accept?: string;
  disabled?: boolean;
  /** To empty it once the file has gone. */
  inputRef: Ref<HTMLInputElement>;
  onChoose: (file: File | null) => void;
};

/** One file of this computer or phone. */
export function FileField({ label, hint, accept, disabled, inputRef, onChoose }: Props) {
  const id = useId();
  return (
    <div class="field">
      <label class="label" for={id}>
        {label}
      </label>
      <input
        ref={inputRef}
        id={id}
        class="input"
        type="file"
        aria-describedby={`${id}-hint`}
        {...(accept === undefined ? {} : { accept })}
        {...(disabled === undefined ? {} : { disabled })}
        onChange={(event) => onChoose(event.currentTarget.files?.[0] ?? null)}
      />
      <span class="hint" id={`${id}-hint`}>
        {hint}
      </span>
    </div>
  );
}
