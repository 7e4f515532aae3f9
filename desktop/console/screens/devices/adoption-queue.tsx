import { useState } from 'preact/hooks';
import type { QueueEntry } from '#contract/resources/adoption.ts';
import { adoptionWords, deviceWords, relayWords } from '#words/devices.ts';
import { AllAnswered } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { del, post } from '../../data/api.ts';
import { now } from '../../data/clock.ts';
import { isBlind } from '../../data/live.ts';
import { refresh } from '../../data/query.ts';
import { age } from '../../i18n/format.ts';
import { FaultNote } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';
import { AdoptDialog } from './adopt-dialog.tsx';

import { type Knock, knocksOf, macText, nameOf, useKnocks } from './knocks.ts';
import { openWindow, USUAL_MINUTES } from './provisioning-window.tsx';
import { RelayDialog } from './relay-dialog.tsx';

/** Who knocked and has no place: given one, or left out. */
export function AdoptionQueue() {
  const words = adoptionWords();
  const { ignored, answers } = useKnocks();
  const [adopting, setAdopting] = useState<Knock | null>(null);
  const { fault, run } = useWork(adoptionWords().faults);
  const ignore = (knock: Knock) =>
    run(async () => {
      await (knock.entry === null
        ? del(`/relays/discovered/${encodeURIComponent(knock.id)}`)
        : post(`/adoption/queue/${encodeURIComponent(knock.id)}/ignore`));
      refresh('adoption', 'relays');
    });
  const showAgain = (entry: QueueEntry) =>
    run(async () => {
      await del(`/adoption/queue/${encodeURIComponent(entry.id)}/ignore`);
      refresh('adoption');
    });
  return (
    <section class="card stack" aria-labelledby="queue-title">
      <h2 id="queue-title">{words.queue}</h2>
      <AllAnswered of={answers}>
        {(...told) => {
          const knocks = knocksOf(...told);
          return knocks.length === 0 ? (
            <p class="muted">{words.nobody}</p>
          ) : (
            <>
              <p class="muted">{words.queueText}</p>
              <ul class="lines">
                {knocks.map((knock) => (
                  <KnockLine
                    key={knock.id}
                    knock={knock}
                    onAdopt={() => setAdopting(knock)}
                    ignore={() => ignore(knock)}
                    open={() => run(() => openWindow(USUAL_MINUTES), words.opened(USUAL_MINUTES))}
                  />
                ))}
              </ul>
            </>
          );
        }}
      </AllAnswered>
      {ignored.data === undefined || ignored.data.length === 0 ? null : (
        <Ignored rows={ignored.data} showAgain={showAgain} />
      )}
      <FaultNote fault={fault} />
      {adopting === null ? null : adopting.relay === null ? (
        <AdoptDialog entry={adopting.entry} onClose={() => setAdopting(null)} />
      ) : (
        <RelayDialog knock={adopting} onClose={() => setAdopting(null)} />
      )}
    </section>
  );
}

function KnockLine({
  knock,
  onAdopt,
  ignore,
  open,
}: {
  knock: Knock;
  onAdopt: () => void;
  ignore: () => Promise<unknown>;
  open: () => Promise<unknown>;
}) {
  const words = adoptionWords();
  const name = nameOf(knock);
  const { entry } = knock;
  const isAway = entry?.mac != null && !entry.is_waiting;
  const isUnfit = (entry?.unsupported ?? knock.card?.unsupported ?? null) !== null;
  return (
    <li class="row apart" data-knock={knock.id}>
      <div class="grow">
        <p class="row">
          <strong class="mono breaks">{name}</strong>
          <span class="chip">{words.profile[knock.relay ?? entry?.profile ?? 'unknown']}</span>
        </p>
        <p>{isUnfit ? relayWords().warnings.FIRST_GENERATION : reasonOf(knock)}</p>
        <p class="muted small breaks">{factsOf(knock)}</p>
      </div>
      <div class="row">
        {entry?.how === 'window' ? (
          <WorkButton look="main" aria-label={words.openForName(name)} disabled={isBlind.value} work={open}>
            {words.open}
          </WorkButton>
        ) : (
          <Button
            look="main"
            aria-label={words.adoptName(name)}
            disabled={isBlind.value || isAway || isUnfit}
            onClick={onAdopt}
          >
            {words.adopt}
          </Button>
        )}
        <WorkButton aria-label={words.ignoreName(name)} disabled={isBlind.value} work={ignore}>
          {words.ignore}
        </WorkButton>
      </div>
    </li>
  );
}

function reasonOf({ entry, relay }: Knock): string {
  const { reason } = adoptionWords();
  const cod = entry?.control_point?.cod;
  switch (entry?.reason) {
    case 'boot':
      return `${entry.is_waiting ? reason.waits : reason.left}${cod === undefined ? '' : ` ${reason.wasOf(cod)}`}`;
    case 'window_closed':
      return reason.windowClosed;
    case 'wrong_key':
      return cod === undefined ? reason.wrongKeyOfOther : reason.wrongKey(cod);
    case 'no_key':
      return cod === undefined ? reason.noKeyOfOther : reason.noKey(cod);
    case 'replaced':
      return cod === undefined ? reason.replacedOfOther : reason.replaced(cod);
    case 'protocol_v5':
      return reason.version5;
    case 'client_id':
      return relay === null ? reason.clientId : reason.relay;
    default:
      return relay === null ? reason.unknown : reason.relay;
  }
}

function factsOf({ entry, card, name }: Knock): string {
  const words = deviceWords();
  const seen = entry ?? card;
  if (seen === null) return '';
  const mac = entry?.mac ?? card?.mac ?? null;
  return [
    words.ago(age(now.value - Date.parse(seen.last_seen))),
    words.times(seen.count),
    mac === null || name === null ? null : macText(mac),
    card?.model,
    entry?.chip,
    entry?.firmware_version,
    entry?.source ?? card?.address,
    entry?.via.toUpperCase(),
  ]
    .filter(Boolean)
    .join(' · ');
}

function Ignored({
  rows,
  showAgain,
}: {
  rows: readonly QueueEntry[];
  showAgain: (entry: QueueEntry) => Promise<unknown>;
}) {
  const words = adoptionWords();
  return (
    <details>
      <summary>{words.ignored(rows.length)}</summary>
      <ul class="lines">
        {rows.map((entry) => {
          const name = nameOf({ name: entry.device_id, entry });
          return (
            <li key={entry.id} class="row apart">
              <span class="mono breaks">{name}</span>
              <WorkButton
                aria-label={words.showAgainName(name)}
                disabled={isBlind.value}
                work={() => showAgain(entry)}
              >
                {words.showAgain}
              </WorkButton>
            </li>
          );
        })}
      </ul>
    </details>
  );
}
