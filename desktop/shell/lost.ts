import type { LastKnown, Person } from '../ipc.ts';
import { startBlindTone } from './blind-tone.ts';
import { found, shell } from './bridge.ts';
import { localText } from './local-text.ts';
import { speak, words } from './words.ts';

const EVERY_MS = 2_000;

async function show(): Promise<void> {
  const known = await shell.lastKnown();
  const { alarms, since, farm, local } = known;
  const minutes = since === null ? 0 : Math.max(0, Math.floor((Date.now() - Date.parse(since)) / 60_000));
  say('title', titleOf(known));
  say('since', words.since(minutes));
  say('why', whyOf(known));
  say('alarms', alarms === null || alarms.unanswered === 0 ? '' : words.alarms(alarms.text));
  const people = farm?.people ?? [];
  found('call').hidden = people.length === 0;
  if (found('people').childElementCount !== people.length)
    found('people').replaceChildren(...people.map(callOf));
  // the box is this very machine, and it is on
  for (const step of document.querySelectorAll<HTMLElement>('[data-where="box"]'))
    step.hidden = local !== null;
  document.body.classList.toggle('starting', isStarting(local));
  tone(isStarting(local) ? 'silent' : 'blind');
}

const isStarting = (local: LastKnown['local']): boolean => local?.at === 'starting' && local.trouble === null;

function titleOf({ farm, gateway, local }: LastKnown): string {
  if (isStarting(local)) return words.startingHere;
  const name = farm?.name ?? gateway?.name;
  return name === undefined ? words.lost : `${words.lost}: ${name}`;
}

function whyOf({ why, local, gateway }: LastKnown): string {
  if (local !== null) return localText(local);
  if (why === 'other-key') return words.otherKey;
  if (why === 'other-box') return words.otherBox;
  return gateway === null ? '' : words.silent(new URL(gateway.url).host);
}

function callOf({ name, phone }: Person): HTMLLIElement {
  const item = document.createElement('li');
  const number = document.createElement('strong');
  number.textContent = phone;
  item.append(`${name}: `, number);
  return item;
}

/** Screen readers hear again what is written again. */
function say(id: string, text: string): void {
  const place = found(id);
  if (place.textContent !== text) place.textContent = text;
}

speak();
const tone = startBlindTone();
found('retry').addEventListener('click', () => void shell.retry());
void show();
setInterval(() => void show(), EVERY_MS);
