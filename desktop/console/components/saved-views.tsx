import { useState } from 'preact/hooks';
import { savedViewWords } from '#words/tables.ts';
import { forgetView, keepView, type TableView, viewsOf } from '../data/table-views.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';
import { toast } from './toast.tsx';

const LONGEST_NAME = 40;

/** The named views of a table, and a name for what is shown now. */
export function SavedViews({
  table,
  label,
  shown,
  onChosen,
}: {
  table: string;
  label: string;
  shown: Omit<TableView, 'name'>;
  onChosen: (view: Omit<TableView, 'name'>) => void;
}) {
  const w = savedViewWords();
  const [name, setName] = useState<string | null>(null);
  const views = viewsOf(table);
  const isShown = (view: TableView) =>
    view.order === shown.order &&
    view.found === shown.found &&
    JSON.stringify(view.filters ?? {}) === JSON.stringify(shown.filters ?? {});
  const isOwn = shown.order !== 0 || shown.found !== '' || Object.keys(shown.filters ?? {}).length > 0;
  const isNew = isOwn && !views.some(isShown);
  if (views.length === 0 && !isNew) return null;
  const keep = (event: Event) => {
    event.preventDefault();
    if (name === null || name.trim() === '') return;
    keepView(table, { ...shown, name: name.trim() });
    setName(null);
  };
  const forget = (view: TableView) => {
    forgetView(table, view.name);
    toast(w.forgotten(view.name), { label: w.undo, run: () => keepView(table, view) });
  };
  return (
    <div class="row no-print saved-views" role="group" aria-label={w.of(label)}>
      {views.map((view) => (
        <span key={view.name} class="saved-view">
          <button
            type="button"
            class={`button ${isShown(view) ? 'main' : ''}`}
            aria-pressed={isShown(view)}
            onClick={() => onChosen(isShown(view) ? { order: 0, found: '' } : view)}
          >
            {view.name}
          </button>
          <Button look="quiet" aria-label={w.forget(view.name)} onClick={() => forget(view)}>
            <Icon name="close" size={16} />
          </Button>
        </span>
      ))}
      {!isNew ? null : name === null ? (
        <Button look="quiet" onClick={() => setName('')}>
          {w.keep}
        </Button>
      ) : (
        <form noValidate class="row" onSubmit={keep}>
          <input
            class="input"
            type="text"
            autoFocus
            maxLength={LONGEST_NAME}
            aria-label={w.name}
            placeholder={w.name}
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
          <button type="submit" class="button main">
            {w.save}
          </button>
          <Button onClick={() => setName(null)}>{w.cancel}</Button>
          <span class="muted small">{w.here}</span>
        </form>
      )}
    </div>
  );
}
