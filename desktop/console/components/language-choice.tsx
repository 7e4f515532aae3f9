import { componentWords } from '#words/components.ts';
import { chooseLanguage } from '../data/code.ts';
import { LANGUAGES, language } from '../i18n/language.ts';
import { Button } from './button.tsx';
import { toast } from './toast.tsx';

/** On pages that somebody sees before they have an account. */
export function LanguageChoice() {
  return (
    <span class="row">
      {LANGUAGES.map(({ tag, name }) => (
        <Button
          key={tag}
          look="quiet"
          lang={tag}
          aria-pressed={language === tag}
          onClick={() => void speak(tag)}
        >
          {name}
        </Button>
      ))}
    </span>
  );
}

/** Says so where the page cannot be loaded in it now. */
export async function speak(tag: string): Promise<void> {
  if (!(await chooseLanguage(tag))) toast(componentWords().languageLater);
}
