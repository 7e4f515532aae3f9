import type { ShellBridge } from '../ipc.ts';

// the preload script put it there
export const shell = (window as unknown as { shell: ShellBridge }).shell;

export function found<Element extends HTMLElement>(id: string): Element {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no ${id}`);
  // each page's own markup says what it is
  return element as Element;
}
