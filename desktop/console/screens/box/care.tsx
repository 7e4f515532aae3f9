import { useState } from 'preact/hooks';
import { careWords } from '#words/care.ts';
import { Answer } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { CheckField, SelectField, TextField } from '../../components/field.tsx';
import { QrCode } from '../../components/qr-code.tsx';
import { toast } from '../../components/toast.tsx';
import { download, post } from '../../data/api.ts';
import { isBlind } from '../../data/live.ts';
import { refresh, useGet } from '../../data/query.ts';
import { user } from '../../data/session.ts';
import { dayAndTime } from '../../i18n/format.ts';
import { useWork } from '../system/use-work.ts';
import { FaultNote } from './system-page.tsx';

/** The program and the package for support: for whoever administers the box. */
export function BoxCare() {
  if (user.value?.role !== 'ADMIN') return null;
  return (
    <>
      <Update />
      <Support />
    </>
  );
}

/** What the instance itself tells as offered by the one in the cloud. */
const HOSTED = 'hosted';

function Update() {
  const w = careWords();
  const told = useGet('/system/update');
  const [from, setFrom] = useState<'hosted' | 'place'>('hosted');
  const [place, setPlace] = useState('');
  const [mayBeOlder, setOlder] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const begin = async () => {
    await post('/system/update', {
      from: from === 'hosted' ? HOSTED : place.trim(),
      ...(mayBeOlder ? { allow_older: true } : {}),
    });
    refresh('system');
    toast(w.begun, null, 6_000);
  };
  return (
    <section class="card stack" data-update>
      <h2>{w.update}</h2>
      <Answer of={told}>
        {({ version, is_managed, step, target_version, last }) => (
          <>
            <dl class="facts">
              <div>
                <dt>{w.version}</dt>
                <dd>{version}</dd>
                <dd class="muted small">
                  {w.steps[step]}
                  {target_version === null ? '' : ` · ${w.toVersion(target_version)}`}
                </dd>
              </div>
              {last === null ? null : (
                <div>
                  <dt>{w.last}</dt>
                  <dd class="plain">
                    {w.results[last.result]}
                    {last.version === '' ? '' : ` · ${w.toVersion(last.version)}`}
                  </dd>
                  <dd class="muted small">{dayAndTime(last.at)}</dd>
                </div>
              )}
            </dl>
            {last?.aside === undefined ? null : <p class="note p2">{w.aside(last.aside)}</p>}
            {!is_managed ? (
              <p class="note">{w.notManaged}</p>
            ) : (
              <>
                <div class="form-grid">
                  <SelectField
                    label={w.from}
                    value={from}
                    options={[
                      { value: 'hosted', label: w.fromHosted },
                      { value: 'place', label: w.fromOther },
                    ]}
                    onChange={(event) => setFrom(event.currentTarget.value === 'place' ? 'place' : 'hosted')}
                  />
                  {from === 'place' ? (
                    <TextField
                      needed
                      label={w.place}
                      hint={w.placeHint}
                      value={place}
                      maxLength={1_000}
                      onInput={(event) => setPlace(event.currentTarget.value)}
                    />
                  ) : null}
                </div>
                <CheckField
                  label={w.older}
                  checked={mayBeOlder}
                  onChange={(event) => setOlder(event.currentTarget.checked)}
                />
                <div>
                  <Button
                    disabled={isBlind.value}
                    why={step === 'rest' ? null : w.steps[step]}
                    unready={from === 'place' && place.trim() === ''}
                    onClick={() => setAsking(true)}
                  >
                    {w.run}
                  </Button>
                </div>
              </>
            )}
          </>
        )}
      </Answer>
      {isAsking ? (
        <ConfirmDialog
          title={w.ask}
          label={w.run}
          isReady={!isBlind.value}
          work={begin}
          onClose={() => setAsking(false)}
        >
          <p>{w.askText}</p>
        </ConfirmDialog>
      ) : null}
    </section>
  );
}

function Support() {
  const w = careWords();
  const { fault, run } = useWork();
  return (
    <section class="card stack" data-support>
      <h2>{w.support}</h2>
      <p class="muted">{w.supportText}</p>
      <FaultNote fault={fault} />
      <div>
        <WorkButton
          disabled={isBlind.value}
          work={() => run(() => download('/system/support-bundle', 'support.tar.gz'))}
        >
          {w.supportGet}
        </WorkButton>
      </div>
    </section>
  );
}

/** For the label on the box; nothing where it has no authority of its own. */
export function BoxQr({ text }: { text: string }) {
  const w = careWords();
  const { fault, run } = useWork();
  return (
    <section class="card stack" data-box-qr>
      <h2>{w.qr}</h2>
      <p class="muted">{w.qrText}</p>
      <QrCode text={text} label={w.qrLabel} />
      <FaultNote fault={fault} />
      <div class="no-print">
        <WorkButton work={() => run(() => download('/system/identity/qr', 'gateway-qr.svg'))}>
          {w.qrGet}
        </WorkButton>
      </div>
    </section>
  );
}
