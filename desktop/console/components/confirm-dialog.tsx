import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { faultText } from './answer.tsx';
import { Button, WorkButton } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { TextField } from './field.tsx';
import { componentWords } from './words.ts';

/** Asks before something that cannot be taken back. With `mustType` its name has to be written out. */
export function ConfirmDialog({
  title,
  label,
  work,
  onClose,
  mustType,
  isReady = true,
  children,
}: {
  title: string;
  /** What the button does, in the words of the question. */
  label: string;
  work: () => Promise<unknown>;
  onClose: () => void;
  mustType?: { label: string; text: string };
  /** False while it cannot be done. */
  isReady?: boolean;
  children?: ComponentChildren;
}) {
  const words = componentWords();
  const [typed, setTyped] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const isTyped = mustType === undefined || typed.trim() === mustType.text.trim();
  const run = async () => {
    try {
      await work();
      onClose();
    } catch (error) {
      setFault(faultText(error));
    }
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button big autofocus onClick={onClose}>
            {words.cancel}
          </Button>
          <WorkButton big look="danger" unready={!isReady || !isTyped} work={run}>
            {label}
          </WorkButton>
        </>
      }
    >
      {children}
      {mustType === undefined ? null : (
        <TextField
          label={mustType.label}
          value={typed}
          autoComplete="off"
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
      )}
      {fault === null ? null : (
        <p class="note p2" role="alert">
          {fault}
        </p>
      )}
    </Dialog>
  );
}
