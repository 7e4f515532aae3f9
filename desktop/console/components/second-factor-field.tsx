import { useEffect, useRef, useState } from 'preact/hooks';
import { secondFactorFieldWords } from '#words/components.ts';

import { Button } from './button.tsx';
import { TextField } from './field.tsx';

/** A code of the app on a pad of digits, or a recovery code with all letters; `onlyRecovery` where no code can be judged. */
export function SecondFactorField({
  value,
  onTyped,
  onlyRecovery = false,
  fault,
  autoFocus = false,
}: {
  value: string;
  onTyped: (code: string) => void;
  onlyRecovery?: boolean;
  fault?: string | null;
  autoFocus?: boolean;
}) {
  const words = secondFactorFieldWords();
  const [isPaper, setPaper] = useState(false);
  const isRecovery = onlyRecovery || isPaper;
  const frame = useRef<HTMLDivElement>(null);
  const isChosen = useRef(autoFocus);
  // asked for after a press, or exchanged by one: whoever pressed goes on typing
  useEffect(() => {
    if (isChosen.current) frame.current?.querySelector('input')?.focus();
  }, [isRecovery]);
  const change = () => {
    isChosen.current = true;
    setPaper(!isPaper);
    onTyped('');
  };
  return (
    <div class="stack" ref={frame}>
      <TextField
        // another keyboard is another field: phones do not change it in place
        key={isRecovery ? 'recovery' : 'app'}
        label={isRecovery ? words.recovery : words.code}
        hint={isRecovery ? words.recoveryHint : words.codeHint}
        name="second_factor"
        value={value}
        fault={fault}
        needed
        maxLength={isRecovery ? 30 : 10}
        spellcheck={false}
        {...(isRecovery
          ? { autoComplete: 'off', autoCapitalize: 'characters' }
          : { autoComplete: 'one-time-code', inputMode: 'numeric' as const })}
        onInput={(event) => onTyped(event.currentTarget.value)}
      />
      {onlyRecovery ? null : (
        <div>
          <Button look="quiet" onClick={change}>
            {isPaper ? words.useApp : words.useRecovery}
          </Button>
        </div>
      )}
    </div>
  );
}
