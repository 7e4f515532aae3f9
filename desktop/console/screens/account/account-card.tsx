import { Button } from '../../components/button.tsx';
import { farm } from '../../data/farm-store.ts';
import { signOut, type User } from '../../data/session.ts';
import { systemWords } from '../system/words.ts';

/** Who is signed in here, what they are on this farm, and the way out. */
export function AccountCard({ person }: { person: User }) {
  const words = systemWords();
  return (
    <section class="card row apart">
      <div>
        <h2>{person.name}</h2>
        <p class="muted small">
          {person.email}
          {farm.value === null ? '' : ` · ${words.role[farm.value.role]} · ${farm.value.name}`}
        </p>
      </div>
      <Button big onClick={() => void signOut()}>
        {words.signOut}
      </Button>
    </section>
  );
}
