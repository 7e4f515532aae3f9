import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

/** A question in front of the page. Escape and a press beside it close it; the focus goes back where it was. */
export function Dialog({
  title,
  onClose,
  children,
  actions,
}: {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
  actions?: ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
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
        onClose();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <div class="stack">
        <h2 id={titleId}>{title}</h2>
        {children}
      </div>
      {actions === undefined ? null : <div class="actions">{actions}</div>}
    </dialog>
  );
}
