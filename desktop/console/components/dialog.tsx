import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { componentWords } from '#words/components.ts';
import { leavingTo, useHalfFilled } from '../data/half-filled.ts';
import { faultText } from './answer.tsx';
import { Button, WorkButton } from './button.tsx';
import { TextField } from './field.tsx';
import { Toasts } from './toast.tsx';

/**
 * A question in front of the page. Escape and a press beside it close it, and ask first where something was typed; the focus
 * goes back where it was.
 */
export function Dialog({
  title,
  onClose,
  children,
  actions,
  isQuestion = false,
}: {
  title: string;
  /** What is typed in it is no work that could be lost. */
  isQuestion?: boolean;
  onClose: () => void;
  children: ComponentChildren;
  actions?: ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const halfFilled = useHalfFilled(dialog);
  const slip = () => {
    if (isQuestion || !halfFilled.isTyped()) onClose();
    else
      leavingTo.value = () => {
        leavingTo.value = null;
        onClose();
      };
  };
  // at once: a key pressed right behind the press that opened it must find it
  useLayoutEffect(() => {
    const before = document.activeElement;
    const shown = dialog.current;
    shown?.showModal();
    return () => {
      // nothing behind a dialog takes the focus while it is open
      shown?.close();
      const back = before instanceof HTMLElement && before.isConnected ? before : null;
      (back ?? document.querySelector<HTMLElement>('#content'))?.focus({ preventScroll: back === null });
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        slip();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) slip();
      }}
    >
      <div class="stack">
        <h2 id={titleId}>{title}</h2>
        {children}
      </div>
      {actions === undefined ? null : <div class="actions">{actions}</div>}
      <Toasts />
    </dialog>
  );
}

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
      isQuestion
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
          needed
          label={mustType.label}
          value={typed}
          fault={typed === '' || isTyped ? null : words.otherText(mustType.text)}
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
