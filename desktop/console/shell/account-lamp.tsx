import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Icon } from '../components/icon.tsx';
import { componentWords } from '../components/words.ts';
import { farm, unread } from '../data/farm-store.ts';
import { signOut, user } from '../data/session.ts';
import { shellWords } from './words.ts';

/** Who is signed in at this station, what they were told, and the way out. Phones have it under "more". */
export function AccountLamp() {
  const words = shellWords();
  const [isOpen, setOpen] = useState(false);
  const person = user.value;
  if (person === null) return null;
  const close = () => setOpen(false);
  return (
    <>
      {unread.value === 0 ? null : (
        <Link href="/notificacoes" class="lamp wide-only">
          {words.unread(unread.value)}
        </Link>
      )}
      <button
        type="button"
        class="lamp wide-only"
        aria-haspopup="dialog"
        aria-label={words.accountOf(person.name)}
        onClick={() => setOpen(true)}
      >
        <Icon name="user" size={18} /> {person.name.split(' ')[0]}
      </button>
      {isOpen ? (
        <Dialog
          title={person.name}
          onClose={close}
          actions={
            <>
              <Button big onClick={() => void signOut()}>
                {words.signOut}
              </Button>
              <span class="grow" />
              <Button big autofocus onClick={close}>
                {componentWords().close}
              </Button>
            </>
          }
        >
          <p class="muted">
            {person.email}
            {farm.value === null ? '' : ` · ${words.role[farm.value.role]} · ${farm.value.name}`}
          </p>
          <Link class="button" href="/sistema/preferencias" onClick={close}>
            {words.preferences}
          </Link>
          <Link class="button" href="/notificacoes" onClick={close}>
            {words.notifications}
          </Link>
          <Link class="button" href="/painel" onClick={close}>
            {words.panel}
          </Link>
        </Dialog>
      ) : null}
    </>
  );
}
