import { found, shell } from './bridge.ts';
import { speak, words } from './words.ts';

async function show(): Promise<void> {
  const { alarms, since } = await shell.lastKnown();
  const minutes = since === null ? 0 : Math.floor((Date.now() - Date.parse(since)) / 60_000);
  found('since').textContent = words.since(minutes);
  found('alarms').textContent = alarms === null || alarms.unanswered === 0 ? '' : words.alarms(alarms.text);
}

speak();
found('retry').addEventListener('click', () => void shell.retry());
void show();
setInterval(() => void show(), 10_000);
