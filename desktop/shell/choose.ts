import type { OfferedGateway } from '../ipc.ts';
import { found, shell } from './bridge.ts';
import { localText } from './local-text.ts';
import { speak, words } from './words.ts';

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
