import type { Language } from '#core/notifying.ts';
import { type Html, html } from './html.ts';
import { WORDS } from './page-words.ts';
import { TEST_CARDS } from './test-cards.ts';

/** Fields of a card, with the first test card written in: whoever tries the way through has to click only. */
export function cardFields(language: Language, nowMs: number): Html {
  const words = WORDS[language];
  const year = String((new Date(nowMs).getUTCFullYear() + 2) % 100).padStart(2, '0');
  const [first] = TEST_CARDS;
  const options = TEST_CARDS.map(({ number }) => html`<option value="${number}"></option>`);
  return html`<label>${words.number}<input name="number" list="cards" inputmode="numeric" autocomplete="off" maxlength="30" required value="${first?.number ?? ''}"></label>
<datalist id="cards">${options}</datalist>
<label>${words.expiry}<input name="expiry" autocomplete="off" maxlength="7" required value="12/${year}"></label>
<label>${words.code}<input name="code" inputmode="numeric" autocomplete="off" maxlength="4" required value="123"></label>`;
}

export function testCardList(language: Language): Html {
  const words = WORDS[language];
  const rows = TEST_CARDS.map(
    ({ number, behaviour }) =>
      html`<tr><th scope="row"><code>${number}</code></th><td>${words.behaviours[behaviour]}</td></tr>`,
  );
  return html`<section><h2>${words.testCards}</h2><table>${rows}</table></section>`;
}
