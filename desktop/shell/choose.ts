import type { FoundGateway } from '../ipc.ts';
import { found, shell } from './bridge.ts';
import { speak, words } from './words.ts';

const list = found<HTMLUListElement>('found');
const state = found<HTMLParagraphElement>('state');

async function look(): Promise<void> {
  state.textContent = words.searching;
  const gateways = await shell.findGateways();
  list.replaceChildren(...gateways.map(choiceOf));
  state.textContent = gateways.length === 0 ? words.none : '';
}

function choiceOf(gateway: FoundGateway): HTMLLIElement {
  const button = document.createElement('button');
  const key = gateway.pin === null ? words.plain : `${words.pinned} ${gateway.pin.slice(0, 12)}`;
  button.textContent = `${gateway.name} · ${new URL(gateway.url).host} · ${key}`;
  button.addEventListener('click', () => void shell.chooseGateway(gateway));
  const item = document.createElement('li');
  item.append(button);
  return item;
}

speak();
found('again').addEventListener('click', () => void look());
found('local').addEventListener('click', () => {
  state.textContent = words.starting;
  void shell.startLocal();
  setInterval(() => void shell.retry(), 2_000);
});
found<HTMLFormElement>('typed').addEventListener('submit', (event) => {
  event.preventDefault();
  const typed = new FormData(found<HTMLFormElement>('typed')).get('url');
  if (typeof typed !== 'string' || !URL.canParse(typed)) return;
  void shell.chooseGateway({ id: typed, name: new URL(typed).host, url: typed, pin: null, software: '' });
});
void look();
