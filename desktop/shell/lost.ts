import type { LastKnown, OfferedGateway, Person } from '../ipc.ts';
import { startBlindTone } from './blind-tone.ts';
import { found, shell } from './bridge.ts';
import { localText, speak, words } from './local-text.ts';

const LOCAL_EVERY_MS = 1_500;

const list = found<HTMLUListElement>('found');
const state = found<HTMLParagraphElement>('state');
let asked: OfferedGateway | null = null;

async function look(): Promise<void> {
  state.textContent = words.searching;
  const gateways = await shell.findGateways();
  list.replaceChildren(...gateways.map(choiceOf));
  state.textContent = gateways.length === 0 ? words.none : '';
}

function choiceOf(gateway: OfferedGateway): HTMLLIElement {
  const button = document.createElement('button');
  const key = gateway.code === null ? words.plain : `${words.code} ${gateway.code}`;
  button.textContent = `${gateway.name} · ${new URL(gateway.url).host} · ${key}`;
  button.addEventListener('click', () => compare(gateway));
  const item = document.createElement('li');
  item.append(button);
  return item;
}

/** Nobody is paired with unseen: the person holds the digits against the label, or reads that there are none. */
function compare(gateway: OfferedGateway): void {
  asked = gateway;
  found('which').textContent = gateway.name;
  found('where').textContent = new URL(gateway.url).host;
  const isKnownBySystem = gateway.code === null && gateway.url.startsWith('https:');
  found('how').textContent = isKnownBySystem
    ? words.known
    : gateway.code === null
      ? words.open
      : words.compare;
  found('code').textContent = gateway.code ?? '';
  found('code').hidden = gateway.code === null;
  found('same').textContent = gateway.code === null ? words.useAnyway : words.same;
  turn('compare');
  found('which').focus();
}

function turn(to: 'choice' | 'compare'): void {
  found('choice').hidden = to !== 'choice';
  found('compare').hidden = to !== 'compare';
}

async function showLocal(): Promise<void> {
  const { canBeBox, gateway, local } = await shell.lastKnown();
  found('box').hidden = !canBeBox;
  found('back').hidden = gateway === null && local === null;
  found('local-state').textContent = local === null ? '' : localText(local);
}

speak();
found('again').addEventListener('click', () => void look());
found('back').addEventListener('click', () => void shell.retry());
found('local').addEventListener('click', () => {
  found('local-state').textContent = words.starting;
  void shell.startLocal().then(showLocal);
});
found('same').addEventListener('click', () => {
  if (asked !== null) void shell.chooseGateway(asked);
});
found('differs').addEventListener('click', () => {
  turn('choice');
  state.textContent = words.notSame;
});
found<HTMLFormElement>('typed').addEventListener('submit', (event) => {
  event.preventDefault();
  const typed = new FormData(found<HTMLFormElement>('typed')).get('url');
  if (typeof typed !== 'string' || typed.trim() === '') return;
  state.textContent = words.asking;
  void shell
    .lookAt(typed)
    .catch(() => null)
    .then((gateway) => {
      state.textContent = gateway === null ? words.nobody : '';
      if (gateway !== null) compare(gateway);
    });
});
void look();
void showLocal();
setInterval(() => void showLocal(), LOCAL_EVERY_MS);

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
