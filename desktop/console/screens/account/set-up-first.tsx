import { secondFactorWords } from '#words/account.ts';
import { shellWords } from '#words/shell.ts';
import { Button, WorkButton } from '../../components/button.tsx';
import { get } from '../../data/api.ts';
import { mustSetUp, signOut } from '../../data/session.ts';
import { FaultNote } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';
import { PasskeysCard } from './passkeys.tsx';
import { SecondFactorCard } from './second-factor.tsx';

/** All there is for who has to set up a second factor before this instance answers anything else. */
export function SetUpFirst() {
  const words = secondFactorWords();
  const { fault, run } = useWork();
  const goOn = () =>
    run(async () => {
      // refused in its own words while there is none
      await get('/users/me/farms');
      mustSetUp.value = false;
    });
  return (
    <main class="page narrow">
      <div class="page-head">
        <h1>{words.mustTitle}</h1>
      </div>
      <p>{words.mustText}</p>
      <SecondFactorCard />
      <PasskeysCard />
      <FaultNote fault={fault} />
      <div class="row">
        <WorkButton work={goOn}>{words.mustGoOn}</WorkButton>
        <Button onClick={() => void signOut()}>{shellWords().signOut}</Button>
      </div>
    </main>
  );
}
