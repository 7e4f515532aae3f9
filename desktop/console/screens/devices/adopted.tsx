import { Link } from 'wouter-preact';
import type { AdoptAnswer } from '#contract/resources/adoption.ts';
import { Button } from '../../components/button.tsx';
import { CopyText } from '../../components/copy-text.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { presence } from '../../data/farm-store.ts';
import { clockTime } from '../../i18n/format.ts';
import { adoptionWords } from './adoption-words.ts';
import { deviceWords } from './device-words.ts';

/** What the device was given, and what a hand does next; it is over when the device has spoken. */
export function Adopted({
  title,
  given: { answer, givenAt },
  onClose,
}: {
  title: string;
  given: { answer: AdoptAnswer; givenAt: number };
  onClose: () => void;
}) {
  const words = adoptionWords();
  const keyWords = deviceWords();
  const heard = presence.value.get(answer.control_point_id)?.last_heartbeat ?? null;
  // the one before it may have spoken a moment ago
  const isHeard = heard !== null && Date.parse(heard) > givenAt;
  return (
    <Dialog
      title={title}
      // a key that is shown once is not lost by a slip beside the dialog
      onClose={answer.key === null ? onClose : () => undefined}
      actions={
        <>
          {answer.key === null ? (
            <Link
              class="button big"
              href={`/sistema/dispositivos/${answer.control_point_id}`}
              onClick={onClose}
            >
              {words.seePoint(answer.cod)}
            </Link>
          ) : null}
          <Button big look="main" onClick={onClose}>
            {answer.key === null ? words.done : keyWords.kept}
          </Button>
        </>
      }
    >
      <p data-adopted={answer.delivery}>
        <strong>{words.adopted(answer.cod, answer.device_id)}</strong>
      </p>
      {answer.replaced === null ? null : <p>{words.formerOut(answer.replaced.device_id)}</p>}
      <p>{answer.next}</p>
      {answer.key === null ? null : (
        <>
          <span class="label">{keyWords.mqttUser}</span>
          <CopyText label={keyWords.mqttUser} text={answer.mqtt_id} />
          <span class="label">{keyWords.key}</span>
          <CopyText label={keyWords.key} text={answer.key} />
        </>
      )}
      <p role="status" data-heard={isHeard}>
        {isHeard ? words.heard(clockTime(heard)) : words.awaits}
      </p>
    </Dialog>
  );
}
