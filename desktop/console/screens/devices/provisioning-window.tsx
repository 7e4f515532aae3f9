import { useState } from 'preact/hooks';
import type { WindowAnswer } from '#contract/resources/adoption.ts';
import { adoptionWords } from '#words/devices.ts';
import { Answer } from '../../components/answer.tsx';
import { WorkButton } from '../../components/button.tsx';
import { SelectField } from '../../components/field.tsx';
import { del, post } from '../../data/api.ts';
import { now } from '../../data/clock.ts';
import { isBlind } from '../../data/live.ts';
import { refresh, useGet } from '../../data/query.ts';
import { countdown } from '../../i18n/format.ts';
import { FaultNote } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';

const CHOICES = [5, 10, 15, 30, 60] as const;
export const USUAL_MINUTES = 10;

export const useWindow = () => useGet<WindowAnswer>('/adoption/window');

export async function openWindow(minutes: number): Promise<void> {
  await post('/adoption/window', { minutes });
  refresh('adoption');
}

/** The time in which boards without a key may come in: opened by hand, closed by itself. */
export function ProvisioningWindow() {
  const words = adoptionWords();
  const told = useWindow();
  const { fault, run } = useWork(adoptionWords().faults);
  const [minutes, setMinutes] = useState<number>(USUAL_MINUTES);
  const open = (n: number) => run(() => openWindow(n), words.opened(n));
  const close = () =>
    run(async () => {
      await del('/adoption/window');
      refresh('adoption');
    }, words.closed);
  return (
    <section class="card stack" aria-labelledby="window-title">
      <h2 id="window-title">{words.window}</h2>
      <Answer of={told}>
        {({ is_open, closes_at, boards_waiting }) => {
          const leftMs = Date.parse(closes_at ?? '') - now.value;
          return is_open && leftMs > 0 ? (
            <div class="stack" data-window="open">
              <p>
                <strong role="timer">{words.openFor(countdown(leftMs))}</strong> ·{' '}
                {words.waiting(boards_waiting)}
              </p>
              <p class="muted">{words.openText}</p>
              <div class="row">
                <WorkButton disabled={isBlind.value} work={close}>
                  {words.closeNow}
                </WorkButton>
                <WorkButton disabled={isBlind.value} work={() => open(USUAL_MINUTES)}>
                  {words.longer(USUAL_MINUTES)}
                </WorkButton>
              </div>
            </div>
          ) : (
            <div class="stack" data-window="closed">
              <p class="muted">{words.windowText}</p>
              <div class="row end-aligned">
                <SelectField
                  label={words.minutes}
                  value={String(minutes)}
                  options={CHOICES.map((n) => ({ value: String(n), label: words.minutesOf(n) }))}
                  onChange={(event) => setMinutes(Number(event.currentTarget.value))}
                />
                <WorkButton disabled={isBlind.value} work={() => open(minutes)}>
                  {words.open}
                </WorkButton>
              </div>
            </div>
          );
        }}
      </Answer>
      <FaultNote fault={fault} />
    </section>
  );
}
