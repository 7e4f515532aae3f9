import { leaveWords } from '#words/forms.ts';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { leavingTo } from '../data/half-filled.ts';

/** Asked of who leaves a page on which something was typed and not saved. */
export function LeaveQuestion() {
  const words = leaveWords();
  const leave = leavingTo.value;
  if (leave === null) return null;
  const stay = () => {
    leavingTo.value = null;
  };
  return (
    <Dialog
      isQuestion
      title={words.title}
      onClose={stay}
      actions={
        <>
          <Button big autofocus look="main" onClick={stay}>
            {words.stay}
          </Button>
          <Button big onClick={leave}>
            {words.leave}
          </Button>
        </>
      }
    >
      <p>{words.text}</p>
    </Dialog>
  );
}
