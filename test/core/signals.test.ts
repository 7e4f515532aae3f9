import { describe, expect, it } from 'vitest';
import { createSignals } from '#core/signals.ts';

type Happenings = { presence: [controlPointId: string]; disk: [state: string] };

function aFarm() {
  const failures: string[] = [];
  const signals = createSignals<Happenings>((name, error) => failures.push(`${name}: ${String(error)}`));
  return { failures, ...signals };
}

describe('what happens in the process and is no row', () => {
  it('reaches everybody who subscribed to it, in the order they did, and nobody else', () => {
    const { tell, on } = aFarm();
    const heard: string[] = [];
    on('presence', (id) => heard.push(`stream ${id}`));
    on('presence', (id) => heard.push(`firmware ${id}`));
    on('disk', (state) => heard.push(`disk ${state}`));
    tell('presence', 'aerator-1');
    expect(heard).toEqual(['stream aerator-1', 'firmware aerator-1']);
  });

  it('a heartbeat that one listener cannot take is heard by the others, and the failure is noted', () => {
    const { tell, on, failures } = aFarm();
    const heard: string[] = [];
    on('presence', () => {
      throw new Error('the stream is closed');
    });
    on('presence', (id) => heard.push(id));
    tell('presence', 'aerator-1');
    expect({ heard, failures }).toEqual({
      heard: ['aerator-1'],
      failures: ['presence: Error: the stream is closed'],
    });
  });

  it('is no longer heard by who let go of it', () => {
    const { tell, on } = aFarm();
    const heard: string[] = [];
    const letGo = on('disk', (state) => heard.push(state));
    tell('disk', 'full');
    letGo();
    tell('disk', 'ok');
    expect(heard).toEqual(['full']);
  });
});
