import { useState } from 'preact/hooks';
import { removeLater } from '../data/corrections.ts';
import { dictionary } from '../i18n/language.ts';
import { Button } from './button.tsx';
import { type CorrectedField, CorrectionDialog } from './correction-dialog.tsx';
import { Icon } from './icon.tsx';

const words = dictionary({
  'pt-BR': { edit: (what: string) => `Corrigir ${what}`, remove: (what: string) => `Apagar ${what}` },
  en: { edit: (what: string) => `Correct ${what}`, remove: (what: string) => `Delete ${what}` },
});

/** Correct and delete, each with ten seconds to take it back. */
export function RowActions({
  path,
  label,
  touches,
  fields,
}: {
  path: string;
  label: string;
  touches: readonly string[];
  fields: readonly CorrectedField[];
}) {
  const w = words();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button look="quiet" aria-label={w.edit(label)} onClick={() => setOpen(true)}>
        <Icon name="edit" size={18} />
      </Button>
      <Button look="quiet" aria-label={w.remove(label)} onClick={() => removeLater({ path, label, touches })}>
        <Icon name="trash" size={18} />
      </Button>
      {isOpen ? (
        <CorrectionDialog
          title={w.edit(label)}
          row={{ path, label, touches }}
          fields={fields}
          onClose={() => setOpen(false)}
        />
      ) : null}
    </>
  );
}
