import { useState } from 'preact/hooks';
import { ALERT_TYPES, type AlertType } from '#contract/words.ts';
import { alertAdvice } from '#science/advice/alert-advice.ts';
import { listWords } from '#words/alarms.ts';
import { componentWords } from '#words/components.ts';
import { alarmWords } from '#words/control.ts';
import { Answer, faultText } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { TextArea } from '../../components/field.tsx';
import { BlindNote } from '../../components/off-dialog.tsx';
import { keepFarmConsole, useFarmConsole } from '../../data/farm-console.ts';
import { farm, mayManage } from '../../data/farm-store.ts';
import { isBlind } from '../../data/live.ts';
import { adviceLanguage } from '../../i18n/language.ts';

/** What is to be done about each alarm, read in quiet hours and put into the farm's own words. */
export function AlarmResponses() {
  const words = listWords();
  const names = alarmWords().type;
  const arranged = useFarmConsole(farm.value?.id ?? null);
  const [open, setOpen] = useState<AlertType | null>(null);
  return (
    <Answer of={arranged}>
      {({ farm_id, alarm_responses }) => (
        <>
          <p class="muted">{words.responsesText}</p>
          <ul class="stack">
            {ALERT_TYPES.map((type) => (
              <li key={type} class="card stack" data-response={type}>
                <div class="row apart nowrap">
                  <h2>{names[type]}</h2>
                  {mayManage.value ? (
                    <Button
                      aria-label={words.changeResponse(names[type])}
                      disabled={isBlind.value}
                      onClick={() => setOpen(type)}
                    >
                      {words.change}
                    </Button>
                  ) : null}
                </div>
                <p class="said">{alarm_responses[type] ?? standardAdvice(type)}</p>
                {alarm_responses[type] === undefined ? null : <p class="muted small">{words.ownWords}</p>}
              </li>
            ))}
          </ul>
          {open === null ? null : (
            <Change
              farmId={farm_id}
              type={open}
              own={alarm_responses[open] ?? null}
              onClose={() => setOpen(null)}
            />
          )}
        </>
      )}
    </Answer>
  );
}

/** As it is told of the gravest of its kind. */
const standardAdvice = (type: AlertType): string =>
  alertAdvice({ type, severity: null, value: null }, adviceLanguage, null);

const LONGEST = 1_000;

function Change({
  farmId,
  type,
  own,
  onClose,
}: {
  farmId: string;
  type: AlertType;
  own: string | null;
  onClose: () => void;
}) {
  const words = listWords();
  const [text, setText] = useState(own ?? standardAdvice(type));
  const [fault, setFault] = useState<string | null>(null);
  const keep = async (response: string | null) => {
    try {
      await keepFarmConsole(farmId, { alarm_responses: { [type]: response } });
      onClose();
    } catch (error) {
      setFault(faultText(error));
    }
  };
  return (
    <Dialog
      title={words.changeResponse(alarmWords().type[type])}
      onClose={onClose}
      actions={
        <>
          <Button big onClick={onClose}>
            {componentWords().cancel}
          </Button>
          {own === null ? null : (
            <WorkButton big disabled={isBlind.value} work={() => keep(null)}>
              {words.standardText}
            </WorkButton>
          )}
          <WorkButton
            big
            look="main"
            disabled={isBlind.value}
            unready={text.trim() === ''}
            work={() => keep(text)}
          >
            {words.keepNote}
          </WorkButton>
        </>
      }
    >
      <p class="muted">{words.responseHint}</p>
      <TextArea
        label={words.whatToDo}
        value={text}
        maxLength={LONGEST}
        rows={5}
        fault={fault}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <BlindNote />
    </Dialog>
  );
}
