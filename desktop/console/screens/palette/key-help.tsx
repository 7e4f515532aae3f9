import { useLocation } from 'wouter-preact';
import { paletteWords } from '#words/palette.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { keySet } from '../../data/keys.ts';
import { guideAddress } from '../../i18n/language.ts';
import '../../styles/system.css';

const ALWAYS = ['F8', 'F9', 'Ctrl+K', '?'] as const;
const LETTERS = ['g f', 'g a', 'g e', 'g l', '/', 'j / k', 'o', 'Shift+O'] as const;

export function KeyHelp({ onClose }: { onClose: () => void }) {
  const words = paletteWords();
  const [, go] = useLocation();
  return (
    <Dialog
      title={words.keys}
      onClose={onClose}
      actions={
        <>
          <Button
            onClick={() => {
              onClose();
              go('/sistema/preferencias');
            }}
          >
            {words.change}
          </Button>
          <Button look="main" autofocus onClick={onClose}>
            {words.close}
          </Button>
        </>
      }
    >
      <Keys title={words.always} keys={ALWAYS} />
      <Keys title={words.letters} keys={LETTERS} />
      <p class="muted">{keySet.value === 'all' ? words.on : words.off}</p>
      <p>
        <a class="way" href={guideAddress()} target="_blank" rel="noreferrer">
          {words.guide}
        </a>
      </p>
    </Dialog>
  );
}

function Keys({
  title,
  keys,
}: {
  title: string;
  keys: readonly (keyof ReturnType<typeof paletteWords>['map'])[];
}) {
  const words = paletteWords();
  return (
    <>
      <h3>{title}</h3>
      <table class="table">
        <thead class="visually-hidden">
          <tr>
            <th scope="col">{words.key}</th>
            <th scope="col">{words.does}</th>
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <tr key={key}>
              <th scope="row">
                <kbd class="mono">{key}</kbd>
              </th>
              <td>{words.map[key]}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
