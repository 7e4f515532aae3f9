import { useEffect, useId, useRef } from 'preact/hooks';
import { fileWords } from '#words/components.ts';

type Props = {
  label: string;
  hint: string;
  /** Kinds of files as the browser names them; absent: all, for phones know no kind for ours and would offer none. */
  accept?: string;
  disabled?: boolean;
  /** What was chosen here or dropped beside it; null: nothing, or it has gone. */
  file: File | null;
  onChoose: (file: File | null) => void;
};

/** One file of this computer or phone. */
export function FileField({ label, hint, accept, disabled, file, onChoose }: Props) {
  const id = useId();
  const words = fileWords();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // the same file can be chosen again once it has gone
    if (file === null && input.current !== null) input.current.value = '';
  }, [file]);
  return (
    <div class="field">
      <label class="label" for={id}>
        {label}
      </label>
      <span class="with-unit file">
        {/* the browser's own button speaks the browser's language: it lies over ours and cannot be seen */}
        <span class="file-button">
          <span class="button plain" aria-hidden="true">
            {words.choose}
          </span>
          <input
            ref={input}
            id={id}
            type="file"
            aria-describedby={`${id}-hint`}
            {...(accept === undefined ? {} : { accept })}
            {...(disabled === undefined ? {} : { disabled })}
            onChange={(event) => onChoose(event.currentTarget.files?.[0] ?? null)}
          />
        </span>
        <span class="muted grow">{file?.name ?? words.none}</span>
      </span>
      <span class="hint" id={`${id}-hint`}>
        {hint}
      </span>
    </div>
  );
}
