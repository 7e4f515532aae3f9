import { useRef, useState } from 'preact/hooks';
import { copyWords } from '#words/components.ts';

import { Button } from './button.tsx';
import '../styles/system.css';

/** A key, a code or a command, whole and to be taken along; works on plain http, where there is no clipboard to ask. */
export function CopyText({ label, text }: { label: string; text: string }) {
  const words = copyWords();
  const [told, setTold] = useState<'copied' | 'byHand' | null>(null);
  const place = useRef<HTMLElement>(null);
  const copy = () => {
    const selection = getSelection();
    if (place.current === null || selection === null) return;
    selection.selectAllChildren(place.current);
    // the old way, on purpose: the new one needs https, which a phone on the farm's Wi-Fi does not have
    setTold(document.execCommand('copy') ? 'copied' : 'byHand');
  };
  return (
    <div class="copy-text">
      <code ref={place} class="mono breaks">
        {text}
      </code>
      <Button onClick={copy} aria-label={`${words.copy}: ${label}`}>
        {told === null ? words.copy : words[told]}
      </Button>
    </div>
  );
}
